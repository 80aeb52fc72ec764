"""Rows that fold, with a cursor, between a head and a foot that stay; only what is seen is painted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.widgets.lines import Part, marked, strip_of, wrapped
from stepgraph_tui.widgets.pane import Pane

from .painting import Look, pieces
from .row import Row
from .searching import Search

_ROOMY, _TINY = 10, 6  # lines from which the foot has two lines and a blank one, and one at all
_MOST = 5  # lines of the foot where the rows leave room for them


class StateSheet(Pane, ScrollView, inherit_bindings=False):
    """What the state pane shows, and where its cursor is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"state--{part}" for part in ("name", "dim", "added", "changed", "removed", "head", "cursor", "found")
    }
    DEFAULT_CSS = """
    StateSheet {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .state--name { color: $text-primary; }
        & > .state--dim { color: $text-muted; }
        & > .state--added { color: $text-success; text-style: bold; }
        & > .state--changed { color: $text-warning; text-style: bold; }
        & > .state--removed { color: $text-error; text-style: bold; }
        & > .state--head { text-style: bold; }
        & > .state--cursor { background: $block-cursor-blurred-background; color: $foreground; }
        & > .state--found { text-style: bold underline; color: $text-warning; }
        &:focus > .state--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._rows: list[Row] = []
        self._at = 0  # the row with the cursor
        self._search: Search | None = None
        self._strips: dict[int, Strip] = {}
        self._said: list[str] | None = None  # the foot, once it was asked for

    # What a subclass says

    signed = False
    """Whether there is a column for the signs of changes."""

    def head(self) -> tuple[str, str]:
        """The first line: what is shown, and a name in it that stands out."""
        raise NotImplementedError

    def foot(self) -> list[str]:
        """What there is to say of the selected row, each sentence by itself."""
        raise NotImplementedError

    # Rows and the cursor

    @property
    def row(self) -> Row | None:
        """The row with the cursor."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    @property
    def at_top(self) -> bool:
        """Whether the cursor is on the first row where it can be."""
        return not any(row.selectable for row in self._rows[: self._at])

    def set_rows(self, rows: Iterable[Row], *, keep: bool = True) -> None:
        """Show other rows.

        Args:
            rows: The rows.
            keep: Whether the cursor stays with its value, or goes to the first one.
        """
        old, at = self.row, self._at
        self._rows = list(rows)
        self._at = self._place_of(old, at) if keep and old is not None else 0
        self.repaint()
        self._resize()
        self.move_to(self._at)

    def _place_of(self, old: Row, at: int) -> int:
        """Where a row is now: the nearest that it was in, else the first that was in it, else its line."""
        places = {row.place: index for index, row in enumerate(self._rows)}
        if old.place in places:
            return places[old.place]
        if old.kind == "value":
            for length in range(len(old.path) - 1, 0, -1):
                if ("value", old.path[:length], 0) in places:
                    return places["value", old.path[:length], 0]
            inside = (i for i, row in enumerate(self._rows) if row.path[: len(old.path)] == old.path)
            return next(inside, at)
        return at

    def move_to(self, index: int, by: int = 1) -> None:
        """Put the cursor on a row, or on the next one in a direction where it can be."""
        for step in (by, -by):
            found = max(0, min(index, len(self._rows) - 1))
            while 0 <= found < len(self._rows) and not self._rows[found].selectable:
                found += step
            if 0 <= found < len(self._rows):
                self._at = found
                break
        self._said = None
        self._follow()
        self.refresh()

    def _follow(self) -> None:
        """Scroll as little as it takes to see the cursor; at the top, all the way."""
        top = self._at if not self.at_top else 0
        y = min(top, max(self.scroll_offset.y, self._at - self.room + 1))
        self.scroll_to(y=y, animate=False, force=True)

    # Layout

    @property
    def room(self) -> int:
        """How many rows are seen at once."""
        return max(1, self.size.height - self._above - self._below)

    @property
    def _above(self) -> int:
        """How many lines the head takes."""
        return 2 if self.size.height >= _ROOMY else int(self.size.height >= 3)

    @property
    def _below(self) -> int:
        """How many lines the foot takes."""
        height = self.size.height
        if height < _ROOMY:
            return int(height >= _TINY)
        return max(3, min(_MOST, height - self._above - len(self._rows)))

    @property
    def width(self) -> int:
        """How many cells a line has."""
        return self.scrollable_content_region.width

    def _resize(self) -> None:
        self.virtual_size = Size(self.width, self._above + len(self._rows) + self._below)

    def on_resize(self) -> None:
        """There is more or less room."""
        self.repaint()
        self._resize()
        self._follow()

    def repaint(self) -> None:
        """Paint everything anew."""
        self._strips.clear()
        self._said = None
        self.refresh()

    def notify_style_update(self) -> None:
        """The theme has changed, or the focus."""
        self._strips.clear()
        super().notify_style_update()

    def row_at(self, y: int) -> int | None:
        """The number of the row that is in a line of the pane."""
        index = y - self._above + self.scroll_offset.y
        inside = self._above <= y < self.size.height - self._below
        return index if inside and index < len(self._rows) else None

    # Painting

    def render_line(self, y: int) -> Strip:
        """A line of the pane."""
        if y < self._above:
            return self._head_line() if y == 0 else Strip.blank(self.width, self.rich_style)
        foot = min(self._above + len(self._rows), self.size.height - self._below)
        if y >= foot:
            return self._foot_line(y - foot)
        index = y - self._above + self.scroll_offset.y
        if index >= len(self._rows):
            return Strip.blank(self.width, self.rich_style)
        if index == self._at:
            return self._painted(index)
        if index not in self._strips:
            self._strips[index] = self._painted(index)
        return self._strips[index]

    def _head_line(self) -> Strip:
        said, name = self.head()
        parts = [(f" {said}  ", self._style("dim")), (name, self.get_component_rich_style("state--head"))]
        return strip_of(parts, self.width, self.rich_style)

    def _foot_line(self, number: int) -> Strip:
        if self._said is None:
            self._said = self._foot_lines()
        said = self._said[number] if number < len(self._said) else ""
        return strip_of([(f"   {said}", self._style("dim"))], self.width, self.rich_style)

    def _foot_lines(self) -> list[str]:
        """The foot as wide as the pane, with a line that keeps it apart from the rows if there is room."""
        lines = [""] * (self._below > 1)
        for sentence in self.foot():
            room = self._below - len(lines)
            said = wrapped(sentence, self.width - 4)
            if len(said) > room > 0:
                said[room - 1] += " …"
            lines += said[:room]
        return lines

    def _painted(self, index: int) -> Strip:
        row = self._rows[index]
        rest = self.rich_style
        parts: list[Part] = [(text, self._style(look)) for text, look in pieces(row, self.width, self.signed)]
        if index == self._at and row.selectable:
            rest = self.get_component_rich_style("state--cursor")
            parts = [(text, rest) for text, _ in parts]
        if self._search is not None and row.kind == "value":
            found = self.get_component_rich_style("state--found", partial=True)
            parts = list(marked(parts, self._search.pattern, found))
        return strip_of(parts, self.width, rest)

    def _style(self, look: Look) -> Style:
        return self.get_component_rich_style(f"state--{look}") if look else self.rich_style
