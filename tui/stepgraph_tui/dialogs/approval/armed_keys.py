"""The keys of a dialog that decides: which of them count, and the line that names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .key_gate import KeyGate, OpenFields
from .verbs import VerbLine

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen
    from textual.timer import Timer


class ArmedKeys:
    """Lets keys through once they count, and tells meanwhile in how many tenths of a second they will.

    Args:
        screen: The dialog.
        fields: What its verbs open.
        named: Names the keys that work now, with what they do.
        writing: Whether a text is written, for which nobody need wait.
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    def __init__(
        self,
        screen: Screen[Any],
        fields: OpenFields,
        *,
        named: Callable[[], Sequence[tuple[str, str]]],
        writing: Callable[[], bool],
        now: Callable[[], float],
        stamp: Callable[[events.Event], float],
    ) -> None:
        self._screen, self._named, self._writing = screen, named, writing
        self.gate = KeyGate(screen, fields, now=now, stamp=stamp, changed=self.show)
        """Knows which keys count."""
        self.line = VerbLine()
        """Names them."""
        self._counting: Timer | None = None  # the tenths of a second until keys count

    def begin(self) -> None:
        """Keep the time, and know when the person comes back to the dialog from elsewhere."""
        screen = self._screen
        self._counting = screen.set_interval(0.1, self.show, pause=True)
        screen.watch(screen.app, "app_focus", self.gate.arm_anew, init=False)
        screen.app.app_resume_signal.subscribe(screen, lambda _: self.gate.arm_anew())

    def show(self) -> None:
        """Say which keys work now, or when they will."""
        left = self.gate.quiet_wanted
        counting = left > 0 and not self._writing()
        if self._counting is not None:
            (self._counting.resume if counting else self._counting.pause)()
        self.line.show(self._named(), f"keys in {left:.1f} s" if counting else "")
