"""What the store says about reviews: the others that wait, and what happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.reviews import DueReviews, Reviews, in_order
from stepgraph.values import StepgraphError

from ...store_look import LastSeen
from ...text.state_diff import differences
from .subject import Difference, Subject

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore

    from ...commands.hints import Hints


@dataclass(frozen=True, slots=True)
class ReviewNews:
    """What has become of a review since it was read."""

    review: Review
    """The review as it is now."""
    is_over: bool
    """Whether it was decided, or asks something else."""
    run_changed: bool


class ReviewWatch:
    """Reads reviews one after the other, and looks whether somebody else decides or changes what was read.

    Args:
        store: The store, read on this thread.
        time: The time, in seconds since 1970.
        stamp: Gives the store's stamp, which each commit changes.
    """

    def __init__(
        self, store: StateStore, time: Callable[[], float], stamp: Callable[[], object] | None = None
    ) -> None:
        self._store, self._reviews, self._time = store, Reviews(store, time), time
        self._seen, self._due = LastSeen(stamp or store.stamp), DueReviews(store, time)
        self._review_id, self._run_id = (
            "",
            "",
        )  # of the review that was read last; no run where it could not be
        self.queue: list[str] = []
        """The ids of all reviews that waited then."""

    def open(self, review_id: str) -> Subject:
        """Read a review.

        Raises:
            UnknownReview: There is none of that id.
            StoreError: The store is damaged or cannot be read.
        """
        self._review_id, self._run_id = review_id, ""
        self.distrust()
        self._due = DueReviews(self._store, self._time)
        self._reviews.get(review_id)  # which applies what is overdue
        subject = Subject.read(self._store, review_id, self._time())
        self._run_id, self.queue = subject.review.run_id, self._waiting()
        return subject

    def _waiting(self) -> list[str]:
        try:
            return [review.id for review in in_order(self._reviews.pending())]
        except StepgraphError:  # one of the others is damaged: this one can be decided all the same
            return [self._review_id]

    def place(self, hints: Hints) -> str:
        """Describe which of how many reviews this is, between the keys of the others: ``< 2 of 4 >``."""
        at = f"{self.queue.index(self._review_id) + 1} of " if self._review_id in self.queue else ""
        place = f"{at}{len(self.queue)}"
        if len(self.queue) < 2:
            return place
        return f"{hints.key('approval.previous')} {place} {hints.key('approval.next')}"

    def other(self, by: int) -> str | None:
        """Find the next or the previous review that waits now; None when none does."""
        queue = self._waiting()
        if self._review_id in queue:
            return queue[(queue.index(self._review_id) + by) % len(queue)]
        return self.successor() or next(iter(queue), None)

    def successor(self) -> str | None:
        """Find what the same run asks now; None when that is nothing."""
        if not self._run_id:
            return None
        try:
            last = self._reviews.last_of(self._run_id)
        except StepgraphError:
            return None
        return last.id if last is not None and last.id in self._waiting() else None

    def distrust(self) -> None:
        """Read again at the next look, even if the store's stamp is still the same."""
        self._seen.forget()

    def news(self, subject: Subject) -> ReviewNews | None:
        """Look what has become of a review that was read; None where nobody has changed anything.

        Deadlines pass without a commit: the store is read when one does.

        Raises:
            StepgraphError: The store cannot be read.
        """
        if self._seen.is_current() and not self._due.is_due:
            return None
        self._reviews.get(subject.review.id)
        review, found = self._reviews.read(subject.review.id)
        self._due.take(review)
        self._seen.keep()
        is_over = review.status != "pending" or review.hash != subject.review.hash
        return ReviewNews(review, is_over, found.run.pointer.version != subject.run.version)

    def after_the_question(self, subject: Subject) -> tuple[Difference, ...]:
        """Find what was changed in the run's state after its question, masked.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        mask, run_id = subject.mask, subject.review.run_id
        now = self._store.values(run_id, self._store.load(run_id).pointer.version)
        before = self._store.values(run_id, subject.walk.upto)
        return tuple(differences(mask.values(before), mask.values(now)))
