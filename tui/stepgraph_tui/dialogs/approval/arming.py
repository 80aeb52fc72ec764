"""Which keys count in a dialog that decides, and the line that names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol

from rich.text import Text
from textual import events
from textual.message import Message

from ...widgets.chrome.status_lines import OneLine

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.timer import Timer
    from textual.widget import Widget

QUIET = 0.5
"""Seconds without a key or a click before keys count."""
_ALWAYS = ("escape", "ctrl+c")
"""The keys that need no arming: they leave."""
_GAP = 2  # cells after each key; none after the last one


def stamped_now() -> float:
    """Return the time by the clock that Textual stamps its events with, which differs between systems."""
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

    def restart(self, at: float) -> None:
        """Wait again: something else is shown, or the person comes back from elsewhere."""
        self._since = max(self._since, at)
        self._armed = False

    def stir(self, at: float) -> bool:
        """Record a key or a click.

        Returns:
            Whether it counts. One that comes too early does not, and the waiting begins again.
        """
        if self.seconds_left(at) > 0:
            self._since = max(self._since, at)
        else:
            self._armed = True
        return self._armed

    def seconds_left(self, at: float) -> float:
        """Return how many seconds of quiet are still wanted; 0 when keys count."""
        return 0.0 if self._armed else max(0.0, self._since + QUIET - at)


class OpenFields(Protocol):
    """What armed keys know of the fields that a verb can open."""

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of them."""

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""

    @property
    def writing(self) -> bool:
        """Whether a text is written, for which nobody need wait."""


class ArmedKeys:
    """Lets keys through once they count, one after the other, and shows when they will.

    Several keys can come in one burst. What comes after a verb was typed for the field that the verb
    opens, and goes there; it is never a verb itself.

    Args:
        screen: The dialog, where the keys arrive.
        fields: What its verbs open.
        named: Names the keys that work now, with what they do.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    def __init__(
        self,
        screen: Screen[Any],
        fields: OpenFields,
        named: Callable[[], Sequence[tuple[str, str]]],
        *,
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
    ) -> None:
        self._screen, self._fields, self._named = screen, fields, named
        self._now, self._stamp = now, stamp
        self._arming = Arming(now())
        self._opened: Widget | None = None  # until all keys go there by themselves
        self._counting: Timer | None = None  # the tenths of a second until keys count
        self.line = VerbLine()
        """Names the keys."""

    def begin(self) -> None:
        """Keep the time, and know when the person comes back to the dialog from elsewhere."""
        screen = self._screen
        self._counting = screen.set_interval(0.1, self.show, pause=True)
        screen.watch(screen.app, "app_focus", self.arm_anew, init=False)
        screen.app.app_resume_signal.subscribe(screen, lambda _: self.arm_anew())

    def arm_anew(self) -> None:
        """Require another moment of quiet before keys count."""
        self._arming.restart(self._now())
        self.show()

    def count(self, event: events.Event) -> bool:
        """Check whether an event comes late enough to be meant for what is shown. A click ends the quiet."""
        counts = self._arming.stir(self._stamp(event))
        self.show()
        return counts

    def show(self) -> None:
        """Show which keys work now, or when they will."""
        left = self._arming.seconds_left(self._now())
        counting = left > 0 and not self._fields.writing
        if self._counting is not None:
            (self._counting.resume if counting else self._counting.pause)()
        self.line.show(self._named(), f"keys in {left:.1f} s" if counting else "")

    async def take(self, event: events.Key) -> None:
        """Act on a key, drop one that comes too early, and pass on one that a field waits for."""
        screen = self._screen
        if not screen.is_active:  # the key before it has opened something else, or closed the dialog
            event.stop()
        elif self._opened is not None:
            self._hand_over(event, self._opened)
        elif not self._fields.idle:
            if screen.focused is None:
                event.stop()
                screen.focus_next()
        elif event.key in _ALWAYS or self.count(event):
            await self._obey(event)
        else:
            event.stop()

    async def _obey(self, event: events.Key) -> None:
        """Act at once: the app would do it only after the screen has looked at the keys behind it."""
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
        """Pass a field the keys typed for it. A question is not answered before it could be read."""
        handed = copy(event)
        event.stop()
        if self._fields.asks and event.key in ("enter", "ctrl+j"):
            self._screen.app.bell()
        else:
            field.post_message(handed)

    def _all_handed_over(self) -> None:
        """Stop handing over: the keys that had come here already are through, the others go to the field."""
        self._opened = None


class VerbLine(OneLine):
    """Names keys, as many as there is room for. A click on it does nothing: nothing here is pressed."""

    DEFAULT_CSS = "VerbLine { background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self._keys: Sequence[tuple[str, str]] = ()
        self._instead = ""

    def show(self, keys: Sequence[tuple[str, str]], instead: str = "") -> None:
        """Name these keys with what they do, or say something else instead of all but the last of them."""
        if (self._keys, self._instead) != (keys, instead):
            self._keys, self._instead = keys, instead
            self.refresh()

    def line(self, width: int) -> Text:
        """Name the keys, the last one always."""
        last = [self.key_and_verb(key, label) for key, label in self._keys[-1:]]  # Esc
        room = width - 1 + _GAP - sum(named.cell_len for named in last)
        if self._instead:
            first = [self.span(f"{self._instead}  ", "label")]
        else:
            first = []
            for key, label in self._keys[:-1]:
                named = self.key_and_verb(key, label)
                room -= named.cell_len
                if room < 0:
                    break
                first.append(named)
        line = Text.assemble(" ", *first, *last)
        line.rstrip()
        return line
