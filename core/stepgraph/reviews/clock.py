"""How long a review has waited, by a clock that nobody can have set in the meantime.

Deadlines count from the question, and wall clocks are wrong, or are set. So a question with a deadline is
stored with what a witness told when it was asked: the store's server, else this machine since it was started.
A look asks the same witness how much time has passed, and puts the deadline to where it is by the clock that
looks. Without a witness (another boot, a system that tells none, a program's own clock) that clock counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..values.clocks import boot_id, checked_time

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..values.json_values import Json

_UPTIME = Path("/proc/uptime")
_SERVER = "server"
_SLACK = 2.0  # seconds by which clocks may differ without a word
TOLD = 60.0
"""From how many seconds on it is told that a clock was set."""


class Witness(NamedTuple):
    """A clock that is not set, and what it told."""

    clock: str
    """The store's server, or the id of this machine's boot."""
    at: float
    """In seconds."""

    def to_json(self) -> dict[str, Json]:
        """Write it as a table of JSON."""
        return {"clock": self.clock, "at": self.at}


def is_real(tell: Callable[[], float] | None) -> bool:
    """Return True for the machine's own clock: what a program's clock tells, no witness can check."""
    return tell is None or tell is time.time


def witness(store: StateStore) -> Witness | None:
    """Ask the store's server for the time, else how long this machine runs; None where neither tells.

    Raises:
        StoreError: The server cannot be asked.
    """
    told = store.now()
    if told is not None:
        return Witness(_SERVER, told)
    boot = boot_id()
    return None if boot is None else Witness(boot, running())


def running() -> float:
    """Measure the seconds since some moment, sleep of the machine included where that can be known."""
    try:
        return float(_UPTIME.read_text(encoding="ascii").split()[0])
    except OSError:
        return time.monotonic()


class Look:
    """The clocks at one look at the reviews of a store; each is asked once, when it is needed.

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
    def _witness(self) -> Witness | None:
        return None if self._store is None else witness(self._store)

    def set_by(self, asked_at: float, asked: Witness) -> float:
        """Compute by how many seconds the clock is ahead of the one by which a question was asked.

        Args:
            asked_at: When it was asked, in seconds since 1970.
            asked: The witness of that.
        """
        told = self._witness
        if told is None or told.clock != asked.clock or told.at < asked.at:
            return 0.0
        ahead = (self.now - asked_at) - (told.at - asked.at)
        return float(math.ceil(ahead)) if abs(ahead) >= _SLACK else 0.0
