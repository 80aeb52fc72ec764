"""Reading a stream in a thread of its own, so that whoever waits for it can stop at any moment."""

from __future__ import annotations

import socket
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Protocol, Self

from ..values.errors import ModelError
from .watch import CallWatch

_LOOK = 0.03
"""Seconds between two looks whether somebody has asked to stop, while nothing comes."""
_END = object()


class ReplyStream(Protocol):
    """A stream of the official libraries: events, and the response that they come by."""

    response: Any

    def __iter__(self) -> Iterator[Any]:
        """Give the events."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class StreamReader:
    """Reads the events of a stream; in a ``with`` statement, behind which nobody reads on.

    A thread that waits for a byte hears no signal and no request to stop. So another one waits, which is a
    daemon: it holds no process up. To leave shuts the connection's socket, which wakes it, so that the server
    hears of it too. While the server has not even begun to answer there is no socket to be had; the thread
    then closes the connection as soon as the answer begins, or the library's own timeout ends it.

    Args:
        open: Sends the request and gives the stream.
        watch: Says when to stop.
        timeout: Seconds without an event after which it gives up.
    """

    def __init__(self, open: Callable[[], ReplyStream], watch: CallWatch, timeout: float) -> None:
        self._open, self._watch, self._timeout = open, watch, timeout
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._stream: ReplyStream | None = None
        self._left = threading.Event()
        self._ended = False

    @property
    def answered(self) -> bool:
        """Whether the server has begun to answer."""
        return self._stream is not None

    def __enter__(self) -> Self:
        start_new_thread(self._read, ())  # a Thread would be waited for until it runs, for a millisecond
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        if not self._ended and self._stream is not None:
            _shut(self._stream)

    def __iter__(self) -> Iterator[Any]:
        """Give the events as they come.

        Raises:
            ModelError: Nothing came for too long.
            CallStopped: Somebody has asked to stop.
        """
        heard = time.monotonic()
        while True:
            self._watch.check()
            try:
                event = self._events.get(timeout=_LOOK)
            except Empty:
                self._check_time(time.monotonic() - heard)
                continue
            if event is _END:
                return
            if isinstance(event, _Raised):
                raise event.error
            heard = time.monotonic()
            yield event

    def _check_time(self, silent: float) -> None:
        left = self._watch.time_left
        if left is not None and left <= 0:
            raise ModelError("its node ran out of time", hint="give the node a longer timeout, then retry")
        if silent > self._timeout:
            raise ModelError(
                f"no word came for {self._timeout:g} seconds",
                hint="retry, or give the model a longer `timeout` in the settings",
            )

    def _read(self) -> None:
        last: Any = _END
        try:
            self._stream = stream = self._open()
            try:
                for event in stream:
                    if self._left.is_set():
                        break
                    self._events.put(event)
            finally:
                stream.close()
        except BaseException as error:  # whatever it is, who waits hears of it
            last = _Raised(error)
        self._ended = True
        self._events.put(last)


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def _shut(stream: ReplyStream) -> None:
    """Shut the socket below a stream; closing it would not wake a thread that reads from it."""
    network = stream.response.extensions.get("network_stream")
    found = network.get_extra_info("socket") if network is not None else None
    if found is not None:
        with suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)
