"""The thread in which connections to servers live: an event loop that other threads hand work to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout
from time import monotonic
from typing import Any, TypeVar

from ...models.watch import CallWatch

T = TypeVar("T")

_LOOK = 0.05  # seconds between two looks at whether somebody has asked to stop


class TookTooLong(Exception):  # it says what happened
    """What was waited for has not come in time."""


class LoopThread:
    """An event loop in a thread of its own; the thread never keeps a program from ending."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="stepgraph-mcp", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin work in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T], seconds: float, watch: CallWatch | None = None) -> T:
        """Do work in the loop and wait for it; it is cancelled when nobody waits any more.

        Args:
            work: What is awaited there.
            seconds: How long it may take, where the node's own time is not over before.
            watch: Who may ask to stop.

        Raises:
            TookTooLong: It took longer.
            CallStopped: Somebody has asked to stop.
        """
        future = self.begin(work)
        ends = monotonic() + seconds
        try:
            while True:
                if watch is not None:
                    watch.check()
                    left = watch.time_left
                    ends = ends if left is None else min(ends, monotonic() + left)
                if monotonic() >= ends:
                    raise TookTooLong
                try:
                    return future.result(min(_LOOK, max(0.0, ends - monotonic())))
                except FutureTimeout:
                    if future.done():  # the work itself raised it
                        raise
        except CancelledError:
            raise ConnectionError("the connection was closed") from None
        finally:
            future.cancel()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=5)
