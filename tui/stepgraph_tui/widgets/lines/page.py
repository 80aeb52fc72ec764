"""A page of text: wrapped to the width, scrolled, searched and copied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from textual.scroll_view import ScrollView

from stepgraph.values import StepgraphError

from ...text.cells import cell_len, cut, ends_of_rows, padded, widest
from ...text.characters import is_plain, visible
from ...text.plain import visible_lines
from .list import LOOKS, LineView, Role, Search, TextLine
from .table import Table

Rows = list["ListEntry | tuple[str, Role]"]
"""Entries, and texts between them."""
_LEAST = 12  # cells of a title
_GAP = "  "


@dataclass(frozen=True, slots=True)
class ListEntry:
    """Something that can be chosen. Its texts need not be safe to show."""

    kind: str
    title: str
    detail: str = ""
    right: str = ""
    """What is at the right end."""
    path: Path | None = None
    run: str | None = None
    off: bool = False
    """Whether it is there only to be looked at, or to be taken off the list."""

    def with_right(self, text: str) -> ListEntry:
        """Return the same entry with another text at the right end."""
        return replace(self, right=text)

    def same_as(self, other: ListEntry) -> bool:
        """Whether both stand for the same thing, whatever its words."""
        return (self.kind, self.path, self.run) == (other.kind, other.path, other.run)

    def contains(self, text: str) -> bool:
        """Whether a text, in lower case, is to be seen in it or in its path."""
        return text in f"{self.title}\n{self.detail}\n{self.right}\n{self.path or ''}".lower()


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under a heading."""

    title: str
    entries: tuple[ListEntry, ...]
    remark: str = ""
    """The words below the entries, or in their place."""
    unsearched: str = ""
    """The words there instead while a filter shows some of them: what the filter does not look at."""


