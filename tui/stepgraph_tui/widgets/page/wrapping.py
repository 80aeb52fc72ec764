"""Lines as rows of a certain width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len, get_character_cell_size

from .lines import Line

NARROW = 48
"""Below this width lines are indented half as much."""
_GAP = 2  # cells between the left and the right part
_SHORT = 16  # cells; a longer right part gets a row of its own where there is no room beside the line
_LEAST = 14  # cells that a line needs beside its right part


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a page: a piece of a line."""

    line: int
    """The line's number."""
    start: int
    """Where in the line's left text the row begins."""
    end: int
    indent: int
    right: bool = False
    """Whether the line's right part stands in this row."""


def rows_of(line: Line, number: int, width: int) -> Iterator[Row]:
    """The rows that a line takes at a width, at least one."""
    indent, hang = line.indent, line.hang
    if width < NARROW:
        indent = (indent + 1) // 2
    indent, hang = min(indent, width // 2), min(hang, width * 2 // 5)
    left = line.left
    room = max(1, width - indent)
    right = 0 if line.right is None else cell_len(line.right[0]) + _GAP
    beside = not right or cell_len(left) + right <= room
    if not beside and right <= _SHORT and room - right >= _LEAST:
        room, beside = room - right, True
    start = 0
    for end in ends_of_rows(left, room, max(1, room - hang)):
        first = start == 0
        yield Row(number, start, end, indent if first else indent + hang, bool(right) and beside and first)
        start = end
    if not beside:
        yield Row(number, len(left), len(left), 0, right=True)


def ends_of_rows(text: str, first: int, others: int) -> Iterator[int]:
    """Where the rows of a text end: behind a space where there is one, else where the cells are used up.

    Args:
        text: One line.
        first: How many cells the first row has.
        others: How many the others have.
    """
    start, room = 0, first
    while True:
        end = _reach(text, start, room)
        if end >= len(text):
            yield len(text)
            return
        space = text.rfind(" ", start + 1, end + 1)
        start = space + 1 if text[start : max(start, space)].strip() else end
        yield start
        room = others


def _reach(text: str, start: int, room: int) -> int:
    """How far a row goes that begins at ``start``: at least one character."""
    if text.isascii():
        return start + room
    end = start
    for char in text[start:]:
        room -= get_character_cell_size(char)
        if room < 0:
            return max(end, start + 1)
        end += 1
    return end
