"""What becomes of a review that nobody has decided in time, and how a latecomer is told."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ..values.durations import duration_text
from ..values.errors import AlreadyDecided
from .model import Decision
from .terms import TIMEOUT

if TYPE_CHECKING:
    from ..values.json_values import Json
    from .model import Review

TIME_HAS_COME = "the time has come"
"""What is said where the run waited for nothing else."""
RULES = {
    "reject": "rejected by its deadline: nobody decided in time",
    "fail": "failed by its deadline: nobody decided in time",
    "approve_unsafe": "APPROVED UNSEEN by its deadline (approve_unsafe): nobody looked",
    "go_on": "over: the time that it waited for had come",
}
"""What each rule has done with a review, in words."""


def is_overdue(review: Review, now: float) -> bool:
    """Tell whether the rule of a review is to be applied by now."""
    return review.status == "pending" and review.deadline is not None and now >= review.deadline


def timeout_decision(review: Review, now: float) -> Decision | None:
    """Make the decision that a review's rule asks for; None where the run is to fail instead."""
    rule = review.terms.on_timeout
    if rule == "fail":
        return None
    return Decision(
        "reject" if rule == "reject" else "approve",
        by=TIMEOUT,
        comment=TIME_HAS_COME if review.is_wait else f"{_in_time(review)}; on_timeout = {rule}",
        source=TIMEOUT,
        at=now,
        review=review.id,
        hash=review.hash,
    )


def timeout_failure(review: Review) -> dict[str, Json]:
    """Write what is recorded where a run fails because nobody has decided in time."""
    return {
        "verb": "fail",
        "by": TIMEOUT,
        "comment": f"{_in_time(review)}; on_timeout = fail",
        "source": TIMEOUT,
        "hash": review.hash,
    }


def failure_of(review: Review, recorded: dict[str, Json]) -> dict[str, Json]:
    """Write the failure of the node that waited, as the ledger keeps failures."""
    return {
        "type": "NodeFailed",
        "message": f"node {review.node!r} waited for review {review.id}: {recorded['comment']}",
        "hint": "retry the run to ask anew, with a new deadline",
    }


def escalation(review: Review) -> dict[str, Json]:
    """Write what is recorded where others may decide a review as well from now on."""
    to = review.terms.escalate_to or ()
    said = f"nobody decided within {duration_text(review.terms.escalate_after or 0)}: {', '.join(to)} may too"
    return {"to": [*to], "by": TIMEOUT, "comment": said, "source": TIMEOUT, "hash": review.hash}


def _in_time(review: Review) -> str:
    who = "nobody decided"
    if review.votes:
        who = f"{len(review.votes)} of {review.terms.needed} had approved"
    return f"{who} within {duration_text(review.terms.deadline or 0)}"


def already_decided(review: Review) -> AlreadyDecided:
    """Make the error that tells a loser who won, or a latecomer what the deadline has done."""
    decision = review.decision
    hint = f"nothing was changed; `stepgraph runs show {review.run_id}` shows how the run went on"
    if review.status == "expired":
        rule = review.terms.on_timeout or ""
        when = f"it waited until {_moment(review.deadline or 0)}"
        if decision is None:
            hint = f"`stepgraph retry {review.run_id}` asks anew, with a new deadline"
        return AlreadyDecided(f"review {review.id} was {RULES.get(rule, rule)}; {when}", hint=hint)
    assert decision is not None  # noqa: S101  # it is decided, then
    who = decision.by or "somebody"
    comment = f": {decision.comment}" if decision.comment else ""
    return AlreadyDecided(
        f"review {review.id} was decided before: {decision.verb} by {who} ({decision.source}) "
        f"at {_moment(decision.at)}{comment}",
        hint=hint,
    )


def _moment(at: float) -> str:
    try:
        return datetime.fromtimestamp(at).astimezone().isoformat(" ", "seconds")
    except (ValueError, OverflowError, OSError):  # a clock that was set to no year of the calendar
        return f"{at} seconds since 1970"
