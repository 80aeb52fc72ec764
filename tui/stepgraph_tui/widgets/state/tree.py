"""A state as rows that fold: where the cursor is in it, what is unfolded, what is found."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from itertools import islice

from textual.scroll_view import ScrollView

from stepgraph.expressions import Path
from stepgraph.stores import is_big
from stepgraph.values import Json, json_line
from stepgraph_tui.widgets.lines import LineView, Margins, Search, TextLine

from ..lines import FOUND
from .rows import DeclaredKeys, Folding, StateRow, StateView, row_spans

MOST_VALUES = 50_000
"""In how many values a text is looked for; more would keep the keys waiting."""
MOST_CHARACTERS = 2_000_000
"""In how many characters of them all."""
LONGEST = 200_000
"""In how many characters of one of them."""


class StateTree:
    """The rows of a view of values; folds and the cursor stay with the values' paths.

    Args:
        widget: What they are shown on.
        margins: Makes the lines above and below them.
    """

    def __init__(self, widget: ScrollView, margins: Callable[[], Margins]) -> None:
        self.folding = Folding()
        self.rows: list[StateRow] = []
        self.signed = False
        """Whether there is a column for the signs of changes."""
        self._view: StateView = DeclaredKeys({})
        self._paths: list[Path] = []  # what was searched, in order
        self.lines = LineView(
            widget, self, margins=margins, keep=lambda: self.lines.select(self.lines.at), looks=FOUND
        )
        self.lines.search = self.search = Search(self._texts, self._searched_at, self._show_match)

    @property
    def row(self) -> StateRow | None:
        """The row with the cursor."""
        lines = self.lines.selected
        return self.rows[lines.start] if lines else None

    @property
    def path(self) -> Path | None:
        """Where the cursor is in the state, if it is on a value."""
        return self.row.path if self.row is not None and self.row.kind == "value" else None

    def show(self, view: StateView, *, keep: bool) -> None:
        """Show another view.

        Args:
            view: What there is to see.
            keep: Whether the cursor stays with its value, or goes to the first one.
        """
        self._view = view
        self.search.renew()
        row, at = self.row, self.lines.selected.start
        self.rows = list(view.rows())
        self._arrange(self._place_of(row, at) if keep and row is not None else 0)

    def go_to(self, path: Path) -> None:
        """Move the cursor to a value, unfolding what hides it; to the nearest part left where it is gone."""
        self._view.reveal(path)
        self.rows = list(self._view.rows())
        self._arrange(self._place_of(StateRow("value", path), 0))

    def _place_of(self, old: StateRow, at: int) -> int:
        """Find where a row is now; of one that is gone, what it was in, what was in it, or its line."""
        places = {row.place: index for index, row in enumerate(self.rows)}
        if old.place in places:
            return places[old.place]
        if old.kind == "value":
            for length in range(len(old.path) - 1, 0, -1):
                if ("value", old.path[:length], 0) in places:
                    return places["value", old.path[:length], 0]
            inside = (i for i, row in enumerate(self.rows) if row.path[: len(old.path)] == old.path)
            return next(inside, at)
        return at

    def _arrange(self, at: int) -> None:
        """Show the rows that there are now, with the cursor on this one, or the next where it can be."""
        stops = [number for number, row in enumerate(self.rows) if row.selectable]
        self.lines.items = [range(number, number + 1) for number in stops]
        self.lines.at = max(0, min(bisect_left(stops, at), len(stops) - 1))
        self.lines.arrange()

    def fit(self, width: int, height: int) -> int:
        """Count the rows; each is written in what room there is."""
        return len(self.rows)

    def line(self, number: int) -> TextLine:
        """Write a row. Only values are searched."""
        row = self.rows[number]
        return TextLine(row_spans(row, self.lines.width, self.signed), -1 if row.kind == "value" else None)

    # Folding

    def fold(self) -> None:
        """Fold the value; where there is nothing to fold, go to what the value is in."""
        row, lines = self.row, self.lines
        if row is not None and row.folds and row.open:
            self._set_open(row, False)
        elif row is not None:
            for item in range(lines.at - 1, -1, -1):
                above = self.rows[lines.items[item].start]
                if above.folds and (above.depth < row.depth or above.kind == "unchanged"):
                    lines.select(item)
                    return

    def unfold(self) -> None:
        """Unfold the value or the gap; go into what is unfolded already."""
        row = self.row
        if row is not None and row.folds and row.open:
            self.lines.select(self.lines.at + 1)
        elif row is not None:
            self._set_open(row, True)

    def toggle(self) -> None:
        """Fold or unfold the value; unfold the gap."""
        if self.row is not None:
            self._set_open(self.row, not self.row.open)

    def _set_open(self, row: StateRow, opened: bool) -> None:
        """Show what is inside a row, or no more; of a gap its first page, with the cursor there."""
        if row.kind == "more":
            self.folding.show_page(row.path, row.page)
        elif row.kind == "unchanged":
            self.folding.unchanged = opened
        elif row.folds:
            self.folding.set_open(row.path, opened)
        at = self.lines.selected.start
        self.rows = list(self._view.rows())
        self._arrange(self._place_of(row, at))

    # Searching

    def _texts(self) -> list[str]:
        """Collect the texts of everything that unfolding could show, up to a bound."""
        self._paths, texts = [], []
        left, cut, found = MOST_CHARACTERS, False, self._view.find_all()
        for path, name, value in islice(found, MOST_VALUES):
            text = _text(value)
            cut = cut or max(len(name), len(text)) > LONGEST
            self._paths.append(path)
            texts.append(f"{name[:LONGEST]} {text[:LONGEST]}")
            left -= len(texts[-1])
            if left <= 0:
                break
        self.search.partly = cut or next(found, None) is not None
        return texts

    def _searched_at(self) -> int:
        return self._paths.index(self.path) if self.path in self._paths else 0

    def _show_match(self, place: int | None) -> None:
        """Unfold what hides a match, and go there."""
        if place is not None:
            path = self._paths[place]
            self._view.reveal(path)
            self.rows = list(self._view.rows())
            rows = enumerate(self.rows)
            self._arrange(next(i for i, row in rows if row.path == path and row.kind == "value"))
        self.lines.repaint()


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, (dict, list)) or is_big(value) else json_line(value)
