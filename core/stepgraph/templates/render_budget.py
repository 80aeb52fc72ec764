"""What one rendering of a template may use up: turns, processor time, and characters that it makes.

A single operation is bounded by what it is given (see ``size_limits``); this bounds all of them together.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from jinja2 import TemplateRuntimeError

TURNS = 200_000
"""How many turns of loops and calls a template may take."""
SECONDS = 2.0
"""How much processor time it may take; waiting for other processes does not count."""
MADE = 50_000_000
"""How many characters it may make in all, kept or not."""
ITEM = 8
"""How many characters an item of a list or a table counts as: it takes that much memory."""


class _Budget(threading.local):
    """The rest of what the rendering of this thread may use up."""

    turns = TURNS
    made = MADE
    until = float("inf")


_left = _Budget()


@contextmanager
def budget() -> Iterator[None]:
    """Let one rendering begin, with everything that it is allowed."""
    _left.turns, _left.made, _left.until = TURNS, MADE, time.thread_time() + SECONDS
    try:
        yield
    finally:
        _left.until = float("inf")


def tick() -> None:
    """Look at the clock, before something that may take a while.

    Raises:
        TemplateRuntimeError: The time is used up.
    """
    if time.thread_time() > _left.until:
        raise TemplateRuntimeError(f"it takes more than {SECONDS:g} seconds")


def turn() -> None:
    """Count one turn of a loop, or one call.

    Raises:
        TemplateRuntimeError: It is one too many.
    """
    _left.turns -= 1
    if _left.turns < 0:
        raise TemplateRuntimeError(f"it takes more than {TURNS:,} turns of loops and calls")
    tick()


def made(value: object) -> None:
    """Count a value that was just made; of a list or a table its items, which were counted before.

    Raises:
        TemplateRuntimeError: It is one too many.
    """
    if isinstance(value, str):
        _left.made -= len(value)
    elif isinstance(value, (list, tuple, dict)):
        _left.made -= len(value) * ITEM
    if _left.made < 0:
        raise TemplateRuntimeError(f"it makes more than {MADE:,} characters on its way")
