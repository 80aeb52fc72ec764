"""The lines that a page is made of, and the rows that they take at a width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stepgraph_tui.text.cells import cell_len, cut, reach
from stepgraph_tui.text.plain import visible_lines

from .list import Role

LONG = 8_000
"""How many characters of one text a page shows."""
NARROW = 48
"""Below this width lines are indented half as much."""
_GAP = 2  # cells between the left and the right part
_SHORT = 16  # cells; a longer right part gets a row of its own where there is no room beside the line
_LEAST = 14  # cells that a line needs beside its right part


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, in parts of safe text."""

    parts: tuple[tuple[str, Role], ...] = ()
    right: tuple[str, Role] | None = None
    """What stands at the right end; below the line where there is no room for it."""
    indent: int = 0
    """Cells before the line; half of them on a narrow page."""
    hang: int = 0
    """More cells before the rows that the line is continued on."""
    block: int | None = None
    """The part of the page that the line belongs to, for a cursor that moves from part to part."""
    filled: bool = False
    """Whether a rule goes on to the right end."""

    @property
    def left(self) -> str:
        """The text without what stands at the right end."""
        return "".join(text for text, _ in self.parts)

    @property
    def plain(self) -> str:
        """The whole line as text."""
        right = f"  {self.right[0]}" if self.right is not None else ""
        return f"{' ' * self.indent}{self.left}{right}".rstrip()


def blank() -> Line:
    """Make an empty line."""
    return Line()


def heading(text: str) -> Line:
    """Make the heading of a section, drawn as a rule."""
    return Line((("─ ", "rule"), (text, "title")), hang=2, filled=True)


def paragraph(text: str, role: Role = "plain", indent: int = 0) -> Line:
    """Make a line of nothing but one text."""
    return Line(((text, role),), indent=indent)


def text_block(text: str, role: Role = "plain", indent: int = 0) -> Iterator[Line]:
    """Show a text with its line breaks, made safe to show, and cut when it is too long.

    Secrets in it are masked already.
    """
    shown, cut = text[:LONG], len(text) > LONG
    for line in visible_lines(shown.rstrip("\n")):
        yield paragraph(line, role, indent)
    if cut:
        yield paragraph(f"… {len(text):,} characters in all", "dim", indent)


@dataclass(frozen=True, slots=True)
class PageRow:
    """A row of a page: a piece of a line."""

    line: int
    """The line's number."""
    start: int
    """Where in the line's left text the row begins."""
    end: int
    indent: int
    right: bool = False
    """Whether the line's right part stands in this row."""


def rows_of(line: Line, number: int, width: int) -> Iterator[PageRow]:
    """Break a line into the rows that it takes at a width, at least one."""
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
        yield PageRow(
            number, start, end, indent if first else indent + hang, bool(right) and beside and first
        )
        start = end
    if not beside:
        yield PageRow(number, len(left), len(left), 0, right=True)


def ends_of_rows(text: str, first: int, others: int) -> Iterator[int]:
    """Find where the rows of a text end: behind a space where there is one, else where the cells do.

    Args:
        text: One line.
        first: How many cells the first row has.
        others: How many the others have.
    """
    start, room = 0, first
    while True:
        end = reach(text, start, room)
        if end >= len(text):
            yield len(text)
            return
        space = text.rfind(" ", start + 1, end + 1)
        start = space + 1 if text[start : max(start, space)].strip() else end
        yield start
        room = others


def row_parts(line: Line, row: PageRow, width: int) -> Iterator[tuple[str, Role]]:
    """Cut a row out of its line: the parts from left to right, in at most ``width`` cells."""
    used = row.indent
    yield " " * row.indent, "plain"
    at, end = 0, row.start + len(line.left[row.start : row.end].rstrip())
    for text, role in line.parts:
        part = text[max(0, row.start - at) : max(0, end - at)]
        at += len(text)
        used += cell_len(part)
        if part:
            yield part, role
    if line.filled and row.end == len(line.left):
        yield f" {'─' * max(0, width - used - 1)}", "rule"
    if row.right and line.right is not None:
        text, role = line.right
        shown = cut(text, width - used)
        yield " " * max(0, width - used - cell_len(shown)), "plain"
        yield shown, role
