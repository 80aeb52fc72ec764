"""Reviews and decisions with their secrets masked, and the masks that do it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NewType

from stepgraph.reviews import Decision, Review, ReviewRequest
from stepgraph.runs import GrowingMask, mask_of

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import ListedReview
    from stepgraph.runs import DecisionPreview, Mask, Run, SafeRow
    from stepgraph.stores import StateStore, StoredRun

SafeReview = NewType("SafeReview", Review)
"""A review whose secrets are masked: to be shown, listed and searched, never to be decided by."""
SafeRequest = NewType("SafeRequest", ReviewRequest)
"""What such a review asks."""
SafeDecision = NewType("SafeDecision", Decision)
"""A decision whose secrets are masked."""

_RUNS = 200
"""How many runs are remembered with their secrets, and how many graphs."""


def masked(review: Review, mask: Mask) -> SafeReview:
    """Mask the secrets of a review: what is searched is what is seen."""
    if not mask.hides:
        return SafeReview(review)
    decision, gate = review.decision, review.gate
    if gate is not None and gate.result is not None:
        held = gate.result
        output = None if held.output is None else mask.text(held.output)
        held = replace(held, updates=mask.values(held.updates), output=output, edits=mask.values(held.edits))
        gate = replace(gate, result=held)
    return SafeReview(
        replace(
            review,
            request=masked_request(review.request, mask),
            values=mask.values(review.values),
            decision=None if decision is None else masked_decision(decision, mask),
            votes=tuple(masked_decision(vote, mask) for vote in review.votes),
            started_by=mask.text(review.started_by),
            gate=gate,
        )
    )


def masked_request(request: ReviewRequest, mask: Mask) -> SafeRequest:
    """Mask the secrets of what is asked."""
    if not mask.hides:
        return SafeRequest(request)
    return SafeRequest(
        replace(
            request,
            prompt=mask.text(request.prompt),
            action=mask.text(request.action),
            arguments=mask.values(request.arguments),
            risk_reason=mask.text(request.risk_reason),
            conversation=tuple(map(mask.table, request.conversation)),
        )
    )


def decided_in(row: SafeRow) -> SafeDecision:
    """Read the decision or the vote of a row."""
    return SafeDecision(Decision.from_json(row.data or {}))


def masked_decision(decision: Decision, mask: Mask) -> SafeDecision:
    """Mask the secrets of a decision."""
    if not mask.hides:
        return SafeDecision(decision)
    return SafeDecision(
        replace(
            decision,
            values=mask.values(decision.values),
            text=mask.text(decision.text),
            comment=mask.text(decision.comment),
            by=mask.text(decision.by),
        )
    )


def in_list(listed: ListedReview) -> SafeReview:
    """Return the review of a list: it was masked when it was listed."""
    return SafeReview(listed.review)


def request_of(review: SafeReview) -> SafeRequest:
    """Return what a masked review asks."""
    return SafeRequest(review.request)


def decision_of(review: SafeReview) -> SafeDecision | None:
    """Return the decision of a masked review."""
    return None if review.decision is None else SafeDecision(review.decision)


def votes_of(review: SafeReview) -> list[SafeDecision]:
    """Return the approvals of a masked review so far."""
    return [SafeDecision(vote) for vote in review.votes]


@dataclass(frozen=True)
class ReviewStory:
    """A review as it is shown to whoever may decide it: what is asked, and where the answers lead."""

    review: Review
    """The review itself, whose texts and values are not masked."""
    run: Run
    """A handle of its run."""
    mask: Mask
    """Hides the secrets of both."""

    @classmethod
    def of(cls, review: Review, run: Run) -> ReviewStory:
        """Build the story of a review, masking secrets that its run has now, or had before."""
        return cls(review, run, mask_of(run.plan, run.store, run.id))

    @property
    def pending(self) -> bool:
        """Whether it waited for a person when it was read."""
        return self.review.status == "pending"

    @cached_property
    def safe(self) -> SafeReview:
        """The review, secrets masked."""
        return masked(self.review, self.mask)

    @cached_property
    def leads(self) -> list[DecisionPreview]:
        """What each verb leads to; none where it does not wait any more."""
        from stepgraph.runs import preview_verbs  # the inbox shows none

        return preview_verbs(self.run.plan, self.run, self.review) if self.pending else []


class RunMasks:
    """The masks of runs that are looked at again and again.

    A graph that several of them go by is read once, and of a run only what is new since the last look.

    Args:
        store: Where the runs are.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._plans: dict[tuple[str, str | None], CompiledGraph] = {}
        # An id may be given to another run once this one is deleted.
        self._mask = lru_cache(_RUNS)(lambda run_id, created_at: GrowingMask(store, run_id))

    def of(self, run: StoredRun) -> Mask:
        """Build the mask of a run's secrets.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        return self._mask(run.head.id, run.head.created_at).at(self.plan(run), run.pointer.version)

    def plan(self, run: StoredRun) -> CompiledGraph:
        """Read the graph of a run, as far as it can be shown.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        key = run.pointer.definition, run.head.source
        plan = self._plans.get(key)
        if plan is None:
            from stepgraph.runs import shown_plan  # it reads graphs, which words about them do not

            if len(self._plans) >= _RUNS:  # a server that runs for months meets many
                self._plans = {}
            plan = self._plans[key] = shown_plan(self._store, run)
        return plan

    def masked(self, review: Review) -> SafeReview:
        """Mask the secrets of a review, as its run has them.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        return masked(review, self.of_review(review))

    def of_review(self, review: Review) -> Mask:
        """Build the mask of the secrets of a review's run.

        Raises:
            StoreError: The store is damaged or cannot be read.
        """
        return self.of(self._store.load(review.run_id))
