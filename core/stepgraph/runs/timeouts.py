"""Timeouts of nodes: what can be interrupted is; what comes back too late has failed.

One thread cannot end what runs in it. So a visit that takes too long has failed when it comes back, whatever
it brings. In the main thread of a program on Linux or macOS a signal interrupts it at its time; a node may
hold out against that (in a C library, say), but then it comes back too late. Only the supervisor of a worker,
which is another process, ends a node whatever it does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from ..values.errors import NodeFailed

if TYPE_CHECKING:
    from ..values.state import State

_HINT = "make the node quicker, give it a longer timeout, or retry the run to execute it again"


class _Interrupted(BaseException):
    """Raised in a node when its time is over; no ``except Exception`` of the node's takes it."""


def within(seconds: float, execute: Callable[[State], Any], state: State) -> Any:
    """Execute a node, and interrupt it after so many seconds where this thread can be."""
    if not _can_interrupt():
        return execute(state)
    signal.signal(signal.SIGALRM, _interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            return execute(state)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _can_interrupt() -> bool:
    """Tell whether a signal can end a node here; one that the program uses itself is left alone."""
    return (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "setitimer")
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and not signal.getitimer(signal.ITIMER_REAL)[0]
    )


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise _Interrupted


def failure(seconds: float, took: float, error: BaseException | None) -> BaseException | None:
    """Say why a visit has failed: it was too slow, or raised an error of its own; None for a good one.

    Args:
        seconds: The timeout.
        took: How long it took.
        error: What it raised, or None.
    """
    if type(error) is _Interrupted:
        return timed_out(seconds, "it was interrupted")
    if error is None and took > seconds:
        return timed_out(seconds, f"it came back after {_time_text(took)}, and what it brought is not used")
    return error


def timed_out(seconds: float, what: str) -> NodeFailed:
    """Make the failure of a visit whose time was over; ``what`` says what became of it."""
    return NodeFailed(f"its timeout of {_time_text(seconds)} was over: {what}", hint=_HINT)


def _time_text(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.3g} s"
