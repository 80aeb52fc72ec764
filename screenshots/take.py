"""``make screenshots``: the pictures of the app, taken anew."""

from __future__ import annotations

import tempfile
from pathlib import Path

from screenshots.scenes import LARGE, SMALL, shoot

PICTURES = {
    "home": ("home", SMALL),
    "workbench": ("state", SMALL),
    "workbench-wide": ("wide", LARGE),
    "why": ("why", LARGE),
    "approval": ("approval", SMALL),
    "failed": ("failed", LARGE),
    "large": ("large", LARGE),
    "light": ("light", LARGE),
    "form": ("form", SMALL),
    "design": ("design", LARGE),
    "never-taken": ("never", LARGE),
}
"""The scene and the size of each picture."""
_FOLDER = Path(__file__).parent


def main() -> None:
    """Take them all."""
    for name, (scene, size) in PICTURES.items():
        with tempfile.TemporaryDirectory() as home:
            (_FOLDER / f"{name}.svg").write_text(shoot(scene, size, Path(home)), encoding="utf-8")
        print(f"screenshots/{name}.svg")


if __name__ == "__main__":
    main()
