"""How often a run that moves on by itself is looked at."""

from __future__ import annotations

import time
from collections.abc import Callable

EVERY = 0.1
"""The seconds between two looks at the least: more pictures a second show nobody more."""
_SHARE = 4
"""Looking, and painting what was seen, takes a quarter of the time at most: the nodes need the rest."""


class LookPace:
    """Says when to look again: ten times a second, and less often where a look costs much.

    It goes by time and never by steps, so a fast run is looked at as often as a slow one, and keys are
    answered in between. What a look costs is what the asking thread has worked since, painting included.

    Args:
        now: What tells the time, in seconds.
        worked: For how long the thread that asks has worked, in seconds.
    """

    def __init__(
        self, now: Callable[[], float] = time.monotonic, worked: Callable[[], float] = time.thread_time
    ) -> None:
        self._now, self._worked = now, worked
        self._last: tuple[float, float] | None = None

    def is_due(self) -> bool:
        """Tell whether it is time, and if so take it that the look is taken now."""
        now, worked = self._now(), self._worked()
        if self._last is not None:
            passed, cost = now - self._last[0], worked - self._last[1]
            if passed < cost * _SHARE:
                return False
        self._last = now, worked
        return True
