"""Making a call again where the server is busy or away: as often, and as late, as it makes sense."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from ..values.errors import ModelError
from .failures import Unavailable
from .watch import CallWatch

LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for, and its step fails at once."""
_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0
_LOOK = 0.03

T = TypeVar("T")


def with_retries(
    call: Callable[[], T], retries: int, watch: CallWatch, now: Callable[[], float] = time.time
) -> T:
    """Make a call, and again while the server is busy or cannot be reached.

    Args:
        call: What is called.
        retries: How often it is called again.
        watch: Is told of each wait, says when to stop, and how much time is left.
        now: What tells the time, for dates in ``Retry-After``.

    Raises:
        ModelError: It failed, also after all retries.
        CallStopped: A person stopped it while it waited.
    """
    for attempt in range(retries + 1):
        try:
            return call()
        except Unavailable as error:
            seconds = _wait(error.after, attempt, now)
            refused = _refusal(error, attempt, retries, seconds, watch.time_left)
            if refused is not None:
                raise refused from None
            watch.waits(seconds, error.message)
        _pause(seconds, watch)
    raise AssertionError("the last attempt returns or raises")


def _wait(after: str, attempt: int, now: Callable[[], float]) -> float:
    asked = retry_after(after, now())
    if asked is not None:
        return asked
    backoff = min(_LONGEST_BACKOFF, _FIRST_WAIT * 2.0**attempt)
    return backoff * random.uniform(1, 1.25)  # noqa: S311  # so that many clients do not come back together


def retry_after(text: str, now: float) -> float | None:
    """Read a ``Retry-After``: seconds, or a date; None where it says neither."""
    text = text.strip()
    try:
        seconds = float(text)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if seconds == seconds else None
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())


def _refusal(
    error: Unavailable, attempt: int, retries: int, seconds: float, left: float | None
) -> ModelError | None:
    """Say why it is not worth waiting; None where it is."""
    if attempt == retries:
        tried = "" if attempt == 0 else f", {attempt + 1} times"
        return ModelError(f"{error.message}{tried}", hint=error.hint)
    if seconds > LONGEST_WAIT:
        return ModelError(
            f"{error.message}; it asks to wait for {seconds:,.0f} seconds",
            hint="retry when that time is over",
        )
    if left is not None and seconds >= left:
        return ModelError(
            f"{error.message}; its node has no time left to ask again",
            hint="give the node more time, or retry",
        )
    return None


def _pause(seconds: float, watch: CallWatch) -> None:
    until = time.monotonic() + seconds
    bell = threading.Event()
    watch.check()
    while (left := until - time.monotonic()) > 0:
        bell.wait(min(left, _LOOK))
        watch.check()
