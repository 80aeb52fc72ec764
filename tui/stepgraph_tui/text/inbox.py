"""The reviews of a store as lists show them: what waits, what was decided, what expired, what is broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.waiting import ListedReview, deadline_of
from stepgraph.values.errors import StoreDamaged

from .plain import age, call_text, visible
from .reviews import DONE, RunMasks, masked
from .runs import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepgraph.reviews.model import Review
    from stepgraph.stores.base import Damage, Listing, StateStore, StoredRun

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

    @property
    def known_run(self) -> str | None:
        """The run; None where not even its id can be read."""
        return None if self.run_id == UNKNOWN else self.run_id

    def ways_on(self, command: Callable[..., str]) -> str:
        """Tell what can be done about it, as commands.

        Args:
            command: Spells a command with its words.
        """
        return (_UNREADABLE if self.review is None else _NO_NODE).format(
            doctor=command("doctor", "--repair"),
            stop=command("runs", "stop", self.run_id),
            delete=command("runs", "delete", self.run_id) if self.known_run is not None else command("runs"),
        )


class InboxLists(NamedTuple):
    """All that is listed, each list in the order in which it was read."""

    pending: Sequence[ListedReview] = ()
    decided: Sequence[ListedReview] = ()
    """Those that were withdrawn, too: nobody can decide them any more."""
    expired: Sequence[ListedReview] = ()
    broken: Sequence[BrokenReview] = ()

    def of(self, state: ReviewState) -> Sequence[ListedReview]:
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
    """

    store: StateStore
    _listed: dict[tuple[str, int], ListedReview | BrokenReview] = field(default_factory=dict)

    def read(self) -> InboxLists:
        """Read all of them.

        Raises:
            StoreError: The store cannot be read.
        """
        reviews, masks = Reviews(self.store), RunMasks(self.store)
        waiting, past = reviews.all(), reviews.all(pending=False, limit=MOST_PAST)
        before, self._listed = self._listed, {}
        found = [*self._read(waiting, masks, before), *self._read(past, masks, before)]
        listed = [each for each in found if isinstance(each, ListedReview)]
        status = {state: [each for each in listed if _state(each.review) == state] for state in STATES}
        damages = dict.fromkeys((*waiting.damages, *past.damages))
        broken = [each for each in found if isinstance(each, BrokenReview)]
        return InboxLists(
            status["pending"],
            status["decided"],
            status["expired"],
            [*map(_damaged, damages), *broken],
        )

    def _read(
        self,
        found: Listing[tuple[Review, StoredRun]],
        masks: RunMasks,
        before: dict[tuple[str, int], ListedReview | BrokenReview],
    ) -> Iterable[ListedReview | BrokenReview]:
        for review, run in found:
            at = review.id, run.pointer.version
            known = before.get(at)
            self._listed[at] = known if known is not None else _listed(review, run, masks)
            yield self._listed[at]


def _listed(review: Review, run: StoredRun, masks: RunMasks) -> ListedReview | BrokenReview:
    """Hide the secrets of a review; where nobody knows what in it is secret, nothing of it is shown."""
    try:
        plan = masks.plan(run)
        listed = ListedReview(masked(review, masks.of(run)))
    except StoreDamaged as error:
        return BrokenReview(run.head.id, visible(error.what))
    if review.status == "pending" and review.node not in plan.nodes:
        why = f"its graph has no node {visible(review.node)} any more: nothing could go on after a decision"
        return BrokenReview(run.head.id, why, listed)
    return listed


def _damaged(damage: Damage) -> BrokenReview:
    return BrokenReview(damage.run or UNKNOWN, visible(damage.what))


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
