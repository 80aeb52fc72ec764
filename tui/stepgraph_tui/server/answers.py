"""Runs and reviews as the server tells them, secrets masked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from stepgraph.reviews import voters
from stepgraph.runs.decision_preview import preview_verbs
from stepgraph_tui.text.reviews import preview_text
from stepgraph_tui.view.reviews import masked

from .bodies import (
    Consequence,
    DecisionAnswer,
    ErrorAnswer,
    ExecutionAnswer,
    ReviewAnswer,
    ReviewDetails,
    StatusEvent,
    StepEvent,
    VoteAnswer,
)

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.stores.ledger import Pointer
    from stepgraph_tui.view.errors import ErrorStory
    from stepgraph_tui.view.reviews import SafeReview
    from stepgraph_tui.view.runs import RunStory, StepStory


def execution_answer(story: RunStory, *, running: bool) -> ExecutionAnswer:
    """Tell where a run stands."""
    run, review = story.run, story.pending
    return ExecutionAnswer(
        execution_id=run.id,
        graph=run.head.graph,
        started_by=story.started_by,
        status=run.status,
        running=running,
        outcome=run.outcome,
        flagged=run.flagged,
        current_node_id=run.current,
        step=run.step,
        max_steps=run.max_steps,
        state_snapshot=story.values,
        visit_history=visited(run.store.visits(run.id), run.version),
        output=story.output,
        error=None if story.error is None else error_answer(story.error),
        review=None if review is None else review_answer(review),
    )


def visited(visits: Mapping[str, Iterable[int]], version: int) -> list[str]:
    """List the visited nodes in order, up to a version of the run."""
    found = chain.from_iterable(((seq, node) for seq in seqs) for node, seqs in visits.items())
    return [node for seq, node in sorted(found) if seq <= version]


def error_answer(error: ErrorStory) -> ErrorAnswer:
    """Tell an error of the engine."""
    return ErrorAnswer(code=error.code, message=error.message, hint=error.hint)


def review_answer(review: SafeReview) -> ReviewAnswer:
    """Tell what a person is asked, and what was decided."""
    return ReviewAnswer.model_validate(_told(review))


def review_details(review: Review, run: Run, mask: Mask) -> ReviewDetails:
    """Tell what a person is asked, and where each answer leads."""
    leads = preview_verbs(run.plan, run, review) if review.status == "pending" else []
    told = [
        Consequence(
            decision=lead.verb, says=mask.text(preview_text(lead)), side_effects=list(lead.side_effects)
        )
        for lead in leads
    ]
    return ReviewDetails.model_validate({**_told(masked(review, mask)), "consequences": told})


def _told(review: SafeReview) -> dict[str, object]:
    request, decision, now = review.request, review.decision, time.time()
    return {
        "id": review.id,
        "hash": review.hash,
        "execution_id": review.run_id,
        "graph": review.graph,
        "node": review.node,
        "step": review.step,
        "visit": review.visit,
        "status": review.status,
        "gate": review.gate.side if review.gate is not None else None,
        "prompt": request.prompt,
        "action": request.action,
        "arguments": dict(request.arguments),
        "values": dict(review.values),
        "editable": dict(request.editable),
        "allow": list(request.verbs),
        "risk": request.risk,
        "risk_reason": request.risk_reason,
        "asked_at": review.asked_at,
        "started_by": review.started_by,
        "deadline": review.deadline,
        "on_timeout": review.terms.on_timeout if review.deadline is not None else None,
        "approvers": list(voters.approvers(review, now)),
        "votes": [VoteAnswer(by=vote.by, at=vote.at, source=vote.source) for vote in review.votes],
        "approvals_missing": voters.missing(review) if review.status == "pending" else 0,
        "decision": None if decision is None else _decision(decision),
    }


def _decision(decision: Decision) -> DecisionAnswer:
    return DecisionAnswer(
        decision=decision.verb,
        values=dict(decision.values),
        text=decision.text,
        comment=decision.comment,
        by=decision.by,
        source=decision.source,
        at=decision.at,
    )


def step_event(step: StepStory) -> StepEvent:
    """Tell a completed step."""
    return StepEvent(
        step=step.record.step,
        node=step.node,
        visit=step.record.visit,
        next=step.next,
        output=step.output,
        duration=step.record.duration,
    )


def status_event(pointer: Pointer, error: ErrorStory | None, review: SafeReview | None) -> StatusEvent:
    """Tell where a run stands now, in short."""
    return StatusEvent(
        status=pointer.status,
        outcome=pointer.outcome,
        current_node_id=pointer.current,
        step=pointer.step,
        error=None if error is None else error_answer(error),
        review=None if review is None else review_answer(review),
    )
