"""A pane that shows a page of text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import ClassVar

from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.lines import Part, marked, strip_of
from stepgraph_tui.widgets.matches import Matches
from stepgraph_tui.widgets.pane import Pane
from stepgraph_tui.words.text import visible

from .lines import Line, Role, paragraph
from .painting import row_parts
from .wrapping import Row, rows_of

NOWHERE = (-1, -1)
"""The rows of a block that the page does not have."""


class PagePane(Pane, ScrollView, can_focus=True, inherit_bindings=False):
    """Shows the lines that ``page`` makes; a subclass says which.

    The page is made anew when the moment changes and wrapped anew when the width does; its rows are painted
    as they come into view. The first column belongs to the bar beside the block that is selected.
    """

    DEFAULT_CSS = """
    PagePane {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .page--title { text-style: bold; }
        & > .page--name { text-style: bold; color: $text-primary; }
        & > .page--dim { color: $text-muted; }
        & > .page--value { color: $text-accent; }
        & > .page--good { color: $text-success; text-style: bold; }
        & > .page--bad { color: $text-error; text-style: bold; }
        & > .page--warn { color: $text-warning; text-style: bold; }
        & > .page--rule { color: $text-muted; }
        & > .page--bar { color: $primary; text-style: bold; }
        & > .page--match { text-style: underline; }
        & > .page--here { text-style: reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"page--{part}"
        for part in ("title", "name", "dim", "value", "good", "bad", "warn", "rule", "bar", "match", "here")
    }

    class Told(Message):
        """A word for the person, about what a key could not do."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    _lines: list[Line]
    _rows: list[Row]
    _matches: Matches | None = None
    _wrapped = 0
    _about: Hashable = None

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines, self._rows = [], []
        self._strips: dict[tuple[int, bool], Strip] = {}

    def page(self) -> Iterable[Line]:
        """What there is to show.

        Raises:
            StepgraphError: The store cannot be read; the page says so.
        """
        raise NotImplementedError

    def subject(self) -> Hashable:
        """What the page is about: one about something else is shown from its top."""
        return None

    def selected_block(self) -> int | None:
        """The block that the cursor is at."""
        return None

    def show(self, moment: RunSnapshot | None) -> None:
        """Make the page anew."""
        try:
            self._lines = list(self.page())
        except StepgraphError as error:
            self._lines = [paragraph(visible(str(error)), "bad")]
        if self._matches is not None:
            self._matches = self._search(self._matches.text)
        about = self.subject()
        if about != self._about:
            self._about = about
            self.begin()
            self.scroll_to(0, 0, animate=False)
        self._wrap()

    def begin(self) -> None:
        """A page about something else is shown."""

    def make_anew(self) -> None:
        """Show what else has changed than the moment, now or as soon as the pane is seen."""
        self._shown = "something else"
        self.watch_moment()

    def on_resize(self) -> None:
        """Wrap the page anew when it has become wider or narrower."""
        if self._width() != self._wrapped:
            self._wrap()

    def notify_style_update(self) -> None:
        """Paint all rows anew: the theme has changed."""
        self._strips.clear()
        super().notify_style_update()

    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _wrap(self) -> None:
        self._wrapped = self._width()
        inner = max(1, self._wrapped - 1)
        self._rows = [row for number, line in enumerate(self._lines) for row in rows_of(line, number, inner)]
        self._repaint()
        self.virtual_size = Size(self._wrapped, len(self._rows))

    def _repaint(self) -> None:
        self._strips.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Paint a row, or take it as it was painted before."""
        number = y + self.scroll_offset.y
        if number >= len(self._rows):
            return Strip.blank(self._width(), self.rich_style)
        block = self._lines[self._rows[number].line].block
        barred = self.has_focus and block is not None and block == self.selected_block()
        strip = self._strips.get((number, barred))
        if strip is None:
            strip = self._strips[number, barred] = self._painted(self._rows[number], barred)
        return strip

    def _painted(self, row: Row, barred: bool) -> Strip:
        width = self._width()
        bar = ("┃", self.get_component_rich_style("page--bar")) if barred else (" ", self.rich_style)
        parts: list[Part] = [bar, *row_parts(self._lines[row.line], row, width - 1, self._style)]
        if self._matches is not None:
            here = "here" if row.line == self._matches.place else "match"
            mark = self.get_component_rich_style(f"page--{here}", partial=True)
            parts = list(marked(parts, self._matches.pattern, mark))
        return strip_of(parts, width, self.rich_style)

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self.get_component_rich_style(f"page--{role}")

    def rows_of_block(self, block: int) -> tuple[int, int]:
        """The first and the last row of a block; ``NOWHERE`` when the page has none of that number."""
        numbers = [number for number, row in enumerate(self._rows) if self._lines[row.line].block == block]
        return (numbers[0], numbers[-1]) if numbers else NOWHERE

    def seen_rows(self) -> tuple[int, int]:
        """The first row that is seen, and the first below it that is not."""
        top = self.scroll_offset.y
        return top, top + max(1, self.scrollable_content_region.height)

    def line_at(self, y: int) -> Line | None:
        """The line under a row of the widget."""
        number = y + self.scroll_offset.y
        return self._lines[self._rows[number].line] if 0 <= number < len(self._rows) else None

    def copied(self) -> str | None:
        """The whole page as text."""
        return "\n".join(line.plain for line in self._lines)

    def find(self, text: str) -> str:
        """Go to the first match at or below the top of what is seen."""
        self._matches = self._search(text) if text else None
        return self._go_to_match()

    def find_next(self, by: int) -> str:
        """Go to the next match (1) or the one before (-1)."""
        if self._matches is not None:
            self._matches.turn(by)
        return self._go_to_match()

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._matches = None
        self._repaint()

    def _search(self, text: str) -> Matches:
        top = self.scroll_offset.y
        near = self._rows[top].line if top < len(self._rows) else 0
        return Matches(text, (line.plain for line in self._lines), near)

    def _go_to_match(self) -> str:
        self._repaint()
        if self._matches is None:
            return ""
        found = [number for number, row in enumerate(self._rows) if row.line == self._matches.place]
        if found:
            self.show_rows(found[0], found[-1])
        return str(self._matches)

    def show_rows(self, first: int, last: int) -> None:
        """Scroll as little as shows these rows; the first of them when they are too many."""
        top, below = self.seen_rows()
        y = first if first < top else max(top, min(first, last - (below - top) + 1))
        if y != top:
            self.scroll_to(y=y, animate=False)

    def back(self) -> bool:
        """Leave the search."""
        searched = self._matches is not None
        self.end_find()
        return searched

    def action_page_down(self) -> None:
        """Scroll a page down."""
        self.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scroll a page up."""
        self.scroll_page_up(animate=False)
