"""The line below the panes: what comes next, or what to find in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from .find_bar import FindBar

if TYPE_CHECKING:
    from ...commands.hints import Hints
    from .pane import Pane
    from .status_lines import NextLine


class BottomLine(Container):
    """Says what comes next; while a pane is searched, asks what to find in it.

    Args:
        hints: Names the keys.
        next_line: Says what comes next.
    """

    DEFAULT_CSS = "BottomLine { height: 1; }"

    def __init__(self, hints: Hints, next_line: NextLine) -> None:
        super().__init__()
        self._next_line = next_line
        self._bar = FindBar(hints)
        self._searched: Pane | None = None

    def compose(self) -> ComposeResult:
        """Show what comes next; the field of a search is made with the first search."""
        yield self._next_line

    @property
    def is_searching(self) -> bool:
        """Whether a search is on."""
        return self._searched is not None

    async def search(self, pane: Pane) -> None:
        """Ask what to find in a pane."""
        if not self._bar.is_attached:
            await self.mount(self._bar)
        self._searched = pane
        self._next_line.display, self._bar.display = False, True
        self._bar.open()
        self.screen.refresh_bindings()

    def find_next(self, by: int) -> None:
        """Move to the next match, or the one before."""
        if self._searched is not None:
            self._bar.found = self._searched.search.next(by)

    @on(FindBar.Changed)
    def _find(self, message: FindBar.Changed) -> None:
        message.stop()
        if self._searched is not None:
            self._bar.found = self._searched.search.find(message.text)

    @on(FindBar.Submitted)
    def _go_back(self, message: FindBar.Submitted) -> None:
        message.stop()
        if self._searched is not None:
            self._searched.focus()

    @on(FindBar.Closed)
    def end_search(self) -> None:
        """Mark nothing any more, and go back to the pane."""
        searched, self._searched = self._searched, None
        self._bar.display, self._next_line.display = False, True
        if searched is not None:
            searched.search.end()
            searched.focus()
        self.screen.refresh_bindings()
