"""A list of entries under headings, with one cursor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from textual import events
from textual.message import Message

from stepgraph_tui.text.cells import cell_len, padded
from stepgraph_tui.text.plain import visible

from .list import LineList, Role, TextLine, Way

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
    """What stands at the right end."""
    path: Path | None = None
    run: str | None = None
    off: bool = False
    """Whether it is there only to be looked at, or to be taken off the list."""

    def with_right(self, text: str) -> ListEntry:
        """Make the same entry with another text at the right end."""
        return replace(self, right=text)

    def same_as(self, other: ListEntry) -> bool:
        """Whether both stand for the same thing, whatever is said of it."""
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
    """What is said below the entries, or in their place."""
    unsearched: str = ""
    """What is said there instead while a filter shows some of them: what the filter does not look at."""


class EntryList(LineList, can_focus=True, inherit_bindings=False):
    """Shows sections; exactly one entry has the cursor, as long as there is one at all."""

    DEFAULT_CSS = """
    EntryList > .line--cursor {
        background: $block-cursor-background;
        color: $block-cursor-foreground;
        text-style: $block-cursor-text-style;
    }
    """

    class Moved(Message):
        """The cursor stands on another entry, or on none."""

    class Opened(Message):
        """An entry was clicked twice."""

    def __init__(self) -> None:
        super().__init__(self, keep=lambda: self._go_to(self.lines.at))
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
            self._rows.insert(0, (f"  Nothing here contains {visible(text)!r}.", "dim"))
        self._widest = max((cell_len(visible(entry.title)) for entry in self._entries), default=_LEAST)
        lines = [number for number, row in enumerate(self._rows) if isinstance(row, ListEntry)]
        self.lines.items = [range(number, number + 1) for number in lines]
        near = next((at for at, number in enumerate(lines) if number >= line), len(lines) - 1)
        self.lines.at = self._place_of(before, max(0, near))
        self.lines.arrange()

    def _show_ages(self, rows: Rows) -> bool:
        """Paint the rows anew in which nothing but the right end has changed; False where more has."""
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
        """Move the cursor by so many entries, as far as there are any; ``inf`` is the last one."""
        if self._entries:
            self._go_to(self.lines.at + by)

    def to(self, way: Way) -> None:
        """Move the cursor as a key says."""
        if self._entries:
            self._go_to(self.lines.place(way))

    def select(self, entry: ListEntry) -> None:
        """Move the cursor to an entry that stands for the same thing, if it is shown."""
        self._go_to(self._place_of(entry, self.lines.at))

    def _go_to(self, place: float) -> None:
        self.lines.select(place, lead=1)  # so that a heading comes into view
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked; open what is clicked twice."""
        place = self.lines.item_at(event.y)
        if place is not None:
            self._go_to(place)
            if event.chain == 2:
                self.post_message(self.Opened())

    def fit(self, width: int, height: int) -> int:
        """Count the lines; each is cut at the width."""
        return len(self._rows)

    def line(self, number: int) -> TextLine:
        """Make a line of the list."""
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
        yield padded(visible(entry.title), column), title
        yield _GAP, "plain"
        yield padded(visible(entry.detail), max(0, room - cell_len(right))), "dim"
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
