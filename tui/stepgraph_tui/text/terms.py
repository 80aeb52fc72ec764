"""The terms of a review in words: until when it waits, for whom, and who has approved so far."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import voters
from stepgraph.reviews.clock import NOTED
from stepgraph.reviews.model import Decision
from stepgraph.reviews.terms import person
from stepgraph.reviews.timeouts import RULES

from .plain import age, clock, moment, visible, waited

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.values.errors import NotAllowed

_DOES = {
    "reject": "auto-rejects",
    "fail": "auto-fails",
    "approve_unsafe": "AUTO-APPROVES",
    "go_on": "goes on",
}
_OTHER_NAME = "Under another name: `stepgraph --as NAME`, or `name` in settings.toml"
_THEN = {
    "reject": "then it is rejected",
    "fail": "then the run fails here",
    "approve_unsafe": "then it is APPROVED UNSEEN (approve_unsafe)",
    "go_on": "then the run goes on",
}


def countdown(review: Review, now: float, *, seconds: bool = True) -> str:
    """Tell how long there is left: ``auto-rejects in 3m 12s``, or ``in 3m``; empty without a deadline."""
    if review.deadline is None or review.status != "pending":
        return ""
    left = waited(ceil(review.deadline - now)) if seconds else age(review.deadline - now)
    return f"{_DOES[review.terms.on_timeout or 'reject']} in {left}"


def clock_text(review: Review, now: float) -> str:
    """Describe how this machine's clock differs from the one a review was asked by; empty if they agree."""
    if review.deadline is None or abs(review.clock_ahead) < NOTED:
        return ""
    nearest = age(abs(review.clock_ahead) + 30)  # to the minute
    differs = f"{nearest} {'ahead of' if review.clock_ahead > 0 else 'behind'}"
    left = waited(ceil(review.deadline - now))
    clocks = f"this machine's clock is {differs} the one by which review {visible(review.id)} was asked"
    return f"{clocks}; by the time that has passed since, its deadline is in {left}"


def wait_text(review: Review) -> str:
    """Tell until when a run waits for a time: ``waits until 14:02:11``."""
    return f"waits until {moment(review.deadline or 0.0, review.asked_at)}"


def deadline_text(review: Review) -> str:
    """Tell when something happens by itself: ``auto-rejects at 14:02:11``; empty without a deadline."""
    if review.deadline is None or review.status != "pending":
        return ""
    return f"{_DOES[review.terms.on_timeout or 'reject']} at {moment(review.deadline, review.asked_at)}"


def expired_text(review: Review) -> str:
    """Tell what a deadline has done with a review, by which rule, and when it was."""
    rule = review.terms.on_timeout or ""
    return f"{RULES.get(rule, rule)}; the deadline was {clock(review.deadline or 0.0)}"


def still_missing(review: Review, verb: str) -> str:
    """Tell how many others must approve before an approval leads anywhere; empty where none must."""
    others = voters.missing(review) - 1
    if verb != "approve" or others < 1:
        return ""
    return "once another person approves" if others == 1 else f"once {others} other people approve"


def refusals(review: Review, name: str, now: float) -> dict[str, NotAllowed]:
    """Find what somebody may not decide, by the verbs on offer, each with the reason."""
    found = {verb: voters.refusal(review, Decision(verb, by=name), now) for verb in review.request.verbs}
    return {verb: refusal for verb, refusal in found.items() if refusal is not None}


def other_name(review: Review, name: str, now: float) -> str:
    """Tell how to act under another name, where this one may not decide; nothing where it has approved."""
    has_voted = person(name) in (person(vote.by) for vote in review.votes)
    return "" if has_voted or not refusals(review, name, now) else _OTHER_NAME


def term_rows(review: Review, now: float, *, counts: bool = True) -> Iterator[tuple[str, str]]:
    """Tell the terms of a review, each under its heading; safe to show. Nothing where it has none.

    Args:
        review: The review.
        now: The time, in seconds since 1970.
        counts: Whether to tell how long there is left to the deadline.
    """
    if review.status == "expired":
        yield "deadline", expired_text(review)
    elif review.deadline is not None:
        then = _THEN[review.terms.on_timeout or "reject"]
        left = f" (in {waited(ceil(review.deadline - now))})" if counts and review.status == "pending" else ""
        yield "deadline", f"{clock(review.deadline)}{left}, {then}"
    if remark := clock_text(review, now):
        yield "clock", remark
    if people := _people(review, now):
        yield "decides", visible(people)
    if review.votes:
        names = ", ".join(vote.by for vote in review.votes)
        more = f"; {voters.missing_text(review, now)}" if review.status == "pending" else ""
        yield "votes", visible(f"{names} approved{more}")
    if review.escalates_at is not None and review.status == "pending":
        to = visible(voters.people_text(review.terms.escalate_to or ()))
        if voters.is_escalated(review, now):
            yield "escalated", f"{clock(review.escalates_at)}: {to} may decide as well"
        else:
            yield "escalates", f"{clock(review.escalates_at)}: from then on {to} may decide as well"


def _people(review: Review, now: float) -> str:
    """Say who may decide, and how many must approve; empty where it is any one person."""
    terms = review.terms
    named = voters.approvers(review, now)
    parts = [voters.people_text(named)] if named else []
    if terms.needed > 1:
        parts.append(f"{terms.needed} {'of them' if named else 'different people'} must approve")
    if terms.allow_self is False:
        authors = [name for name in review.authors if not named or person(name) in map(person, named)]
        did = f"{', '.join(authors)}, who started the run or edited its state"
        if not review.authors:
            parts.append("somebody who has neither started the run nor edited its state")
        elif authors:  # else none of the approvers is one of them
            parts = [*parts, f"except {did}"] if named else [f"anybody but {did}", *parts]
    return "; ".join(parts)


def terms_json(review: Review) -> dict[str, Any]:
    """Write what is known of a review's terms, times in seconds since 1970."""
    return {
        "terms": review.terms.to_json(),
        "deadline": review.deadline,
        "escalates_at": review.escalates_at,
        "escalated": review.escalated,
        "votes": [{"by": vote.by, "at": vote.at, "source": vote.source} for vote in review.votes],
        "approvals_missing": voters.missing(review) if review.status == "pending" else 0,
    }
