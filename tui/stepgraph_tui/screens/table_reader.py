"""Keeping a list of what the store has up to date."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.store_look import is_seen
from stepgraph_tui.text.unread import unread_text

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph_tui.store_look import StoreLook


class ReadTable(Protocol):
    """What is read, to be listed."""

    def look(self) -> bool:
        """Read what has changed in the store, and tell whether anything has."""

    def __contains__(self, entry: object) -> bool:
        """Tell whether an entry is still there to be marked."""


class MarkedList(Protocol):
    """The list of it."""

    marked: set[str]

    def tick(self) -> None:
        """Paint the times that have passed."""


class TableReader:
    """Reads a table again whenever the store has changed, and has its list shown anew.

    Args:
        screen: The screen of the list.
        store_look: The look at the store that the whole app shares.
        table: What is read.
        shown: The list.
        show: Shows the list as the table has it now.
    """

    def __init__(
        self,
        screen: Screen[Any],
        store_look: StoreLook,
        table: ReadTable,
        shown: MarkedList,
        show: Callable[[], object],
    ) -> None:
        self._screen, self._store_look = screen, store_look
        self._table, self._list, self._show = table, shown, show
        self.unread = ""
        """Why the store could not be read at the last look; empty where it could be."""

    def look(self) -> None:
        """Read what has changed in the store by now; the cursor stays where it is."""
        self._store_look.read()
        self._take_in()

    def look_again(self) -> None:
        """Take in what the app's look at the store has found, unless the list is hidden by another screen."""
        if is_seen(self._screen):
            self._take_in()

    def _take_in(self) -> None:
        unread = self.unread
        try:
            changed = self._table.look()
            self.unread = ""
        except StepgraphError as error:
            changed, self.unread = False, unread_text(error)
        if changed or self.unread != unread:
            self._list.marked = {marked for marked in self._list.marked if marked in self._table}
            self._show()
        self._list.tick()
