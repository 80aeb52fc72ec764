"""What the screens of Runs and of the inbox share: a table of the store, its filter, its messages."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from textual import on
from textual.screen import Screen

from stepgraph.values import StepgraphError

from .. import terminal
from ..dialogs.dialog import TALKS, close
from ..store_look import is_seen
from ..text.plain import unread_text
from ..widgets.chrome.find_bar import FilterLine
from ..widgets.chrome.status_lines import HintLine
from ..widgets.lines import Table, Way

if TYPE_CHECKING:
    from ..context import AppContext


class ReadTable(Protocol):
    """What is read of the store, to be listed."""

    def look(self) -> bool:
        """Read what has changed in the store, and return whether anything has."""

    def sort(self, by: str | None = None) -> None:
        """Sort by the order of this name, else by the next one."""

    def __contains__(self, entry: object) -> bool:
        """Check whether an entry is still there to be marked."""


Answer = TypeVar("Answer")
Rows = TypeVar("Rows", bound=ReadTable)
Shown = TypeVar("Shown", bound=Table)


class ListScreen(Screen[None], Generic[Rows, Shown], inherit_bindings=False):
    """Lists what is in the store, and follows what others do to it.

    Args:
        context: What the app shares.
        table: What is read.
        shown: The list.
    """

    dismiss = close

    def __init__(self, context: AppContext, table: Rows, shown: Shown) -> None:
        super().__init__()
        self._shared, self._hints = context, context.hints
        self._table, self._list = table, shown
        self._filter, self._hint = FilterLine(), HintLine()
        self._unread = ""  # why the store could not be read at the last look

    def _show(self) -> None:
        """Show the list as the table has it now."""
        raise NotImplementedError

    # What is new

    def on_screen_resume(self) -> None:
        """Look again."""
        if self.is_mounted:
            self.look()

    def look(self) -> None:
        """Read what has changed in the store by now; the cursor stays where it is."""
        self._shared.store_look.read()
        self._take_in()

    def look_again(self) -> None:
        """Update from the app's look at the store, unless the list is hidden by another screen."""
        if is_seen(self):
            self._take_in()

    def _take_in(self) -> None:
        before = self._unread
        try:
            changed = self._table.look()
            self._unread = ""
        except StepgraphError as error:
            changed, self._unread = False, unread_text(error)
        if changed or self._unread != before:
            self._list.marked = {marked for marked in self._list.marked if marked in self._table}
            self._show()
        self._list.tick()

    # Messages and questions

    def _tell(self, about: str) -> None:
        """Describe the selected row, or why the store cannot be read."""
        self._hint.tell(self._unread or about, warns=bool(self._unread))

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the next key; ``warns`` when it explains why something was not done."""
        self._hint.say(text, warns=warns)

    def on_mouse_down(self) -> None:
        """Clear the last message."""
        self._hint.hush()

    async def ask(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog, and return its answer; None where it was left without one."""
        answer: Answer | None = await self.app.push_screen_wait(dialog)
        return answer

    def begin(self, talk: Coroutine[Any, Any, Any]) -> None:
        """Run what asks people, while the screen goes on."""
        self.run_worker(talk, group=TALKS)

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way; the programs that do it may take their time."""
        terminal.copy_and_say(self, text, self.say)

    # What the keys do

    def action_to(self, way: Way) -> None:
        """Move to another row."""
        self._list.to(way)

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._table.sort()
        self._show()

    @on(Table.Sorted)
    def _sort_by(self, message: Table.Sorted) -> None:
        self._table.sort(message.order)
        self._show()

    def action_filter(self) -> None:
        """Write what the rows are to be like."""
        self._filter.open()
        self._show()
