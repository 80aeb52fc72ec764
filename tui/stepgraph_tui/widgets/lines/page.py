"""A page of text: wrapped to the width, scrolled, searched and copied."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from textual.scroll_view import ScrollView

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.plain import visible

from .list import LineView, TextLine
from .page_lines import Line, PageRow, paragraph, row_parts, rows_of
from .search import Search


class TextPage:
    """Shows lines of text on a widget, wrapped anew whenever its width changes.

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
    & > .line--found { text-style: underline; }
    & > .line--here { text-style: reverse; }
    """
    """The look of a widget with a page."""

    def __init__(self, widget: ScrollView, selected: Callable[[], int | None] = lambda: None) -> None:
        self._widget, self._selected = widget, selected
        self._lines: list[Line] = []
        self._rows: list[PageRow] = []
        self._wrapped = -1
        self.about: Hashable = None
        """What the page is about."""
        self.view = LineView(widget, self)
        self.view.search = self.search = Search(self._texts, self._line_at_top, self._show_match)

    def show(self, page: Callable[[], Iterable[Line]], about: Hashable) -> None:
        """Show another page; one about something else is shown from its top.

        Args:
            page: Makes its lines. Where that raises a StepgraphError, the page says so.
            about: What it is about.
        """
        try:
            self._lines = list(page())
        except StepgraphError as error:
            self._lines = [paragraph(visible(str(error)), "bad")]
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

    # Lines

    def fit(self, width: int, height: int) -> int:
        """Wrap the lines, unless they are wrapped to the width already."""
        if width != self._wrapped:
            self._wrapped = width
            lines = enumerate(self._lines)
            self._rows = [row for number, line in lines for row in rows_of(line, number, max(1, width - 1))]
        return len(self._rows)

    def line(self, number: int) -> TextLine:
        """Make a row of the page, behind the bar."""
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
