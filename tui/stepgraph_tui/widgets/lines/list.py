"""What is shown line by line: which lines are in view, where the cursor is, how they are painted."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, Protocol

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.values import StoreUnreachable

from ...text.cells import wrapped
from ...text.characters import visible
from ..part_styles import MUTED, PartStyles


class Search:
    """Finds a text, whatever its case, and remembers which match is looked at.

    Args:
        texts: Makes what is searched, each text by its place; asked again for each search.
        here: Tells the place from which on the first match is looked for.
        go: Shows the place of a match; None where there is none, or none is to be marked any more.
    """

    def __init__(
        self, texts: Callable[[], Iterable[str]], here: Callable[[], int], go: Callable[[int | None], None]
    ) -> None:
        self._texts, self._here, self._go = texts, here, go
        self._text = ""
        self._at = 0
        self._places: list[int] = []
        self.pattern: re.Pattern[str] | None = None
        """One group that matches the text, for ``highlight_matches``; None while nothing is searched."""
        self.partly = False
        """Whether ``texts`` has left something out because it is too much."""

    @property
    def place(self) -> int | None:
        """Where the match is that is looked at; None when there is none."""
        return self._places[self._at] if self._places else None

    def __contains__(self, place: int) -> bool:
        at = bisect_left(self._places, place)
        return at < len(self._places) and self._places[at] == place

    def __str__(self) -> str:
        if self.pattern is None:
            return ""
        found = f"{self._at + 1} of {len(self._places)}" if self._places else "not found"
        return f"{found}, not all was searched" if self.partly else found

    def find(self, text: str) -> str:
        """Move to the first match of a text from here on; an empty one ends the search.

        Returns:
            Which match of how many it is, in words: ``2 of 7``, ``not found``.
        """
        if not text:
            self.end()
            return ""
        self._text = text
        self.pattern = re.compile(f"({re.escape(text)})", re.IGNORECASE)
        self.renew()
        return self.next(0)

    def renew(self, near: int | None = None) -> None:
        """Look for the same text in what there is now, if one is looked for; nothing is gone to.

        Args:
            near: The place from which on a match is looked at, if it is not ``here``.
        """
        if self.pattern is not None:
            search = self.pattern.search
            self._places = [place for place, text in enumerate(self._texts()) if search(text)]
            at = bisect_left(self._places, self._here() if near is None else near)
            self._at = at % max(1, len(self._places))

    def next(self, by: int) -> str:
        """Move ``by`` matches on; after the last comes the first."""
        if self.pattern is not None:
            self._at = (self._at + by) % max(1, len(self._places))
            self._go(self.place)
        return str(self)

    def end(self) -> bool:
        """Look for nothing any more.

        Returns:
            Whether anything was looked for.
        """
        searched = self.pattern is not None
        self.forget()
        self._go(None)
        return searched

    def forget(self) -> None:
        """Look for nothing any more, without a word to anybody."""
        self.pattern, self._places, self.partly = None, [], False


Part = tuple[str, Style]
"""A text and how it looks."""


def strip_of(parts: Iterable[Part], width: int, rest: Style) -> Strip:
    """Return visible text of exactly ``width`` cells: cut with an ellipsis, or filled with ``rest``."""
    strip = Strip([Segment(visible(text), style) for text, style in parts])
    if strip.cell_length > width > 0:
        strip = Strip([*strip.crop(0, width - 1), Segment("…", rest)], width)
    return strip.adjust_cell_length(width, rest)


def highlight_matches(parts: Sequence[Part], pattern: re.Pattern[str], mark: Style) -> Iterator[Part]:
    """Set apart in the parts all that matches. The pattern is one group."""
    for text, style in parts:
        for number, piece in enumerate(pattern.split(text)):
            if piece:
                yield piece, style + mark if number % 2 else style


Role = Literal[
    "plain", "title", "heading", "key", "name", "dim", "value", "good", "bad", "warn", "rule", "bar", "gone"
]
"""What a part of a line is."""
Span = tuple[str, Role]
"""A text and what it is."""

LOOKS: Mapping[str, str] = {
    "title": "bold",
    "heading": "bold $text-accent",
    "key": "$text-primary",
    "name": "bold $text-primary",
    "dim": MUTED,
    "rule": MUTED,
    "value": "$text-accent",
    "good": "bold $text-success",
    "bad": "bold $text-error",
    "warn": "bold $text-warning",
    "gone": f"strike {MUTED}",
    "bar": "bold $primary",
    "found": "bold underline",
    "here": "bold underline",
    "cursor": "$foreground on $block-cursor-blurred-background",
    "cursor-focused": "$block-cursor-text-style $block-cursor-foreground on $block-cursor-background",
}
"""What the parts of lines look like: their roles, the cursor, and what a search has found."""
FOUND: Mapping[str, str] = dict.fromkeys(("found", "here"), "bold underline $text-warning")
"""What a search has found, where that should strike the eye."""


Way = Literal["next", "previous", "page_down", "page_up", "half_down", "half_up", "first", "last"]
"""Where a key of a list goes."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line to be painted."""

    parts: Iterable[Span] = ()
    """From left to right."""
    place: int | None = None
    """What a search knows the line by; None for one that has nothing to be found."""
    whole: bool = False
    """Whether all of a line is marked when it matches by what it does not show."""


