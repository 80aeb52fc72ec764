"""Runs that a decision has made ready, and that nobody has continued yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.reviews import Reviews
from stepgraph.stores import RunStatus, driven
from stepgraph.values import StepgraphError

if TYPE_CHECKING:
    from stepgraph.stores import StateStore, StoredRun


def decided_runs(store: StateStore) -> list[StoredRun]:
    """List the ready runs whose decision is not used yet, the oldest first; not those that workers drive.

    Raises:
        StoreError: The store cannot be read.
    """
    reviews = Reviews(store)
    found = [run for run in store.runs(RunStatus.READY) if _is_decided(reviews, run)]
    theirs = driven(store) if found else ()
    return [run for run in reversed(found) if run.head.id not in theirs]


def _is_decided(reviews: Reviews, run: StoredRun) -> bool:
    """Return whether a decision waits to be used; also true where the review cannot be read."""
    review = run.pointer.review
    try:
        return review is not None and reviews.get(review).decision is not None
    except StepgraphError:  # continuing it says why, and keeps no other run from continuing
        return True
