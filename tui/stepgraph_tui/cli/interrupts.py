"""Ctrl-C: the first stops after the current node, the second leaves at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from .exits import Exit

_FIRST = "\nstopping after the current node; press Ctrl-C again to leave at once\n"


class Interrupts:
    """While it is entered, signals only ask; whoever steps looks at ``requested`` between nodes.

    Args:
        last_words: Says, for the second Ctrl-C, what was lost and how to go on.
    """

    def __init__(self, last_words: Callable[[], str]) -> None:
        self.requested = False
        """True once somebody asked to stop."""
        self._last_words = last_words
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                # A shell that starts a command in the background has it ignore Ctrl-C: leave that as it is.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            _say(f"\n{self._last_words()}\n")
            os._exit(Exit.INTERRUPTED)  # the node cannot be interrupted in any gentler way
        if not self.requested:
            self.requested = True
            _say(_FIRST)


def _say(text: str) -> None:
    """Write without Python's buffers: the signal may have come while they were being written."""
    try:
        os.write(2, text.encode("utf-8", "backslashreplace"))
    except OSError:  # nobody listens any more
        return
