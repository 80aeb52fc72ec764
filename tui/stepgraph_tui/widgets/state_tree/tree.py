"""A tree of values: moving in it, folding it, and searching it."""

from __future__ import annotations

from .folding import Folding
from .row import Path, Row
from .searching import Search
from .sheet import StateSheet
from .views import Declared, View


class StateTree(StateSheet, inherit_bindings=False):
    """Rows that come from a view of values; folds and the cursor stay with the values' paths."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.folding = Folding()
        self._view: View = Declared({})

    def look_at(self, view: View, *, keep: bool) -> None:
        """Show another view.

        Args:
            view: What there is to see.
            keep: Whether the cursor stays with its value, or goes to the first one.
        """
        self._view = view
        if self._search is not None:
            self._search = Search(self._search.text, view.found(), self._path)
        self.set_rows(view.rows(), keep=keep)

    def _fold_anew(self) -> None:
        self.set_rows(self._view.rows())

    @property
    def _path(self) -> Path | None:
        """Where the cursor is in the state, if it is on a value."""
        return self.row.path if self.row is not None and self.row.kind == "value" else None

    # Moving

    def action_cursor_down(self) -> None:
        """Go to the next row."""
        self.move_to(self._at + 1)

    def action_cursor_up(self) -> None:
        """Go to the row before."""
        self.move_to(self._at - 1, -1)

    def action_first(self) -> None:
        """Go to the first row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self.move_to(len(self._rows) - 1, -1)

    def action_page(self, by: int) -> None:
        """Go down (1) or up (-1) by as many rows as are seen."""
        self.move_to(self._at + by * self.room, by)

    # Folding

    def action_fold(self) -> None:
        """Fold the value; where there is nothing to fold, go to what the value is in."""
        row = self.row
        if row is None:
            return
        if row.folds and row.open:
            self.unfold(row, False)
        else:
            self._go_out(row)

    def _go_out(self, row: Row) -> None:
        for index in range(self._at - 1, -1, -1):
            above = self._rows[index]
            if above.folds and (above.depth < row.depth or above.kind == "unchanged"):
                self.move_to(index, -1)
                return

    def action_unfold(self) -> None:
        """Unfold the value or the gap; go into what is unfolded already."""
        row = self.row
        if row is None:
            return
        if row.folds and row.open:
            self.move_to(self._at + 1)
        else:
            self.unfold(row)

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value; unfold the gap."""
        if self.row is not None:
            self.unfold(self.row, not self.row.open)

    def unfold(self, row: Row, opened: bool = True) -> None:
        """Show what is inside a row, or no more. A gap shows its first page, with the cursor there."""
        if row.kind == "more":
            self.folding.show_page(row.path, row.page)
        elif row.kind == "unchanged":
            self.folding.unchanged = opened
        elif row.folds:
            self.folding.set_open(row.path, opened)
        else:
            return
        self._fold_anew()

    # Searching

    def find(self, text: str) -> str:
        """Go to the first match at or after the cursor, unfolding what hides it."""
        if not text:
            self.end_find()
            return ""
        self._search = Search(text, self._view.found(), self._path)
        return self._go_to_match()

    def find_next(self, by: int) -> str:
        """Go to the next match, or the one before."""
        if self._search is None:
            return ""
        self._search.turn(by)
        return self._go_to_match()

    def _go_to_match(self) -> str:
        path = self._search.path if self._search is not None else None
        if path is not None:
            self._view.reveal(path)
            self._fold_anew()
            places = (
                index for index, row in enumerate(self._rows) if row.path == path and row.kind == "value"
            )
            self.move_to(next(places, self._at))
        self.repaint()
        return str(self._search)

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._search = None
        self.repaint()

    def back(self) -> bool:
        """Leave the search."""
        searched = self._search is not None
        self.end_find()
        return searched