class LineSource(Protocol):
    """Makes the lines that a ``LineView`` shows."""

    def fit(self, width: int, height: int) -> int:
        """Arrange the lines for a widget of ``width`` cells and ``height`` rows, and count them."""

    def line(self, number: int) -> TextLine:
        """Build a line."""


Margins = tuple[Sequence[TextLine], Sequence[TextLine]]
"""Lines that stay above the others, and lines that stay below them."""


class LineView:
    """Paints lines on a widget that scrolls; each is made when it comes into view.

    The widget hands it what happens: ``render_line``, ``on_resize`` and ``notify_style_update``.

    Args:
        widget: What is painted on.
        source: Makes the lines.
        empty: The words where there is none.
        margins: Makes the lines that stay in view; asked again when the cursor moves.
        keep: Brings into view again what must be seen, after lines were arranged.
        looks: What looks otherwise here than in ``LOOKS``.
    """

    def __init__(
        self,
        widget: ScrollView,
        source: LineSource,
        *,
        empty: str = "",
        margins: Callable[[], Margins] = lambda: ((), ()),
        keep: Callable[[], None] = lambda: None,
        looks: Mapping[str, str] = {},
    ) -> None:
        self._widget, self._source = widget, source
        self._empty, self._make_margins, self._keep = empty, margins, keep
        self._styles = PartStyles(widget, {**LOOKS, **looks}, over=("found", "here"))
        self._strips: dict[int, Strip] = {}
        self._made_margins: Margins | None = None
        self._focused = False  # whether the strips were painted so
        self._painted_width = 0  # the width that they have; a scrollbar comes without a resize
        self.count = 0
        """How many lines there are."""
        self.items: Sequence[range] = ()
        """The lines of each thing that the cursor can be on, from top to bottom."""
        self.at = 0
        """Which of the items the cursor is on."""
        self.cursor = range(0)
        """The lines that are painted as the cursor."""
        self.search: Search | None = None
        """The search whose matches are marked."""

    # What there is to see

    @property
    def width(self) -> int:
        """How many cells a line has."""
        return self._widget.scrollable_content_region.width

    @property
    def room(self) -> int:
        """How many lines are seen at once."""
        head, foot = self._margins
        return max(1, self._widget.size.height - len(head) - len(foot))

    @property
    def top(self) -> int:
        """The first line that is seen."""
        return self._widget.scroll_offset.y

    @property
    def _margins(self) -> Margins:
        if self._made_margins is None:
            self._made_margins = self._make_margins()
        return self._made_margins

    def arrange(self) -> None:
        """Replace the lines, or the same ones for another size."""
        self.count = self._source.fit(self.width, self._widget.size.height)
        self.repaint()
        head, foot = self._margins
        self._take_size(Size(self.width, len(head) + self.count + len(foot)))
        self._keep()

    def _take_size(self, size: Size) -> None:
        """Scroll through this many lines; the screen is not laid out again for a list that only grows."""
        widget, before = self._widget, self._widget.virtual_size
        if widget.show_vertical_scrollbar and size.width == before.width and size.height >= before.height:
            widget.set_reactive(ScrollView.virtual_size, size)
            widget.vertical_scrollbar.window_virtual_size = size.height
        else:
            widget.virtual_size = size

    def repaint(self) -> None:
        """Repaint everything."""
        self.forget_strips()
        self._made_margins = None
        self._widget.refresh()

    def repaint_line(self, number: int) -> None:
        """Repaint a line."""
        self._strips.pop(number, None)
        self._widget.refresh_line(number + len(self._margins[0]))

    def forget_strips(self) -> None:
        """Forget how the lines were painted: the theme has changed, or the focus."""
        self._strips.clear()

    # The cursor

    @property
    def selected(self) -> range:
        """The lines of the item that the cursor is on; none where there is no item."""
        return self.items[self.at] if self.items else range(0)

    def put_cursor(self, lines: range) -> None:
        """Paint other lines as the cursor."""
        for number in (*self.cursor, *lines):
            self._strips.pop(number, None)
        self.cursor, self._made_margins = lines, None
        self._widget.refresh()

    def select(self, item: float, lead: int = 0) -> None:
        """Move the cursor to an item, the nearest there is, and bring it into view.

        Args:
            item: Its number; ``inf`` is the last one.
            lead: How many lines above it are to be seen as well.
        """
        before, self.at = self.at, int(max(0, min(item, len(self.items) - 1)))
        if self.at != before:
            self._widget.refresh_bindings()  # what can be done depends on what is selected
        lines = self.selected
        self.put_cursor(lines)
        if lines:
            first = 0 if self.at == 0 and lines.stop <= self.room else lines.start - lead
            self.reveal(first, lines.stop - 1)

    def place(self, way: Way) -> float:
        """Find the item that a key of a list goes to; a page is as many lines as are seen."""
        room = self.room // 2 if way.startswith("half") else self.room
        match way:
            case "next":
                return self.at + 1
            case "previous":
                return self.at - 1
            case "page_down" | "half_down":
                return bisect_left(self.items, self.selected.start + room, key=_start)
            case "page_up" | "half_up":
                return bisect_right(self.items, self.selected.start - room, key=_start) - 1
            case "first":
                return 0
            case "last":
                return inf

    def show_match(self, place: int | None) -> None:
        """Move the cursor to what a search has found; None where nothing is marked any more."""
        if place is not None:
            self.select(place)
        self.repaint()

    def reveal(self, first: int, last: int) -> None:
        """Scroll as little as shows these lines, the first of them when they are too many."""
        y = min(first, max(self.top, last - self.room + 1))
        if y != self.top:
            self._widget.scroll_to(y=y, animate=False, force=True)

    def line_at(self, y: int) -> int | None:
        """Find the number of the line that is painted in a row of the widget."""
        head, foot = self._margins
        number = y - len(head) + self.top
        inside = len(head) <= y < self._widget.size.height - len(foot)
        return number if inside and number < self.count else None

    def item_at(self, y: int) -> int | None:
        """Find the number of the item that is painted in a row of the widget."""
        line = self.line_at(y)
        item = bisect_right(self.items, line, key=_start) - 1 if line is not None else -1
        return item if item >= 0 and line in self.items[item] else None

    # Painting

    def render_line(self, y: int) -> Strip:
        """Paint a row of the widget, or take it as it was painted before."""
        width = self.width
        if (self._focused, self._painted_width) != (self._widget.has_focus, width):
            self._focused, self._painted_width = self._widget.has_focus, width
            self.forget_strips()
            self._made_margins = None
        head, foot = self._margins
        if y < len(head):
            return self._painted(head[y])
        if not self.count and self._empty:
            rows = wrapped(self._empty, width)[y - len(head) :]
            return self._painted(TextLine([(rows[0] if rows else "", "dim")]))
        below = y - (self._widget.size.height - len(foot))
        if below >= 0:
            return self._painted(foot[below])
        number = y - len(head) + self.top
        if number >= self.count:
            return Strip.blank(width, self._widget.rich_style)
        if number not in self._strips:
            try:
                line = self._source.line(number)
            except StoreUnreachable as error:  # read when it is painted the next time
                return self._painted(TextLine([(f"not read: the store {error.what}", "dim")]))
            self._strips[number] = self._painted(line, at_cursor=number in self.cursor)
        return self._strips[number]

    def _painted(self, line: TextLine, *, at_cursor: bool = False) -> Strip:
        styles, rest = self._styles, self._widget.rich_style
        if at_cursor:
            rest = styles["cursor-focused" if self._widget.has_focus else "cursor"]
        parts = [(text, rest if at_cursor or role == "plain" else styles[role]) for text, role in line.parts]
        if line.place is not None and self.search is not None:
            parts = self._mark_matches(parts, line.place, self.search, whole=line.whole)
        return strip_of(parts, self.width, rest)

    def _mark_matches(self, parts: list[Part], place: int, search: Search, *, whole: bool) -> list[Part]:
        """Set apart what was found in a line."""
        pattern = search.pattern
        if pattern is None:
            return parts
        mark = self._styles["here" if place == search.place else "found"]
        if whole and place in search and not any(pattern.search(text) for text, _ in parts):
            return [(text, style + mark) for text, style in parts]
        return list(highlight_matches(parts, pattern, mark))


def _start(lines: range) -> int:
    return lines.start
