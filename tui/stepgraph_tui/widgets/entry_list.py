"""A list of entries under headings, with one cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.words.cells import padded
from stepgraph_tui.words.text import visible

from .lines import strip_of

_LEAST = 12  # cells of a title
_GAP = "  "


@dataclass(frozen=True, slots=True)
class Entry:
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

    def with_right(self, text: str) -> Entry:
        """The same entry with another text at the right end."""
        return replace(self, right=text)

    def same_as(self, other: Entry) -> bool:
        """Whether both stand for the same thing, whatever is said of it."""
        return (self.kind, self.path, self.run) == (other.kind, other.path, other.run)

    def contains(self, text: str) -> bool:
        """Whether a text, in lower case, is to be seen in it or in its path."""
        return text in f"{self.title}\n{self.detail}\n{self.right}\n{self.path or ''}".lower()


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under a heading."""

    title: str
    entries: tuple[Entry, ...]
    remark: str = ""
    """What is said below the entries, or in their place."""


class EntryList(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows sections; exactly one entry has the cursor, as long as there is one at all."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "entries--heading", "entries--quiet", "entries--cursor", "entries--title", "entries--right",
    }  # fmt: skip
    DEFAULT_CSS = """
    EntryList {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & .entries--heading { color: $text-accent; text-style: bold; }
        & .entries--title { text-style: bold; }
        & .entries--quiet { color: $text-muted; }
        & .entries--right { color: $text-muted; }
        & .entries--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    """

    class Moved(Message):
        """The cursor stands on another entry, or on none."""

    class Opened(Message):
        """An entry was clicked twice."""

    def __init__(self) -> None:
        super().__init__()
        self._sections: tuple[Section, ...] = ()
        self._filter = ""
        self._lines: list[Entry | tuple[str, str]] = []  # an entry, or another line: its style and text
        self._cursor: int | None = None
        self._widest = _LEAST

    @property
    def selected(self) -> Entry | None:
        """The entry with the cursor."""
        line = self._lines[self._cursor] if self._cursor is not None else None
        return line if isinstance(line, Entry) else None

    @property
    def sections(self) -> tuple[Section, ...]:
        """All sections, also what a filter hides."""
        return self._sections

    def show(self, *sections: Section, text: str = "") -> None:
        """Show sections, of them only what contains a text; the cursor stays on its entry.

        Where that entry is gone, the cursor stays as near as it can.
        """
        before = self.selected
        self._sections, self._filter = sections, text.lower()
        self._lines = [line for section in sections for line in self._arranged(section)]
        if not self._lines and text:
            self._lines = [("quiet", f"  Nothing here contains {visible(text)!r}.")]
        titles = (visible(line.title) for line in self._lines if isinstance(line, Entry))
        self._widest = max(map(cell_len, titles), default=_LEAST)
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._keep_cursor(before)
        self.refresh()

    def _arranged(self, section: Section) -> list[Entry | tuple[str, str]]:
        entries = [entry for entry in section.entries if entry.contains(self._filter)]
        if self._filter and not entries:
            return []
        lines: list[Entry | tuple[str, str]] = [("heading", f" {section.title}"), *entries]
        if section.remark and not self._filter:
            lines.append(("quiet", f"  {section.remark}"))
        return [*lines, ("quiet", "")]

    def _keep_cursor(self, before: Entry | None) -> None:
        places = self._places
        same = [at for at in places if before is not None and before.same_as(self._entry(at))]
        near = [at for at in places if at >= (self._cursor or 0)] or places[-1:]
        self._move_to(next(iter(same or near), None))

    @property
    def _places(self) -> list[int]:
        return [at for at, line in enumerate(self._lines) if isinstance(line, Entry)]

    def _entry(self, at: int) -> Entry:
        entry = self._lines[at]
        assert isinstance(entry, Entry)  # noqa: S101  # places are those of entries
        return entry

    def _move_to(self, at: int | None) -> None:
        moved = at != self._cursor
        self._cursor = at
        if at is not None:
            top = 0 if at == self._places[0] and at < self.size.height else at - 1  # headings come into view
            self.scroll_to_region(Region(0, top, 1, at - top + 1), animate=False)
        if moved:
            self.refresh()
        self.post_message(self.Moved())

    def move(self, by: float) -> None:
        """Move the cursor by so many entries, as far as there are any; ``inf`` is the last one."""
        places = self._places
        if self._cursor is not None:
            at = places.index(self._cursor) + by
            self._move_to(places[int(max(0, min(at, len(places) - 1)))])

    def select(self, entry: Entry) -> None:
        """Move the cursor to an entry that stands for the same thing, if it is shown."""
        self._keep_cursor(entry)

    def on_resize(self) -> None:
        """There is more or less room."""
        self.virtual_size = Size(self.size.width, len(self._lines))
        if self._cursor is not None:
            self._move_to(self._cursor)

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked; open what is clicked twice."""
        at = round(self.scroll_offset.y) + event.y
        if at in self._places:
            self._move_to(at)
            if event.chain == 2:
                self.post_message(self.Opened())

    def render_line(self, y: int) -> Strip:
        """A line of the list."""
        at = round(self.scroll_offset.y) + y
        width = self.scrollable_content_region.width
        if at >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[at]
        if not isinstance(line, Entry):
            style = self.get_component_rich_style(f"entries--{line[0]}")
            return strip_of([(line[1], style)], width, self.rich_style)
        return self._entry_strip(line, at == self._cursor, width)

    def _entry_strip(self, entry: Entry, has_cursor: bool, width: int) -> Strip:
        base = self.get_component_rich_style("entries--cursor") if has_cursor else self.rich_style
        quiet = base if has_cursor else self.get_component_rich_style("entries--quiet")
        title = quiet if entry.off else base
        column = max(_LEAST, min(self._widest, width // 3))  # one for all sections, so that the eye finds it
        right = f"{_GAP}{visible(entry.right)} " if entry.right else " "
        room = width - column - 2 * len(_GAP)
        if room - cell_len(right) < _LEAST:
            right = " "
        parts = [
            ("▸ " if has_cursor else "  ", base),
            (padded(visible(entry.title), column), title),
            (_GAP, base),
            (padded(visible(entry.detail), max(0, room - cell_len(right))), quiet),
            (right, title),
        ]
        return strip_of(parts, width, base)
