"""A line of a text with a caret under the place where it is wrong."""

from __future__ import annotations

import unicodedata

_WIDTH = 72  # cells: with what stands before it, it fits a terminal of 80


def pointed(text: str, offset: int, width: int = _WIDTH) -> str:
    """Show the line of a text that is wrong, and under it a caret at the place.

    Safe to print: of a long line only the surroundings are shown, and no character moves the cursor.

    Args:
        text: The whole text.
        offset: Where in it, in characters from 0.
        width: The cells that the line may have.
    """
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : len(text) if end < 0 else end].rstrip("\r")
    left = max(0, offset - start - width)  # of a very long line, what could be shown
    line, column = line[left : left + 2 * width], offset - start - left
    line = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in line)
    cells = [_cells(char) for char in line]
    first, last = 0, len(line)
    while sum(cells[first:last]) >= max(2, width):  # the caret may stand behind the last character
        if last - column > column - first:
            last -= 1
        else:
            first += 1
    return f"{line[first:last]}\n{' ' * sum(cells[first:column])}^"


def _cells(char: str) -> int:
    """Give the cells that a terminal draws a character in."""
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
