"""Applying what is overdue in time, for whoever looks at a store again and again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

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
        self._next: dict[str, float] = {}  # the next moment of each review that waits
        self.timed: set[str] = set()
        """Those of them, by their ids, that wait for a time and ask nobody."""

    def take(self, review: Review) -> None:
        """Take note of a review that was just read, so that it need not be read again."""
        self._next[review.id] = _next_moment(review)
        if review.is_wait:
            self.timed.add(review.id)

    @property
    def is_due(self) -> bool:
        """Whether something has become due since the last look."""
        now = self._now()
        return any(at <= now for at in self._next.values())

    def look(self, paused: Iterable[StoredRun]) -> bool:
        """Apply what is due to the reviews of the runs that wait, and tell whether one of them waits no more.

        Args:
            paused: The paused runs, as the store has them now.
        """
        now = self._now()
        waiting = {run.pointer.review: run for run in paused if run.pointer.review is not None}
        self._next = {id_: at for id_, at in self._next.items() if id_ in waiting}
        self.timed &= waiting.keys()
        ended = False
        for id_, run in waiting.items():
            if self._next.get(id_, now) <= now:
                review = self._reviews.of(run)
                if isinstance(review, Review):
                    self.take(review)
                    ended |= review.status != "pending"
                else:
                    self._next[id_] = math.inf
        return ended


def _next_moment(review: Review) -> float:
    """Find when something happens to a review by itself: its escalation, then its deadline."""
    if review.status != "pending":
        return math.inf
    escalation = None if review.escalated else review.escalates_at
    return min((at for at in (escalation, review.deadline) if at is not None), default=math.inf)
