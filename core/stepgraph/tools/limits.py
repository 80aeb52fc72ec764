"""How much a tool outside of this process may answer."""

from __future__ import annotations

MAX_ANSWER = 10_000_000
"""The most bytes of one answer."""


def size_text(size: int) -> str:
    """Write a number of bytes in a few characters: ``10 MB``."""
    for unit, name in ((1_000_000, "MB"), (1_000, "KB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"
