"""Which of the keys that reach the dialog count, and in which order things are done by them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

QUIET = 0.5
"""Seconds without a key or a click before keys count."""
_ALWAYS = ("escape", "ctrl+c")
"""The keys that need no arming: they leave."""


def stamped_now() -> float:
    """Tell the time by the clock that Textual stamps its events by, which is not the same on every system."""
    return Message().time


class Arming:
    """Tells which keys count: those that were meant for something else do not decide.

    All times are seconds of one clock, and those of keys are when they were read from the terminal: a key
    that waited while the app was busy is judged by when it was pressed.

    Args:
        at: When the waiting begins.
    """

    def __init__(self, at: float) -> None:
        self._since = at
        self._armed = False

    def anew(self, at: float) -> None:
        """Wait again: something else is shown, or the person comes back from elsewhere."""
        self._since = max(self._since, at)
        self._armed = False

    def stir(self, at: float) -> bool:
        """Take note of a key or a click.

        Returns:
            Whether it counts. One that comes too early does not, and the waiting begins again.
        """
        if self.left(at) > 0:
            self._since = max(self._since, at)
        else:
            self._armed = True
        return self._armed

    def left(self, at: float) -> float:
        """Return how many seconds of quiet are still wanted; 0 when keys count."""
        return 0.0 if self._armed else max(0.0, self._since + QUIET - at)


class OpenFields(Protocol):
    """What the gate knows of the fields that a verb can open."""

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of them."""

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""


class KeyGate:
    """Lets keys through once they count, one after the other.

    Several keys can come in one burst. What stands behind a verb was typed for the field that the verb
    opens, and goes there; it is never a verb itself.

    Args:
        screen: Where the keys arrive.
        fields: What verbs open.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
        changed: Called when keys may have begun or ceased to count.
    """

    def __init__(
        self,
        screen: Screen[Any],
        fields: OpenFields,
        *,
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
        changed: Callable[[], object],
    ) -> None:
        self._screen, self._fields = screen, fields
        self._now, self._stamp, self._changed = now, stamp, changed
        self._arming = Arming(now())
        self._opened: Widget | None = None  # until all keys go there by themselves

    def arm_anew(self) -> None:
        """Let keys count only after another moment of quiet."""
        self._arming.anew(self._now())
        self._changed()

    @property
    def quiet_wanted(self) -> float:
        """How many seconds of quiet are still wanted; 0 when keys count."""
        return self._arming.left(self._now())

    def counts(self, event: events.Event) -> bool:
        """Tell whether an event comes late enough to be meant for what is shown. A click ends the quiet."""
        counts = self._arming.stir(self._stamp(event))
        self._changed()
        return counts

    async def take(self, event: events.Key) -> None:
        """Do what the key means, stop one that comes too early, and hand over one that a field waits for."""
        screen = self._screen
        if not screen.is_active:  # the key before it has opened something else, or closed the dialog
            event.stop()
        elif self._opened is not None:
            self._hand_over(event, self._opened)
        elif not self._fields.idle:
            if screen.focused is None:
                event.stop()
                screen.focus_next()
        elif event.key in _ALWAYS or self.counts(event):
            await self._obey(event)
        else:
            event.stop()

    async def _obey(self, event: events.Key) -> None:
        """Do it at once: the app would do it only after the screen has looked at the keys behind it."""
        event.stop()
        screen = self._screen
        active = screen.active_bindings.get(event.key)
        if active is None:
            screen.app.bell()
            return
        await screen.app.run_action(active.binding.action, active.node)
        self._opened = self._fields.field
        if self._opened is not None:
            screen.set_focus(self._opened)
            screen.call_later(self._all_handed_over)

    def _hand_over(self, event: events.Key, field: Widget) -> None:
        """Give a field what was typed for it. A question is not answered before it could be read."""
        handed = copy(event)
        event.stop()
        if self._fields.asks and event.key in ("enter", "ctrl+j"):
            self._screen.app.bell()
        else:
            field.post_message(handed)

    def _all_handed_over(self) -> None:
        """Stop handing over: the keys that had come here already are through, the others go to the field."""
        self._opened = None
