"""What the panes that list entries have in common."""

from __future__ import annotations

from math import inf

from stepgraph_tui.widgets.lines import LineView

from .pane import Pane


class ListPane(Pane, inherit_bindings=False):
    """A pane that lists entries. One of them has the cursor, which the keys of every list move."""

    lines: LineView

    def go_to(self, entry: float) -> None:
        """Put the cursor on an entry, the nearest there is; ``inf`` is the last one."""
        self.lines.select(entry)
        self.refresh_bindings()  # what can be done depends on what is selected

    def action_move(self, by: int) -> None:
        """Go to the next entry (1), or the one before (-1)."""
        self.go_to(self.lines.at + by)

    def action_page(self, by: int) -> None:
        """Go down (1) or up (-1) by as many lines as are seen."""
        self.go_to(self.lines.page_away(by))

    def action_first(self) -> None:
        """Go to the first entry."""
        self.go_to(0)

    def action_last(self) -> None:
        """Go to the last entry."""
        self.go_to(inf)

    def _show_match(self, place: int | None) -> None:
        """Go to what a search has found; None where it marks nothing any more."""
        if place is not None:
            self.go_to(place)
        self.lines.repaint()
