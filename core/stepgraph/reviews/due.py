"""Applying what is overdue in time, for whoever looks at a store again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..values.clocks import is_real, uptime
from .inbox import Reviews
from .model import Review

if TYPE_CHECKING:
    from ..stores.base import StateStore, StoredRun


class DueReviews:
    """Knows when each review that waits is to be looked at again; each look reads only what is new or due.

    Args:
        store: Where the runs live.
        now: The time, in seconds since 1970.
    """

    def __init__(self, store: StateStore, now: Callable[[], float]) -> None:
        self._reviews, self._now = Reviews(store, now), now
        self._passed = uptime if is_real(now) else now  # the clock may be set meanwhile
        self._next: dict[str, tuple[float, float]] = {}  # the next moment of each review, by both clocks
        self.timed: set[str] = set()
        """Those of them, by their ids, that wait for a time and ask nobody."""

    def take(self, review: Review) -> None:
        """Take note of a review that was just read, so that it need not be read again."""
        moment = _next_moment(review)
        self._next[review.id] = moment, self._passed() + moment - self._now()
        if review.is_wait:
            self.timed.add(review.id)

    @property
    def is_due(self) -> bool:
        """Whether something has become due since the last look."""
        now, passed = self._now(), self._passed()
        return any(at <= now or then <= passed for at, then in self._next.values())

    def look(self, paused: Iterable[StoredRun]) -> bool:
        """Apply what is due to the reviews of the runs that wait, and tell whether one of them waits no more.

        Args:
            paused: The paused runs, as the store has them now.
        """
        waiting = {run.pointer.review: run for run in paused if run.pointer.review is not None}
        self._next = {id_: at for id_, at in self._next.items() if id_ in waiting}
        self.timed &= waiting.keys()
        now, passed, ended = self._now(), self._passed(), False
        for id_, run in waiting.items():
            at, then = self._next.get(id_, (now, passed))
            if at <= now or then <= passed:
                review = self._reviews.of(run)
                if isinstance(review, Review):
                    self.take(review)
                    ended |= review.status != "pending"
                else:
                    self._next[id_] = math.inf, math.inf
        return ended


def _next_moment(review: Review) -> float:
    """Find when something happens to a review by itself: its escalation, then its deadline."""
    if review.status != "pending":
        return math.inf
    escalation = None if review.escalated else review.escalates_at
    return min((at for at in (escalation, review.deadline) if at is not None), default=math.inf)
