"""Work that nobody waits for, of which only the newest of each kind counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable


class Later:
    """Does work in a thread of its own, in order; new work takes the place of what waits under its key.

    The thread lives for as long as there is work, and a process that ends waits for it.

    Args:
        pause: How long it waits for newer work before it begins, in seconds.
    """

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause
        self._hurry = threading.Event()  # somebody waits for it
        self._waiting: dict[Hashable, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()

    def submit(self, key: Hashable, work: Callable[[], None]) -> None:
        """Do some work soon, instead of what still waits under the same key."""
        with self._lock:
            self._waiting[key] = work
            if self._idle.is_set():
                self._idle.clear()
                threading.Thread(target=self._do_all, name="stepgraph-later").start()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all is done.

        Args:
            timeout: The longest to wait, in seconds; None for ever.

        Returns:
            Whether it is.
        """
        self._hurry.set()
        done = self._idle.wait(timeout)
        self._hurry.clear()
        return done

    def _do_all(self) -> None:
        self._hurry.wait(self._pause)
        try:
            while (work := self._next()) is not None:
                work()
        except BaseException:
            self._idle.set()  # the next work starts another thread
            raise

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if not self._waiting:
                self._idle.set()
                return None
            return self._waiting.pop(next(iter(self._waiting)))
