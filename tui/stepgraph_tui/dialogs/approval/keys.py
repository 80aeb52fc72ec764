"""Which of the keys that reach the dialog count, and in which order things are done by them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen

from .arming import Arming

if TYPE_CHECKING:
    from textual.widget import Widget

_ALWAYS = ("escape", "ctrl+c")
"""The keys that need no arming: they leave."""


class Keys(ModalScreen[None], inherit_bindings=False):
    """Lets keys through once they count, one after the other.

    Several keys can come in one burst. What stands behind a verb was typed for the field that the verb
    opens, and goes there; it is never a verb itself.

    Args:
        now: The time by the clock that events are stamped by, in seconds.
        stamp: When an event happened, by that clock.
    """

    def __init__(self, *, now: Callable[[], float], stamp: Callable[[events.Event], float]) -> None:
        super().__init__()
        self._now, self._stamp = now, stamp
        self._arming = Arming(now())
        self._opened: Widget | None = None  # until all keys go there by themselves

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""
        raise NotImplementedError

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of them."""
        raise NotImplementedError

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""
        raise NotImplementedError

    def say_keys(self) -> None:
        """Say which keys work now."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Know when the person comes back from elsewhere."""
        self.watch(self.app, "app_focus", self.arm_anew, init=False)
        self.app.app_resume_signal.subscribe(self, lambda _: self.arm_anew())

    def on_screen_resume(self) -> None:
        """What lay above the dialog is gone."""
        self.arm_anew()

    def arm_anew(self) -> None:
        """Let keys count only after another moment of quiet."""
        self._arming.anew(self._now())
        self.say_keys()

    @property
    def quiet_wanted(self) -> float:
        """How many seconds of quiet are still wanted; 0 when keys count."""
        return self._arming.left(self._now())

    def counts(self, event: events.Event) -> bool:
        """Whether an event comes late enough to be meant for what is shown."""
        return self._arming.stir(self._stamp(event))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click ends the quiet, and is nothing else."""
        self.counts(event)

    async def on_key(self, event: events.Key) -> None:
        """Do what the key means, stop one that comes too early, and hand over one that a field waits for."""
        if not self.is_active:  # the key before it has opened something else, or closed the dialog
            event.stop()
        elif self._opened is not None:
            self._hand_over(event, self._opened)
        elif not self.idle:
            if self.focused is None:
                event.stop()
                self.focus_next()
        elif event.key in _ALWAYS or self.counts(event):
            await self._obey(event)
        else:
            event.stop()

    async def _obey(self, event: events.Key) -> None:
        """Do it at once: the app would do it only after the screen has looked at the keys behind it."""
        event.stop()
        active = self.active_bindings.get(event.key)
        if active is None:
            self.app.bell()
            return
        await self.app.run_action(active.binding.action, active.node)
        self._opened = self.field
        if self._opened is not None:
            self.set_focus(self._opened)
            self.call_later(self._all_handed_over)

    def _hand_over(self, event: events.Key, field: Widget) -> None:
        """Give a field what was typed for it. A question is not answered before it could be read."""
        handed = copy(event)
        event.stop()
        if self.asks and event.key == "enter":
            self.app.bell()
        else:
            field.post_message(handed)

    def _all_handed_over(self) -> None:
        """The keys that had come here already are through, and those that follow go to the field."""
        self._opened = None
