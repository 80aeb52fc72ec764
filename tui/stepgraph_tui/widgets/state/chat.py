"""A conversation of the state: who said what, which tools were asked for, and what is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.expressions import path_text, value_at
from stepgraph.stores import is_big

from ...commands import bindings
from ...commands.hints import UNMAPPED, Hints
from ...run_view import RunSnapshot
from ...text.conversation import ChatMessage, conversation_of, count_text, first_conversation, new_messages
from ...text.plain import call_text, plural
from ..chrome.pane import Pane
from ..lines import Way
from ..lines.page import Line, TextPage, blank, paragraph
from ..messages import message_lines
from ..node import calling_lines

if TYPE_CHECKING:
    from stepgraph.expressions import Path
    from stepgraph.values import Json

    from ...status_text import RunningNode


_MOST = 300
"""How many messages of a conversation are shown at first: the last ones."""


class ChatPane(Pane, inherit_bindings=False):
    """A list of messages as a conversation; the cursor is at one message, which can be edited.

    Args:
        hints: Names the keys.
    """

    TITLE = "Chat"
    BINDINGS = bindings("chat")
    DEFAULT_CSS = f"ChatPane {{ {TextPage.CSS} }}"

    @dataclass
    class Asked(Message):
        """A message is to be edited, put in after another one, or taken away."""

        verb: Literal["edit", "insert", "remove"]
        path: Path
        """Where the conversation is."""
        place: int
        """The message that the cursor is at; -1 in a conversation without any."""

    @dataclass
    class ValueAsked(Message):
        """The conversation is to be shown as the value that it is."""

        path: Path

    @dataclass
    class Left(Message):
        """The values of the state are to be shown again."""

    running: var[RunningNode | None] = var(None, init=False)
    """The node that runs now, with what it has asked so far."""

    def __init__(self, hints: Hints = UNMAPPED) -> None:
        super().__init__()
        self.display = False
        self._hints = hints
        self._path: Path | None = None
        self._items: Sequence[Json] = ()
        self._messages: list[ChatMessage] = []
        self._new: set[int] = set()
        self._unfolded: set[int] = set()
        self._from_first = False  # whether all of a long conversation is shown
        self._read: RunSnapshot | None = None
        self._about: tuple[Path | None, str, int] | None = None  # whose conversation it is, after which step
        self.cursor = 0
        """Which message is selected."""
        self.page = TextPage(self, lambda: self.cursor)
        self.lines, self.search = self.page.view, self.page.search

    # What is shown

    def open(self, path: Path) -> None:
        """Show the conversation at a path, its end first."""
        self._path, self._about = path, None
        self.show_anew()

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the conversation after the step; of another moment, what is new in it."""
        before, self._read = self._about, moment
        self._about = (self._path, moment.view.run_id, moment.step) if moment is not None else None
        if before is None or self._about is None or before[:2] != self._about[:2]:
            self._unfolded, self._from_first = set(), False
        self.page.show(self._story, self._about)
        self.inform(count_text(self._messages, len(self._new)) if moment is not None else "")
        if self._about != before:  # after an edit the cursor stays where it is
            self.cursor = min(self._new, default=len(self._messages) - 1)
        self._go_to(self.cursor)

    def watch_running(self, before: RunningNode | None, running: RunningNode | None) -> None:
        """Show the words that come."""
        if (before and before.calls) != (running and running.calls):
            at_end = self.scroll_offset.y >= self.max_scroll_y
            self.show_anew()
            if at_end:
                self.scroll_end(animate=False)

    def _story(self) -> Iterator[Line]:
        self._items, self._messages, self._new = (), [], set()
        if self._read is None:
            yield paragraph("No run yet: what is said in it will be shown here.", "dim")
            return
        self._take(self._read)
        if self._path is not None:
            yield paragraph(path_text(self._path), "dim")
            yield blank()
        if not self._messages:
            yield paragraph("There is no conversation here.", "dim")
        first = 0 if self._from_first else max(0, len(self._messages) - _MOST)
        if first:
            text = f"… {plural(first, 'message')} before: {self._hints('{chat.first} shows all')}"
            yield paragraph(text, "dim")
            yield blank()
        for place in range(first, len(self._messages)):
            hints = None if place in self._unfolded else self._hints
            yield from message_lines(self._messages[place], place, hints, new=place in self._new, block=place)
        running = self.running
        if running is not None and running.calls is not None and self._read.live:
            yield from calling_lines(running.calls, self._read.view.mask.text, self.size)

    def _take(self, moment: RunSnapshot) -> None:
        """Read the conversation of a moment; without a path, the first one that there is.

        Raises:
            StoreError: The store cannot be read.
        """
        before, after = moment.around()
        if self._path is None:
            key = first_conversation(after)
            self._path = (key,) if key is not None else None
        if self._path is None:
            return
        key = str(self._path[0])
        big = [value for value in (before.get(key), after.get(key)) if is_big(value)]
        for value in big:
            moment.view.outlines.open(value)
        if big:
            before, after = moment.around()
        items = value_at(after, self._path)
        self._messages = conversation_of(items) or []
        if isinstance(items, list) and self._messages:
            self._items = items
            self._new = new_messages(value_at(before, self._path), items)

    # What the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a message there is none to unfold, to edit or to take away."""
        if action in ("fold", "ask") and parameters != ("insert",):
            return bool(self._messages)
        return self._path is not None or action not in ("ask", "value")

    def action_to(self, way: Way) -> None:
        """Move to the next message or the one before, once this one is read; or by a page."""
        if way == "first" and not self._from_first:
            self._from_first = True
            self.page.show(self._story, self.page.about)
        if way in ("first", "last"):
            self._go_to(0 if way == "first" else len(self._messages) - 1)
        elif way in ("next", "previous"):
            self.cursor = self.page.step(self.cursor, 1 if way == "next" else -1)
        else:
            super().action_to(way)

    def _go_to(self, place: int) -> None:
        self.cursor = max(0, min(place, len(self._messages) - 1))
        rows = self.page.rows_of_block(self.cursor)
        self.page.view.repaint()
        if rows:
            last = self.page.rows_of_block(len(self._messages) - 1) if place in self._new else rows
            self.page.view.reveal(rows.start, max(rows.stop, last.stop) - 1)

    def action_fold(self) -> None:
        """Show the whole message, or its beginning."""
        self._unfolded ^= {self.cursor}
        self.page.show(self._story, self.page.about)
        rows = self.page.rows_of_block(self.cursor)
        self.page.view.reveal(rows.start, rows.stop - 1)

    def action_ask(self, verb: Literal["edit", "insert", "remove"]) -> None:
        """Request to edit, insert or remove a message."""
        if self._path is not None:
            place = self.cursor if self._messages else -1
            self.post_message(self.Asked(verb, self._path, place))

    def action_value(self) -> None:
        """Show the whole list as JSON, with what changed in it."""
        if self._path is not None:
            self.post_message(self.ValueAsked(self._path))

    def action_leave(self) -> None:
        """Return to the values of the state."""
        self.post_message(self.Left())

    def back(self) -> bool:
        """Esc: end the search, else go back to the values of the state."""
        if not super().back():
            self.action_leave()
        return True

    def copied(self) -> str | None:
        """Return the text of the message, or what it asks for."""
        if not self._messages:
            return None
        message = self._messages[self.cursor]
        calls = (call_text(call.name, call.arguments) for call in message.calls)
        return "\n".join(filter(None, (message.text, *calls)))

    def copied_path(self) -> str | None:
        """Return the path of the message, as conditions write it."""
        if self._path is None:
            return None
        return path_text((*self._path, self.cursor) if self._messages else self._path)

    def on_click(self, event: events.Click) -> None:
        """Select a message; show all of it with a second click."""
        place = self.page.block_at(event.y)
        if place is not None:
            self.cursor = place
            self.page.view.repaint()
            if event.chain == 2:
                self.action_fold()