class EntryList(Table, can_focus=True, inherit_bindings=False):
    """Shows sections; exactly one entry has the cursor, as long as there is one at all."""

    LOOKS: ClassVar[Mapping[str, str]] = {"cursor": LOOKS["cursor-focused"]}

    def __init__(self) -> None:
        super().__init__()
        self._sections: tuple[Section, ...] = ()
        self._text = ""
        self._rows: Rows = []
        self._entries: list[ListEntry] = []
        self._widest = _LEAST

    @property
    def selected(self) -> ListEntry | None:
        """The entry with the cursor."""
        return self._entries[self.lines.at] if self._entries else None

    @property
    def sections(self) -> tuple[Section, ...]:
        """All sections, also what a filter hides."""
        return self._sections

    def show(self, *sections: Section, text: str = "") -> None:
        """Show sections, of them only what contains a text; the cursor stays on its entry.

        Where that entry is gone, the cursor stays as near as it can. What is shown already is not painted.
        """
        if (sections, text) == (self._sections, self._text):
            return
        rows = [row for section in sections for row in _rows_of(section, text.lower())]
        if text == self._text and self._show_ages(rows):
            self._sections = sections
            return
        self._text = text
        before, line = self.selected, self.lines.selected.start
        self._sections = sections
        self._rows = rows
        self._entries = [row for row in self._rows if isinstance(row, ListEntry)]
        if not self._entries and text:
            self._rows.insert(0, (f"  Nothing here contains {text!r}.", "dim"))
        self._widest = widest(entry.title for entry in self._entries) or _LEAST
        lines = [number for number, row in enumerate(self._rows) if isinstance(row, ListEntry)]
        self.lines.items = [range(number, number + 1) for number in lines]
        near = next((at for at, number in enumerate(lines) if number >= line), len(lines) - 1)
        self.lines.at = self._place_of(before, max(0, near))
        self.lines.arrange()

    def _show_ages(self, rows: Rows) -> bool:
        """Repaint the rows in which nothing but the right end has changed; False where more has."""
        if len(rows) != len(self._rows):
            return False
        changed = [number for number, row in enumerate(rows) if row != self._rows[number]]
        for number in changed:
            old, new = self._rows[number], rows[number]
            if isinstance(old, tuple) or isinstance(new, tuple) or old.with_right(new.right) != new:
                return False
        self._rows = rows
        self._entries = [row for row in rows if isinstance(row, ListEntry)]
        for number in changed:
            self.lines.repaint_line(number)
        return True

    def _place_of(self, entry: ListEntry | None, otherwise: int) -> int:
        same = (at for at, other in enumerate(self._entries) if entry is not None and entry.same_as(other))
        return next(same, otherwise)

    def move(self, by: float) -> None:
        """Move the cursor by ``by`` entries, as far as there are any; ``inf`` is the last one."""
        if self._entries:
            self.go_to_row(self.lines.at + by)

    def select(self, entry: ListEntry) -> None:
        """Move the cursor to an entry that stands for the same thing, if it is shown."""
        self.go_to_row(self._place_of(entry, self.lines.at))

    def keep_cursor(self) -> None:
        """Bring the entry with the cursor into view again."""
        self.go_to_row(self.lines.at)

    def go_to_row(self, number: float) -> None:
        """Move the cursor to an entry, the nearest there is."""
        self.lines.select(number, lead=1)  # so that a heading comes into view
        self.post_message(self.Moved())

    def fit(self, width: int, height: int) -> int:
        """Count the lines; each is cut at the width."""
        return len(self._rows)

    def line(self, number: int) -> TextLine:
        """Build a line of the list."""
        row = self._rows[number]
        if not isinstance(row, ListEntry):
            return TextLine([row])
        return TextLine(self._columns(row, number in self.lines.selected))

    def _columns(self, entry: ListEntry, has_cursor: bool) -> Iterator[tuple[str, Role]]:
        width = self.lines.width
        title: Role = "dim" if entry.off else "plain"
        column = max(_LEAST, min(self._widest, width // 3))  # one for all sections, so that the eye finds it
        right = f"{_GAP}{visible(entry.right)} " if entry.right else " "
        room = width - column - 2 * len(_GAP)
        if room - cell_len(right) < _LEAST:
            right = " "
        yield "▸ " if has_cursor else "  ", "plain"
        yield padded(entry.title, column), title
        yield _GAP, "plain"
        yield padded(entry.detail, max(0, room - cell_len(right))), "dim"
        yield right, title


def _rows_of(section: Section, text: str) -> Iterator[ListEntry | tuple[str, Role]]:
    """List the lines of a section, of its entries only those that contain a text."""
    entries = [entry for entry in section.entries if entry.contains(text)]
    remark = section.unsearched if text else section.remark
    if text and not entries and not remark:
        return
    yield f" {section.title}", "heading"
    yield from entries
    if remark:
        yield f"  {remark}", "dim"
    yield "", "dim"


LONG = 8_000
"""How many characters of one text a page shows."""
NARROW = 48
"""Below this width lines are indented half as much."""
_QUOTE = "│ "
_RIGHT_GAP = 2  # cells between the left and the right part
_SHORT = 16  # cells; a longer right part gets a row of its own where there is no room beside the line
_LEAST_ROOM = 14  # cells that a line needs beside its right part


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page. The page shows its texts made visible."""

    parts: tuple[tuple[str, Role], ...] = ()
    right: tuple[str, Role] | None = None
    """What is at the right end; below the line where there is no room for it."""
    indent: int = 0
    """Cells before the line; half of them on a narrow page."""
    hang: int = 0
    """More cells before the rows that the line is continued on."""
    block: int | None = None
    """The part of the page that the line belongs to, for a cursor that moves from part to part."""
    filled: bool = False
    """Whether a rule goes on to the right end."""
    quoted: bool = False
    """Whether a bar comes before each of its rows: somebody else wrote it, line breaks and all."""

    def masked(self, mask: Callable[[str], str]) -> Line:
        """Hide secrets in each of its texts."""
        right = self.right and (mask(self.right[0]), self.right[1])
        return replace(self, parts=tuple((mask(text), role) for text, role in self.parts), right=right)

    def made_visible(self) -> Line:
        """Write out what would not be seen in its texts; most lines are the same then."""
        right = self.right
        if all(is_plain(text) for text, _ in self.parts) and (right is None or is_plain(right[0])):
            return self
        parts = tuple((visible(text), role) for text, role in self.parts)
        return replace(self, parts=parts, right=right and (visible(right[0]), right[1]))

    @property
    def left(self) -> str:
        """The text without what is at the right end."""
        return "".join(text for text, _ in self.parts)

    @property
    def plain(self) -> str:
        """The whole line as text, as it is copied: without the bar of a quoted one."""
        right = f"  {self.right[0]}" if self.right is not None else ""
        return f"{' ' * self.indent}{self.left}{right}".rstrip()


def blank() -> Line:
    """Build an empty line."""
    return Line()


def heading(text: str) -> Line:
    """Build the heading of a section, drawn as a rule."""
    return Line((("─ ", "rule"), (text, "title")), hang=2, filled=True)


def paragraph(text: str, role: Role = "plain", indent: int = 0) -> Line:
    """Build a line of nothing but one text."""
    return Line(((text, role),), indent=indent)


def text_block(text: str, role: Role = "plain", indent: int = 0) -> Iterator[Line]:
    """Quote a text with its line breaks, made safe to show, and cut when it is too long.

    Secrets in it are masked already.
    """
    shown, cut = text[:LONG], len(text) > LONG
    for line in visible_lines(shown.rstrip("\n")):
        yield Line(((line, role),), indent=indent, quoted=True)
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
    """Whether the line's right part is in this row."""


def rows_of(line: Line, number: int, width: int) -> Iterator[PageRow]:
    """Break a line into the rows that it takes at a width, at least one."""
    indent, hang = line.indent, line.hang
    if width < NARROW:
        indent = (indent + 1) // 2
    indent, hang = min(indent, width // 2), min(hang, width * 2 // 5)
    left = line.left
    room = max(1, width - indent - (len(_QUOTE) if line.quoted else 0))
    right = 0 if line.right is None else cell_len(line.right[0]) + _RIGHT_GAP
    beside = not right or cell_len(left) + right <= room
    if not beside and right <= _SHORT and room - right >= _LEAST_ROOM:
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


def row_parts(line: Line, row: PageRow, width: int) -> Iterator[tuple[str, Role]]:
    """Cut a row out of its line: the parts from left to right, in at most ``width`` cells."""
    used = row.indent
    yield " " * row.indent, "plain"
    if line.quoted:
        yield _QUOTE, "rule"
        used += len(_QUOTE)
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


class TextPage:
    """Shows lines of text on a widget, rewrapped whenever its width changes.

    The first column belongs to the bar beside the block that is selected.

    Args:
        widget: What the page is on.
        selected: Tells the block that is selected, if any is.
    """

    CSS = """
    overflow-x: hidden;
    overflow-y: auto;
    scrollbar-gutter: stable;
    scrollbar-size-vertical: 1;
    """
    """The look of a widget with a page."""

    def __init__(self, widget: ScrollView, selected: Callable[[], int | None] = lambda: None) -> None:
        self._widget, self._selected = widget, selected
        self._lines: list[Line] = []
        self._rows: list[PageRow] = []
        self._wrapped = -1
        self.about: Hashable = None
        """What the page is about."""
        self.view = LineView(widget, self, looks={"found": "underline", "here": "reverse"})
        self.view.search = self.search = Search(self._texts, self._line_at_top, self._show_match)

    def show(self, page: Callable[[], Iterable[Line]], about: Hashable) -> None:
        """Show another page; one about something else is shown from its top.

        Args:
            page: Makes its lines. Where that raises a StepgraphError, the page says so.
            about: What it is about.
        """
        try:
            self._lines = [line.made_visible() for line in page()]
        except StepgraphError as error:
            self._lines = [paragraph(str(error), "bad").made_visible()]
        self._wrapped = -1
        self.search.renew()
        if about != self.about:
            self.about = about
            self._widget.scroll_to(0, 0, animate=False)
        self.view.arrange()

    def text(self) -> str:
        """Write the whole page, as it is without a width."""
        return "\n".join(self._texts())

    # Blocks

    def block_at(self, y: int) -> int | None:
        """Find the block that is painted in a row of the widget."""
        number = self.view.line_at(y)
        return self._lines[self._rows[number].line].block if number is not None else None

    def rows_of_block(self, block: int) -> range:
        """Find the rows of a block; none when the page has none of that number."""
        numbers = [number for number, row in enumerate(self._rows) if self._lines[row.line].block == block]
        return range(numbers[0], numbers[-1] + 1) if numbers else range(0)

    def step(self, block: int, by: int) -> int:
        """Move to the block after one or before it, once the one has been read to its end; else scroll.

        Returns:
            The block that is selected then.
        """
        rows, target = self.rows_of_block(block), self.rows_of_block(block + by)
        hidden = rows and (
            rows.stop > self.view.top + self.view.room if by > 0 else rows.start < self.view.top
        )
        if hidden or not target:
            self._widget.scroll_relative(y=by, animate=False)
            return block
        self.view.repaint()
        self.view.reveal(target.start, target.stop - 1)
        return block + by

    # Lines

    def fit(self, width: int, height: int) -> int:
        """Wrap the lines, unless they are wrapped to the width already."""
        if width != self._wrapped:
            self._wrapped = width
            lines = enumerate(self._lines)
            self._rows = [row for number, line in lines for row in rows_of(line, number, max(1, width - 1))]
        return len(self._rows)

    def line(self, number: int) -> TextLine:
        """Build a row of the page, after the bar."""
        row = self._rows[number]
        line = self._lines[row.line]
        barred = self._widget.has_focus and line.block is not None and line.block == self._selected()
        parts = row_parts(line, row, self._wrapped - 1)
        return TextLine([("┃", "bar") if barred else (" ", "plain"), *parts], row.line)

    # Searching

    def _texts(self) -> Iterable[str]:
        return (line.plain for line in self._lines)

    def _line_at_top(self) -> int:
        return self._rows[self.view.top].line if self.view.top < len(self._rows) else 0

    def _show_match(self, place: int | None) -> None:
        self.view.repaint()
        found = [number for number, row in enumerate(self._rows) if row.line == place]
        if found:
            self.view.reveal(found[0], found[-1])
