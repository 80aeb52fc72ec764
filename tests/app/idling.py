"""Time that passes by hand for an app that does nothing, and all that it writes to its terminal meanwhile."""

from __future__ import annotations

import asyncio
import heapq
from itertools import count
from typing import Any

import pytest
from textual import _time, timer
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from stepgraph.testing import FakeClock
from tests.app.turning import idle


class IdleTime:
    """The time of Textual's timers and of the app's clock: it stands still until it is told to pass.

    Apps without a terminal write to it as if they had one, and what they write is counted.

    Args:
        patch: Puts the time in the place of the real one.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.written = 0
        """How many bytes were written."""
        self.woken = 0
        """How many times a timer has fired."""
        self._now = 1_000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLORTERM", "truecolor")
        patch.setattr(_time, "get_time", lambda: self._now)
        patch.setattr(timer, "sleep", self._sleep)
        patch.setattr(HeadlessDriver, "is_headless", property(lambda driver: False))
        patch.setattr(HeadlessDriver, "write", lambda driver, data: self._write(data))

    def _write(self, data: str) -> None:
        self.written += len(data.encode())

    async def _sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now + seconds, next(self._order), woken))
        await woken

    async def pass_by(self, pilot: Pilot[Any], clock: FakeClock, seconds: int) -> None:
        """Let seconds pass: each timer fires when it is due, and what comes of it is painted."""
        for _ in range(seconds):
            end = self._now + 1
            while self._sleepers and self._sleepers[0][0] <= end:
                at, _, woken = heapq.heappop(self._sleepers)
                if not woken.done():  # else its timer was stopped
                    self._go_to(max(at, self._now), clock)
                    self.woken += 1
                    woken.set_result(None)
                    await idle()  # it does what it does, and sleeps again
            self._go_to(end, clock)
            await pilot.pause()

    def _go_to(self, at: float, clock: FakeClock) -> None:
        clock.advance(at - self._now)
        self._now = at

    def jump(self, clock: FakeClock, seconds: float) -> None:
        """Let hours pass at once: timers that were due fire once, later."""
        self._go_to(self._now + seconds, clock)
