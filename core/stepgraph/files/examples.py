"""Where the example graphs are."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def examples_dir() -> Path:
    """Find the folder of the shipped graphs: inside the installed package, else in the source checkout."""
    installed = _PACKAGE / "examples"
    if installed.is_dir():
        return installed
    return _PACKAGE.parent.parent / "graphs"
