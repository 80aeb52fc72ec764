"""Paths as people write and read them."""

from __future__ import annotations

import os
from pathlib import Path


def written_path(text: str) -> Path:
    """Read the path that somebody wrote, perhaps with a tilde."""
    return Path(os.path.expanduser(text))  # noqa: PTH111  # Path.expanduser raises for ~nobody


def people_path(path: Path) -> str:
    """Write a path as people do: ``~/graphs``."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # it is not below the home folder, or there is none
        return str(path)
