"""Keys one after the other: what a key has begun is over before the next one is looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.app import App, ScreenStackError
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

_ROUNDS = 3
"""How often the way is gone behind a key: what handled it may have passed a word on, and that one another."""
_LOOK, _LOOKS = 0.05, 20
"""How often, in seconds, and how many times to look after a word: with a widget that is gone it is lost."""


class Passed(Message, bubble=True):
    """All is done that stood before it in the queues between a widget and the app."""

    def __init__(self, number: int, *, late: bool = False) -> None:
        super().__init__()
        self.number = number
        self.late = late
        """Whether it has waited for too long: the next key has its turn, whatever there is to come."""


class KeyQueue:
    """Hands keys and pasted texts to the app one by one.

    A terminal over a slow line delivers them in bursts, faster than a dialog opens or closes. Each is to go
    where it would have gone had it been typed later: into the field of the dialog that the key before it has
    opened, or to what lies below the one that it has closed. So behind each key a word is sent the same way,
    from what has the focus up to the app, and the next key waits until it has come through a screen that
    stays as it is. Nothing is changed about a key, not even when it was typed: what does not count because
    it was typed too early still does not.

    Args:
        app: The app.
        deliver: Has the app handle one of them.
    """

    def __init__(self, app: App[Any], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._deliver = deliver
        self._waiting: deque[events.Event] = deque()
        self._sent = 0  # words
        self._rounds = 0  # how many are still to come back; 0 while no key is under way
        self._seen: Widget | None = None  # what the last word was sent from
        self._looks = 0
        self._timer: Timer | None = None

    @property
    def is_idle(self) -> bool:
        """Whether all that was typed has had its effect."""
        return not self._rounds and not self._waiting

    async def take(self, event: events.Event) -> None:
        """Take what was typed: deliver it now, or when its turn comes."""
        self._waiting.append(event)
        if not self._rounds:
            await self._next()

    async def passed(self, message: Passed) -> None:
        """Take the word that came back."""
        if message.number != self._sent or not self._rounds:
            return  # another has come in its place
        if message.late:
            self._rounds = 0
        else:
            self._rounds = max(self._rounds - 1, int(self._seen != self._place))
        if self._rounds:
            self._send()
            return
        if self._timer is not None:
            self._timer.stop()
        if self._waiting:
            await self._next()

    async def _next(self) -> None:
        self._rounds, self._looks = _ROUNDS, 0
        await self._deliver(self._waiting.popleft())
        self._send()
        self._timer = self._app.set_interval(_LOOK, self._look_after)

    def _send(self) -> None:
        self._sent += 1
        self._seen = self._place
        if self._seen is not None:
            self._seen.post_message(Passed(self._sent))

    def _look_after(self) -> None:
        """Put another word in the place of one that is lost."""
        self._looks += 1
        if self._looks >= _LOOKS or self._seen != self._place:
            self._app.post_message(Passed(self._sent, late=self._looks >= _LOOKS))

    @property
    def _place(self) -> Widget | None:
        """What keys go to: what has the focus, else the screen; nothing when the app ends."""
        try:
            return self._app.focused or self._app.screen
        except ScreenStackError:
            return None
