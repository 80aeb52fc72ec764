"""What node code prints and logs: taken from its streams, and told by step."""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .messages import Printed
from .node_streams import NodeStreams
from .pace import Pace
from .spool import Spool

if TYPE_CHECKING:
    from textual.message import Message

_AT_ONCE = 64 * 1024
_READS = 16  # a mebibyte, the largest that a pipe can be: whatever was in it when the reading began


class Capture:
    """Takes what nodes write to their standard output and error, and tells it as ``Printed``.

    What they write goes through a pipe, so that the order is kept whoever wrote: Python, a C library, or a
    process that the node started. (The file numbers 1 and 2 lead into it inside ``own_terminal``.) A step
    ends by emptying the pipe, so nothing is told of the wrong step, and a thread of its own empties it
    meanwhile, so no node ever waits. Where there are no such pipes it takes what Python code writes.

    Args:
        pipe: Whether to use a pipe.
    """

    def __init__(self, *, pipe: bool = os.name == "posix") -> None:
        self.number: int | None = None
        """The file number to write to, of the pipe; None where there is none."""
        self._source: int | None = None
        self._lock = threading.RLock()  # over the reading, the spool, and whom to tell
        self._spool = Spool()
        self._post: Callable[[Message], object] | None = None
        self._pace = Pace(self._tell)
        if pipe:
            self._source, self.number = os.pipe()
            os.set_blocking(self._source, False)
            threading.Thread(
                target=self._read_on, args=(self._source,), name="stepgraph-output", daemon=True
            ).start()
        self._streams = NodeStreams(self._write, self.number)

    @contextmanager
    def during(self, run_id: str, step: int, node: str, post: Callable[[Message], object]) -> Iterator[None]:
        """Take what is written meanwhile, and until the next step begins, as this step's.

        Args:
            run_id: The run.
            step: The number of its step.
            node: The node that runs.
            post: Tells the app; called from any thread.
        """
        if post != self._post:
            self.flush()  # to whom it belongs
        with self._lock:
            self._empty()
            self._spool.belongs_to(run_id, step, node)
            self._post = post
        with self._streams:
            try:
                yield
            finally:
                with self._lock:
                    self._empty()
                    self._spool.finish()
                    quiet = self._spool.is_empty
                if not quiet:
                    self._pace.ask()

    def flush(self) -> None:
        """Tell what has not been told yet."""
        with self._lock:
            self._empty()
        self._pace.now()

    def close(self) -> None:
        """Take nothing more. What is still written goes nowhere."""
        self.flush()
        if self.number is not None:
            # The number stays taken: a stream of a node that was left to itself may write to it at any time.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.number, inheritable=False)
            os.close(nowhere)

    def _write(self, data: bytes) -> None:
        """Take what Python code writes."""
        if self.number is not None:
            while data:
                data = data[os.write(self.number, data) :]
            return
        with self._lock:
            self._spool.add(data)
        self._pace.ask()

    def _read_on(self, source: int) -> None:
        """Empty the pipe until nobody can write to it any more; this is a thread."""
        with selectors.DefaultSelector() as selector:
            selector.register(source, selectors.EVENT_READ)
            while self._source is not None:
                selector.select()
                with self._lock:
                    self._empty()
                self._pace.ask()
        os.close(source)

    def _empty(self) -> None:
        """Take what the pipe holds; the caller has the lock."""
        for _ in range(_READS):
            if self._source is None:
                return
            try:
                data = os.read(self._source, _AT_ONCE)
            except BlockingIOError:
                return
            if not data:
                self._source = None  # the reading thread closes it
            self._spool.add(data)

    def _tell(self) -> None:
        with self._lock:
            pieces, post = self._spool.take(), self._post
        if post is not None:
            for run_id, step, node, text in pieces:
                post(Printed(run_id, step, node, text))
