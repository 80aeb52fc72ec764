"""The reviews of a store as lists show them: what waits, what was decided, what expired, what is broken."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.waiting import ListedReview, deadline_of
from stepgraph.stores.base import Damage
from stepgraph.values.errors import StoreDamaged

from .plain import age, call_text, visible
from .reviews import DONE, RunMasks, masked
from .runs import UNKNOWN

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.stores.base import StateStore, StoredRun

ReviewState = Literal["pending", "decided", "expired", "broken"]
"""Where a review is listed."""
STATES: tuple[ReviewState, ...] = get_args(ReviewState)
MOST_PAST = 500
"""How many reviews are listed that wait no longer: the latest ones."""
_UNREADABLE = "`{doctor}` saves what can be read; `{delete}` deletes the run"
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

    @classmethod
    def of(cls, damage: Damage) -> BrokenReview:
        """Tell of a review that is damaged."""
        return cls(damage.run or UNKNOWN, visible(damage.what), damage=damage)

    def ways_on(self, command: Callable[..., str]) -> str:
        """Tell what can be done about it, as commands.

        Args:
            command: Spells a command with its words.
        """
        return (_UNREADABLE if self.review is None else _NO_NODE).format(
            doctor=command("doctor", "--repair"),
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

    def of(self, state: ReviewState) -> list[ListedReview]:
        """Give the reviews of a state; of broken ones those that can be read."""
        if state == "broken":
            return [each.review for each in self.broken if each.review is not None]
        return {"pending": self.pending, "decided": self.decided, "expired": self.expired}[state]

    def count(self, state: ReviewState) -> int:
        """Count what a state has."""
        return len(self.broken if state == "broken" else self.of(state))


@dataclass(slots=True)
class InboxReader:
    """Reads the reviews of a store again and again; secrets are hidden, and what has not moved costs little.

    Args:
        store: A connection of the reader's own.
        now: The time, in seconds since 1970: deadlines that have passed by then are applied.
    """

    store: StateStore
    now: Callable[[], float] = time.time
    _known: dict[tuple[str, int], ListedReview | BrokenReview] = field(default_factory=dict)

    def read(self, *, past: bool = True) -> InboxLists:
        """Read all of them.

        Args:
            past: Whether those are wanted, too, that wait no more: the latest ones.

        Raises:
            StoreError: The store cannot be read.
        """
        reviews, masks = Reviews(self.store, self.now), RunMasks(self.store)
        found = reviews.all()
        if past:
            others = reviews.all(pending=False, limit=MOST_PAST)
            found.extend(others)
            found.damages = list(dict.fromkeys([*found.damages, *others.damages]))
        before, self._known = self._known, {}
        lists = InboxLists([], [], [], [BrokenReview.of(damage) for damage in found.damages])
        for review, run in found:
            at = review.id, run.pointer.version
            known = self._known[at] = before.get(at) or self._listed(review, run, masks)
            if isinstance(known, BrokenReview):
                lists.broken.append(known)
            else:
                lists.of(_state(known.review)).append(known)
        return lists

    def _listed(self, review: Review, run: StoredRun, masks: RunMasks) -> ListedReview | BrokenReview:
        """Hide the secrets of a review; where nobody knows what in it is secret, nothing of it is shown."""
        try:
            plan = masks.plan(run)
            listed = ListedReview(masked(review, masks.of(run)), self._starter(run))
        except StoreDamaged as error:
            return BrokenReview.of(Damage(error.what, run.head.id))
        if review.status == "pending" and review.node not in plan.nodes:
            gone = (
                f"its graph has no node {visible(review.node)} any more: nothing could go on after a decision"
            )
            return BrokenReview(run.head.id, gone, listed)
        return listed

    def _starter(self, run: StoredRun) -> str:
        """Read who started a run; empty where nobody is known."""
        (first,) = self.store.rows(run.head.id, upto=1) or (None,)
        by = (first.data or {}).get("by") if first is not None else None
        return by if isinstance(by, str) else ""


def _state(review: Review) -> ReviewState:
    return review.status if review.status in ("pending", "expired") else "decided"


# Words


def act_text(review: Review) -> str:
    """Tell in one line what a masked review is about: its action, else its question."""
    request = review.request
    named = bool(request.action or request.arguments)
    return call_text(request.action, request.arguments) if named else visible(request.prompt)


def place_text(review: Review) -> str:
    """Tell who asks: ``refund-triage/review``."""
    return f"{visible(review.graph)}/{visible(review.node)}"


def deadline_text(review: Review, now: float) -> str:
    """Tell how much time is left to decide: ``in 55m``, ``over``; a dash without a deadline."""
    deadline = deadline_of(review)
    if deadline == inf:
        return "-"
    return f"in {age(deadline - now)}" if deadline > now else "over"


def outcome_text(review: Review) -> str:
    """Tell what became of a review, in a word: ``rejected``."""
    return DONE[review.decision.verb] if review.decision is not None else review.status
