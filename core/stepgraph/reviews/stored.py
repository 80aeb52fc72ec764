"""A review as the rows of its run's ledger say it: what was asked, who approved, what became of it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast, get_args

from ..stores.ledger import RunStatus
from ..stores.refusals import damaged
from ..values.errors import StateError
from ..values.messages import said
from .clock import ClockReading, ReviewClock
from .model import Decision, Gate, Review, ReviewRequest, ReviewStatus, Verb, payload_hash
from .terms import NO_TERMS, TIMEOUT, ReviewTerms

if TYPE_CHECKING:
    from ..stores.base import StoredReview
    from ..stores.ledger import Row


def stored_review(url: str, found: StoredReview, clock: ReviewClock) -> Review:
    """Read a review from its rows, as its run stood at the same moment.

    Args:
        url: The store.
        found: Its rows, the first of which asks, and its run.
        clock: The clocks of whoever looks at it.

    Raises:
        StoreDamaged: They are not what Stepgraph writes.
    """
    run, rows = found
    asked = rows[0]
    try:
        data = cast(dict[str, Any], asked.data)
        request = ReviewRequest.from_json(data["request"])
        request.to_json()  # refuses what is not of its kind
        gate = Gate.from_json(data["gate"], request) if "gate" in data else None
        passed = data.get("passed")
        terms = ReviewTerms.from_json(data["terms"]) if "terms" in data else NO_TERMS
        if data["hash"] != payload_hash(asked.node or "", data["request"], data["values"], gate):
            raise ValueError("it is not what its hash was made of")
        waits_since = asked.at + asked.duration
        after = terms.escalate_after
        decision = next((_decision(asked, row) for row in rows if row.kind == "decision"), None)
        status = _status(found, decision)
        ahead = 0.0
        if status == "pending" and "asked" in data:
            ahead = clock.ahead_by(waits_since, _reading(data["asked"]))
            waits_since += ahead
        return Review(
            id=asked.review or "",
            run_id=run.head.id,
            graph=run.head.graph,
            node=asked.node or "",
            step=asked.step,
            visit=asked.visit,
            request=replace(request, terms=terms, merge_edits=data.get("merges") is True),
            values=dict(data["values"]),
            hash=str(data["hash"]),
            asked_at=asked.at,
            status=status,
            decision=decision,
            gate=gate,
            passed=None if passed is None else str(passed),
            started_by=str(data.get("started_by", "")),
            terms=terms,
            deadline=None if terms.deadline is None else waits_since + terms.deadline,
            escalates_at=None if after is None else waits_since + after,
            clock_ahead=ahead,
            escalated=any(row.kind == "escalation" for row in rows),
            votes=tuple(_decision(asked, row) for row in rows if row.kind == "vote"),
            edits=dict(data.get("edits", {})),
            authors=_names(data.get("authors", [])),
        )
    except (ArithmeticError, AttributeError, LookupError, StateError, TypeError, ValueError) as error:
        what = f"review {asked.review!r} of run {run.head.id!r} cannot be read"
        raise damaged(url, f"{what} ({type(error).__name__}{said(error)})") from error


def _reading(asked: Any) -> ClockReading:
    clock, at = asked["clock"], asked["at"]
    if type(clock) is not str or type(at) not in (int, float) or not abs(at) <= sys.float_info.max:
        raise ValueError("its clock cannot be read")
    return ClockReading(clock, at)


def _names(names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its authors are no list of names")
    return tuple(names)


def _status(found: StoredReview, decision: Decision | None) -> ReviewStatus:
    run, rows = found
    if decision is not None:
        return "expired" if decision.source == TIMEOUT else "decided"
    if any(row.kind == "attempt" for row in rows):
        return "expired"
    waits = run.pointer.review == rows[0].review and run.pointer.status is RunStatus.PAUSED
    return "pending" if waits else "withdrawn"


def _decision(asked: Row, row: Row) -> Decision:
    decision = Decision.from_json(cast(dict[str, Any], row.data))
    texts = (decision.text, decision.by, decision.comment, decision.source, decision.review, decision.hash)
    fits = all(isinstance(text, str) for text in texts) and isinstance(decision.at, (int, float))
    fits = fits and abs(decision.at) <= sys.float_info.max and bool("".join(texts).encode())
    if not fits or decision.verb not in get_args(Verb) or not isinstance(decision.values, dict):
        raise ValueError("its decision is none")
    if (decision.review, decision.hash) != (asked.review, cast(dict[str, Any], asked.data)["hash"]):
        raise ValueError("its decision is about another one")
    return decision
