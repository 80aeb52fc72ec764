"""Clocks that somebody else made, checked whenever they tell something: it goes into the ledger for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from .errors import RunError
from .json_values import preview

_SINCE_BOOT: int | None = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
_LAST = 253_402_214_400  # a day before the calendar ends, since it ends earlier in the east


class _Clock(Protocol):
    def time(self) -> object: ...

    def perf_counter(self) -> object: ...


class CheckedClock:
    """Tells what a clock tells, and refuses what is no time.

    Args:
        clock: What is asked; the standard ``time`` module needs no check.
    """

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def time(self) -> float:
        """Tell the seconds since 1970.

        Raises:
            RunError: The clock tells no time that a calendar has.
        """
        return checked_time(self._clock.time)

    def perf_counter(self) -> float:
        """Tell the seconds since some moment.

        Raises:
            RunError: The clock tells no number of seconds.
        """
        told = self._clock.perf_counter()
        if isinstance(told, (int, float)) and abs(told) < _LAST:
            return told
        raise RunError(
            f"the clock's perf_counter() gave {preview(told)}",
            hint="it must give the seconds since some moment as a number",
        )


def is_real(tell: Callable[[], object] | None) -> bool:
    """Return True for the machine's own clock, which None stands for, and False for a program's."""
    return tell is None or tell is time.time


def boot_id() -> str | None:
    """Read what names the time since this machine was started; None where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return None


def uptime() -> float:
    """Read the seconds since this machine was started, by a clock that nobody sets.

    All processes have the same one, and it goes on while they or the machine sleep (not on Windows).
    """
    return time.monotonic() if _SINCE_BOOT is None else time.clock_gettime(_SINCE_BOOT)


def checked_time(tell: Callable[[], object]) -> float:
    """Ask for the seconds since 1970.

    Raises:
        RunError: What is told is no time that a calendar has.
    """
    told = tell()
    if isinstance(told, (int, float)) and 0 <= told < _LAST:
        return told
    raise RunError(
        f"the clock's time() gave {preview(told)}",
        hint="it must give the seconds since 1970 as a number, before the year 10000",
    )
