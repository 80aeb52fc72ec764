"""Telling the app often enough, and never too often."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

EVERY = 0.05
"""The seconds between two tellings: 20 a second look fluent, and leave the app its time."""


class Pace:
    """Calls a function at once after a quiet time, else as soon as the time since the last call is over.

    So nothing floods the app, and nothing that was said before a long silence comes late.

    Args:
        send: What to call; from any thread, one at a time.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._lock = threading.RLock()  # freeing an object of a node's may print, at any moment
        self._last = float("-inf")
        self._timer: threading.Timer | None = None

    def ask(self) -> None:
        """Tell soon, for there is something to tell."""
        with self._lock:
            if self._timer is not None:
                return
            wait = self._last + EVERY - time.monotonic()
            if wait > 0:
                self._timer = threading.Timer(wait, self.now)
                self._timer.daemon = True
                self._timer.start()
                return
        self.now()

    def now(self) -> None:
        """Tell at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._last = time.monotonic()
            self._send()
