"""A table: rows in columns, with a cursor, marks, folds, and titles that sort."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from .list import LineView, Margins, TextLine, Way

GAP = "  "
"""What is between two columns."""
LEAD = 4
"""Cells of the cursor and the mark, before the columns."""
AGE = len("23h 59m")
"""Cells of a column of times."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, as wide as there is room for."""

    title: str
    cells: int
    order: str = ""
    """What a click on its title sorts by; empty where that has no order."""
    right: bool = False
    """Whether it ends at its right side, as numbers do."""

    def title_text(self) -> str:
        """Write its title."""
        title = self.title[: self.cells]
        return title.rjust(self.cells) if self.right else title.ljust(self.cells)


class Table(ScrollView, can_focus=False, inherit_bindings=False):
    """Shows rows; one of them has the cursor, as long as there is one at all.

    A subclass makes the line of a row, and in ``fit`` it shares out the columns.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Table {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {}
    """What looks otherwise here than in other lists."""

    class Moved(Message):
        """The cursor is on another row, or on none."""

    class Opened(Message):
        """A row was clicked twice."""

    @dataclass
    class Sorted(Message):
        """The title of a column was clicked that has an order."""

        order: str

    class Folded(Message):
        """The fold mark of the row with the cursor was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = LineView(self, self, margins=self.margins, keep=self.keep_cursor, looks=self.LOOKS)
        self.cursor = RowCursor(self, lambda: self.post_message(self.Moved()))
        """Which row the keys are for."""
        self.columns: Mapping[str, Column] = {}
        """The columns from left to right, by their names."""
        self.marked: set[str] = set()
        """What is marked, by what it is known by."""
        self._passing: dict[int, object] = {}  # what was painted of lines that change by themselves

    # What a subclass tells

    def fit(self, width: int, height: int) -> int:
        """Share out the columns, and count the lines."""
        raise NotImplementedError

    def line(self, number: int) -> TextLine:
        """Build a line."""
        raise NotImplementedError

    def margins(self) -> Margins:
        """Return the lines that stay in view."""
        return (), ()

    def fold_mark(self, number: int) -> range:
        """Find the cells of a row in which a click folds it; none where nothing is folded."""
        return range(0)

    def passes(self, number: int) -> object:
        """Return what of a row changes by itself: times, and who works on it."""
        return None

    # The columns

    def cells(self, column: str) -> int:
        """Return how many cells a column has; 0 where there is no room for it."""
        return self.columns[column].cells if column in self.columns else 0

    def start_of(self, column: str) -> int:
        """Return where a column begins."""
        names = list(self.columns)
        before = names[: names.index(column)]
        return LEAD + sum(self.columns[name].cells + len(GAP) for name in before)

    @property
    def titles(self) -> TextLine:
        """The titles of the columns."""
        named = GAP.join(column.title_text() for column in self.columns.values())
        return TextLine([(f"{'':{LEAD}}{named}", "dim")])

    def _order_at(self, x: int) -> str:
        """Return what a click on a title sorts by; empty where that has no order."""
        for name, column in self.columns.items():
            if 0 <= x - self.start_of(name) < column.cells:
                return column.order
        return ""

    # The cursor

    def keep_cursor(self) -> None:
        """Bring the cursor into view again, after lines were arranged."""
        self.cursor.keep()

    def go_to_row(self, number: float) -> None:
        """Move the cursor to a row, the nearest there is."""
        self.cursor.go_to(number)

    def to(self, way: Way) -> None:
        """Move the cursor as a key says."""
        self.go_to_row(self.lines.place(way))

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked, fold by its mark, sort by a title; open what is clicked twice."""
        at = self.lines.item_at(event.y)
        if at is None:
            order = self._order_at(event.x) if event.y == 0 else ""
            if order:
                self.post_message(self.Sorted(order))
            return
        self.go_to_row(at)
        if event.x in self.fold_mark(at):
            self.post_message(self.Folded())
        elif event.chain == 2:
            self.post_message(self.Opened())

    # Painting

    def passing(self, number: int) -> Any:
        """Return what of a row changes by itself, and remember that it is painted."""
        self._passing[number] = self.passes(number)
        return self._passing[number]

    def tick(self) -> None:
        """Repaint the lines in view of which something has changed by itself."""
        top = self.lines.top
        for number in range(top, min(top + self.size.height, self.lines.count)):
            if number in self._passing and self._passing[number] != self.passes(number):
                self.lines.repaint_line(number)

    def render_line(self, y: int) -> Strip:
        """Paint a row."""
        return self.lines.render_line(y)

    def on_resize(self) -> None:
        """Arrange the lines for another size."""
        self.lines.arrange()

    def notify_style_update(self) -> None:
        """Repaint everything in other colors."""
        self.lines.forget_strips()
        super().notify_style_update()


class RowCursor:
    """Keeps the cursor of a list on its row, and the row where it is on the screen, whatever comes and goes.

    Each row is one line. Where the row of the cursor is gone, the cursor stays as near as it can.

    Args:
        widget: The list.
        moved: Told when the cursor may be on another row, or on none.
    """

    def __init__(self, widget: Table, moved: Callable[[], object]) -> None:
        self._widget, self._moved = widget, moved
        self._at: dict[Hashable, int] = {}

    @property
    def keys(self) -> list[Hashable]:
        """What the rows are known by, from top to bottom."""
        return list(self._at)

    def number_of(self, key: Hashable) -> int | None:
        """Find a row; None where it is not listed."""
        return self._at.get(key)

    def show(self, keys: Sequence[Hashable], first: int = 0, heir: Hashable = None) -> None:
        """Replace the rows.

        What is seen stays where it is: the row of the cursor; where that is out of sight, the row at the top.

        Args:
            keys: What they are known by, from top to bottom.
            first: Where the cursor is put when there was no row before.
            heir: The row that stands for the one that had the cursor, where that is gone.
        """
        lines = self._widget.lines
        before, at, top = self.keys, lines.at, lines.top
        is_seen = top <= at < top + lines.room
        self._at = {key: number for number, key in enumerate(keys)}
        lines.items = [range(number, number + 1) for number in range(len(keys))]
        lines.at = self._heir(before, at, heir) if before else max(0, min(first, len(keys) - 1))
        lines.arrange()
        if is_seen and top:
            self._scroll(lines.at - (at - top))
        elif not is_seen:
            self._scroll(self._heir(before, top) if top else 0)
        self._moved()

    def _heir(self, before: Sequence[Hashable], at: int, heir: Hashable = None) -> int:
        """Find where a row is now; where it is gone, the next one that is not."""
        wanted = (*before[at : at + 1], heir, *before[at + 1 :])
        return max(0, next((self._at[key] for key in wanted if key in self._at), len(self._at) - 1))

    def _scroll(self, top: int) -> None:
        self._widget.scroll_to(y=max(0, top), animate=False, force=True)

    def go_to(self, number: float) -> None:
        """Move to a row, the nearest there is."""
        if self._at:
            self._widget.lines.at = int(max(0, min(number, len(self._at) - 1)))
            self.keep()
            self._moved()

    def reveal(self, last: int) -> None:
        """Scroll so that the rows below the cursor's are seen as well, up to one of them."""
        self._widget.lines.reveal(self._widget.lines.at, last)

    def keep(self) -> None:
        """Bring the cursor into view; without any height yet, it would come to the top for good."""
        if self._widget.size.height:
            self._widget.lines.select(self._widget.lines.at)
