"""The reviews of a store as lists show them: what waits, what was decided, what expired, what is broken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from stepgraph.reviews import RULES, ListedReview, Reviews, deadline_of, soonest_deadline
from stepgraph.stores import Damage, Listing, RunStatus, is_served
from stepgraph.values import StoreDamaged, UnknownRun
from stepgraph_tui.view.reviews import RunMasks, masked

from .characters import visible
from .plain import age, call_text
from .reviews import DONE, done_text
from .run_list import UNKNOWN, damage_text

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore, StoredRun

ReviewState = Literal["pending", "decided", "expired", "broken"]
"""Where a review is listed."""
STATES: tuple[ReviewState, ...] = get_args(ReviewState)
MOST_PAST = 200
"""How many reviews are listed that wait no longer: the latest ones."""
_MANY = 100
"""Runs that have moved from which on all are read at once."""
_BY_DEADLINE = {"reject": "rejected", "fail": "run failed", "approve_unsafe": "APPROVED UNSEEN"}
_UNREADABLE = "`{repair}` saves what can be read; `{delete}` deletes the run"
_UNREADABLE_THERE = "`{doctor}` shows more: restore a backup of the database; `{delete}` deletes the run"
_NO_NODE = "`{stop}` ends the run where it stands; `{delete}` deletes it"


@dataclass(frozen=True, slots=True)
class BrokenReview:
    """A review that cannot be decided, or that nothing could go on from."""

    run_id: str
    why: str
    """Safe to show."""
    review: ListedReview | None = None
    """The review, where it can be read."""
    damage: Damage | None = None
    """What is damaged, where it cannot."""
    is_served: bool = False
    """Whether a server keeps its store."""

    @classmethod
    def of(cls, damage: Damage, url: str) -> BrokenReview:
        """Build the row of a review that is damaged in a store."""
        served = is_served(url)
        return cls(damage.run or UNKNOWN, damage_text(damage), damage=damage, is_served=served)

    def ways_on(self, command: Callable[..., str]) -> str:
        """Describe what can be done about it, as commands.

        Args:
            command: Spells a command with its words.
        """
        unreadable = _UNREADABLE_THERE if self.is_served else _UNREADABLE
        return (unreadable if self.review is None else _NO_NODE).format(
            doctor=command("doctor"),
            repair=command("doctor", "--repair"),
            stop=command("runs", "stop", self.run_id),
            delete=command("runs", "delete", self.run_id) if self.run_id != UNKNOWN else command("runs"),
        )


class InboxLists(NamedTuple):
    """All that is listed, each list in the order in which it was read."""

    pending: list[ListedReview]
    decided: list[ListedReview]
    """Those that were withdrawn, too: nobody can decide them any more."""
    expired: list[ListedReview]
    broken: list[BrokenReview]
    due: list[Review]
    """Those whose rule this very reading has applied: their runs are ready, or have failed."""

    def of(self, state: ReviewState) -> list[ListedReview]:
        """Return the reviews of a state; of broken ones those that can be read."""
        if state == "broken":
            return [each.review for each in self.broken if each.review is not None]
        return {"pending": self.pending, "decided": self.decided, "expired": self.expired}[state]

    def count(self, state: ReviewState) -> int:
        """Count what a state has."""
        return len(self.broken if state == "broken" else self.of(state))


class InboxReader:
    """Reads the reviews of a store again and again; secrets are hidden, and what has not moved costs little.

    Args:
        store: A connection of the reader's own.
        now: The time, in seconds since 1970: deadlines that have passed by then are applied. See ``Reviews``.
        masks: What hides secrets; one of the reader's own when None.
    """

    def __init__(
        self,
        store: StateStore,
        now: Callable[[], float] | None = None,
        masks: RunMasks | None = None,
    ) -> None:
        self._store, self._now = store, now
        self._reviews, self._masks = Reviews(store, now), masks or RunMasks(store)
        self._waiting: dict[str, ListedReview | BrokenReview] = {}  # by the run
        self._damages: list[Damage] = []
        self._due: list[Review] = []
        self._versions: dict[str, int] | None = None  # of all runs, when they were read last

    def read(self, *, past: bool = True) -> InboxLists:
        """Read all of them.

        Args:
            past: Whether those are wanted, too, that wait no more: the latest ones.

        Raises:
            StoreError: The store cannot be read.
        """
        self._read_waiting()
        others = self._reviews.all(pending=False, limit=MOST_PAST) if past else Listing[Any]()
        damages = dict.fromkeys([*self._damages, *others.damages])
        broken = [BrokenReview.of(damage, self._store.url) for damage in damages]
        lists = InboxLists([], [], [], broken, self._due)
        for found in (*self._waiting.values(), *(self._list_review(*other) for other in others)):
            if isinstance(found, BrokenReview):
                lists.broken.append(found)
            elif not found.review.is_wait:
                lists.of(_state(found.review)).append(found)
        return lists

    @property
    def is_due(self) -> bool:
        """Whether a deadline has passed since the last reading: the store tells nobody of that."""
        now = time.time() if self._now is None else self._now()
        listed = (each for each in self._waiting.values() if isinstance(each, ListedReview))
        return any(deadline_of(each.review) <= now for each in listed)

    def _read_waiting(self) -> None:
        """Read what the runs that have moved wait for; of many, or where something is damaged, of all."""
        versions, known, self._due = self._store.versions(), self._versions or {}, []
        moved = [run_id for run_id, version in versions.items() if known.get(run_id) != version]
        if self._versions is None or len(moved) > _MANY or self._damages or self.is_due:
            self._read_all_waiting()
        else:
            kept = versions.keys() - moved
            self._waiting = {run_id: each for run_id, each in self._waiting.items() if run_id in kept}
            try:
                for run_id in moved:
                    self._read_moved(run_id)
            except StoreDamaged:  # a listing has it as a value
                self._read_all_waiting()
        self._versions = versions

    def _read_all_waiting(self) -> None:
        waiting = self._reviews.all()
        self._damages, self._due = waiting.damages, waiting.due
        self._waiting = {run.head.id: self._list_review(review, run) for review, run in waiting}

    def _read_moved(self, run_id: str) -> None:
        try:
            run = self._store.load(run_id)
        except UnknownRun:  # it was deleted just now
            return
        if run.pointer.status is not RunStatus.PAUSED:
            return
        review = self._reviews.of(run)
        if isinstance(review, Damage):
            self._damages.append(review)
        elif review.status == "pending":
            self._waiting[run_id] = self._list_review(review, run)

    def _list_review(self, review: Review, run: StoredRun) -> ListedReview | BrokenReview:
        """Hide the secrets of a review; where nobody knows what in it is secret, nothing of it is shown."""
        try:
            plan = self._masks.plan(run)
            listed = ListedReview(masked(review, self._masks.of(run)))
        except StoreDamaged as error:
            return BrokenReview.of(Damage(error.what, run.head.id), self._store.url)
        if review.status == "pending" and review.node not in plan.nodes:
            gone = f"its graph has no node {review.node} any more: nothing could go on after a decision"
            return BrokenReview(run.head.id, gone, listed)
        return listed


def _state(review: Review) -> ReviewState:
    return review.status if review.status in ("pending", "expired") else "decided"


# Words


def act_text(review: Review) -> str:
    """Summarize a masked review in one line: its action, else its question."""
    request = review.request
    named = bool(request.action or request.arguments)
    return call_text(request.action, request.arguments) if named else visible(request.prompt)


def place_text(review: Review) -> str:
    """Describe who asks: ``refund-triage/review``."""
    return visible(f"{review.graph}/{review.node}")


def deadline_text(reviews: Iterable[Review], now: float) -> str:
    """Describe how much time is left to decide the most urgent one: ``in 55m``, ``over``; a dash for ever."""
    deadline = soonest_deadline(reviews)
    if deadline == inf:
        return "-"
    return f"in {age(deadline - now)}" if deadline > now else "over"


def due_text(review: Review) -> str:
    """Describe a review that a deadline has ended, and how its run stands."""
    run = f"run {review.run_id}"
    if review.is_wait:
        return f"{run} is ready: the time that it waited for has come"
    stands = "has failed" if review.decision is None else "is ready"
    return f"review {review.id} was {RULES[review.terms.on_timeout or 'reject']}; {run} {stands}"


def outcome_text(review: Review) -> str:
    """Describe what became of a review, in a word or two; what a deadline has done is unmistakable."""
    if review.status == "expired":
        return _BY_DEADLINE[review.terms.on_timeout or "reject"]
    return DONE[review.decision.verb] if review.decision is not None else review.status


def ended_text(review: Review) -> str:
    """Describe what became of a review, and by whom: ``rejected by ben (cli)``."""
    if review.status == "expired" or review.decision is None:
        return f"{outcome_text(review)} by its deadline" if review.status == "expired" else review.status
    return visible(done_text(review.decision, source=True))
