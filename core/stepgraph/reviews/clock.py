"""How long a review has waited, by a clock that nobody can have set in the meantime.

Deadlines count from the question, and wall clocks are wrong, or are set. So a question with a deadline is
stored with the reading of a reference clock: the store's server, else this machine's uptime. Whoever looks
later reads the same clock, learns how much time has passed, and moves the deadline to where it is by the wall
clock here. Without a reference clock (another boot, a system without a boot id, a program's own clock) the
wall clock counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..values.clocks import boot_id, checked_time, is_real, uptime

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..values.json_values import Json

_SERVER = "server"
_SLACK = 2.0  # seconds by which clocks may differ without a word
NOTED = 60.0
"""From how many seconds on it is told that a clock was set."""


class ClockReading(NamedTuple):
    """A reference clock, and its time."""

    clock: str
    """The store's server, or the id of this machine's boot."""
    at: float
    """In seconds."""

    def to_json(self) -> dict[str, Json]:
        """Write it as a table of JSON."""
        return {"clock": self.clock, "at": self.at}


def read_reference(store: StateStore) -> ClockReading | None:
    """Read the clock of the store's server, else this machine's uptime; None where neither can be had.

    Raises:
        StoreError: The server cannot be asked.
    """
    told = store.now()
    if told is not None:
        return ClockReading(_SERVER, told)
    boot = boot_id()
    return None if boot is None else ClockReading(boot, uptime())


class ReviewClock:
    """The clocks at one look at the reviews of a store; each is read once, when it is needed.

    Args:
        store: The store.
        tell: The time, in seconds since 1970; the machine's own when None.
    """

    def __init__(self, store: StateStore, tell: Callable[[], float] | None) -> None:
        self._store = store if is_real(tell) else None
        self._tell = tell

    @cached_property
    def now(self) -> float:
        """The time, in seconds since 1970.

        Raises:
            RunError: The clock tells no time that a calendar has.
        """
        return checked_time(time.time if self._tell is None else self._tell)

    @cached_property
    def _reference(self) -> ClockReading | None:
        return None if self._store is None else read_reference(self._store)

    def ahead_by(self, asked_at: float, asked: ClockReading) -> float:
        """Compute by how many seconds the clock is ahead of the one by which a question was asked.

        Args:
            asked_at: When it was asked, in seconds since 1970.
            asked: The reference clock at that moment.
        """
        told = self._reference
        if told is None or told.clock != asked.clock or told.at < asked.at:
            return 0.0
        ahead = (self.now - asked_at) - (told.at - asked.at)
        return float(math.ceil(ahead)) if abs(ahead) >= _SLACK else 0.0
