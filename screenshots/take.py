"""``make screenshots``: the pictures of the app, taken anew; as a module it takes those that it is given."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from screenshots.scenes import LARGE, REFUND, SMALL, exported, shoot

_STORY, _LIST = (120, 34), (120, 10)
"""As large as what is in the picture, with nothing empty below it."""
PICTURES = {
    "home": ("home", SMALL),
    "workbench": ("state", SMALL),
    "workbench-wide": ("wide", LARGE),
    "why": ("why", LARGE),
    "approval": ("approval", SMALL),
    "inbox": ("inbox", _LIST),
    "continuing": ("continuing", LARGE),
    "continuing-narrow": ("continuing", SMALL),
    "failed": ("failed", LARGE),
    "large": ("large", LARGE),
    "light": ("light", LARGE),
    "form": ("form", SMALL),
    "design": ("design", LARGE),
    "never-taken": ("never", LARGE),
    "story-halt": ("halted", _STORY),
    "story-watches": ("watched", _STORY),
    "story-edit": ("edited", _STORY),
    "story-runs": ("listed", _LIST),
    "story-compare": ("compared", LARGE),
}
"""The scene and the size of each picture."""
EXPORTS = {"exported": REFUND}
"""The graph of each picture that is an export."""
_FOLDER = Path(__file__).parent


def main(names: Collection[str] = ()) -> None:
    """Take some of them by their names, or all when none is given."""
    for name in names or (*PICTURES, *EXPORTS):
        (_FOLDER / f"{name}.svg").write_text(_taken(name), encoding="utf-8")
        print(f"screenshots/{name}.svg")


def _taken(name: str) -> str:
    if name in EXPORTS:
        return exported(EXPORTS[name])
    scene, size = PICTURES[name]
    with tempfile.TemporaryDirectory() as home:
        return shoot(scene, size, Path(home))


if __name__ == "__main__":
    main(sys.argv[1:])
