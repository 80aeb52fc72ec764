"""A Ctrl-C that comes at a chosen place: where a function begins, or where a call has just come to its end.

There the interpreter lets signals in (and where a loop jumps back). It does so as a part of the call, so that
those calls by which a ``with`` statement takes a lock and gives it back are never cut from the statement. On
Python 3.14 they are, and count as places: ``stepgraph.locks`` has what is done about it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType
from typing import Any

import pytest

import stepgraph

unmeasured = pytest.mark.skipif(
    sys.gettrace() is not None, reason="coverage takes a lock that a signal never gives back"
)
"""A test whose process is hit by real signals, which hangs where lines are traced."""
_CORE = stepgraph.__file__.removesuffix("__init__.py")
_PLACES = ("call", "return", "c_return")


class Interrupted(KeyboardInterrupt):
    """What the chosen place raises; its text is the place."""


@contextmanager
def interrupted(place: int, *within: str) -> Iterator[list[Interrupted]]:
    """Interrupt what the block does at its place of that number.

    Args:
        place: Which one, from 0 on.
        *within: The parts of the engine whose places count: ``stores/sqlite``; all of it where none is named.

    Yields:
        What was raised, once the place was come to; the block has then ended there, and it goes no further.
    """
    left, folders = place, tuple(_CORE + part for part in within or ("",))
    met: list[Interrupted] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal left
        code = frame.f_code
        if event not in _PLACES or not code.co_filename.startswith(folders):
            return
        if event == "return" and code.co_flags & inspect.CO_GENERATOR:  # that would break the generator
            return
        left -= 1
        if left < 0 and not met:
            where = code.co_filename.removeprefix(_CORE)
            met.append(Interrupted(f"{where}:{frame.f_lineno} {event}"))
            raise met[0]

    sys.setprofile(watch)
    try:
        yield met
    except Interrupted:
        pass
    finally:
        sys.setprofile(None)


def at_each_place(work: Callable[[int], object], within: str = "") -> Iterator[tuple[int, Interrupted]]:
    """Do something again and again, and interrupt it one place later each time, until it is not any more.

    Args:
        work: What to do; it is told the number of the place.
        within: See ``interrupted``.

    Yields:
        The number of the place, and what was raised, once ``work`` was interrupted there.
    """
    for place in count():
        with interrupted(place, within) as met:
            work(place)
        if not met:
            assert place > 2, "there is next to nothing to be interrupted"
            return
        yield place, met[0]
