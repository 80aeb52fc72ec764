"""Who may decide a review, and who is still missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stores.ledger import SAYING, givers
from ..values.errors import NotAllowed
from ..values.messages import some_of
from .terms import TIMEOUT, person

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..stores.ledger import Row
    from .model import Decision, Review

_NAMED = 6  # people who are named in a line


def authors(store: StateStore, run_id: str, upto: int, started_by: str) -> list[str]:
    """Name who gave a run its values up to a row, each once: without ``allow_self`` they may not decide.

    Their names are in the row that asks, for what is changed later withdraws the review.
    """
    named = dict.fromkeys((started_by, *givers(store.rows(run_id, upto=upto, kinds=SAYING))))
    return [name for name in named if name]


def knows_authors(asked: Row) -> bool:
    """Check whether a review row names who may not decide it; rows of older versions do not."""
    return "authors" in (asked.data or {})


def is_escalated(review: Review, now: float) -> bool:
    """Check whether those to whom a review is escalated may decide by now.

    Once that is recorded they may, also where the clock is behind.
    """
    return review.escalates_at is not None and (review.escalated or now >= review.escalates_at)


def must_escalate(review: Review, now: float) -> bool:
    """Check whether nobody has recorded yet that a review is escalated by now."""
    return review.status == "pending" and is_escalated(review, now) and not review.escalated


def approvers(review: Review, now: float) -> tuple[str, ...]:
    """List who may decide by now; empty where anybody may."""
    named = review.terms.approvers or ()
    known = {person(name) for name in named}
    added = review.terms.escalate_to or () if is_escalated(review, now) else ()
    return (*named, *(name for name in added if person(name) not in known))


def missing(review: Review) -> int:
    """Count the people who must still approve."""
    return review.terms.needed - len(review.votes)


def may_still_approve(review: Review, now: float) -> tuple[str, ...]:
    """List who may still approve by now: of the approvers those who have not, nor are kept from it."""
    done = {person(vote.by) for vote in review.votes} | {person(name) for name in review.authors}
    return tuple(name for name in approvers(review, now) if person(name) not in done)


def people_text(names: tuple[str, ...]) -> str:
    """Name people: ``ana``, ``ana or ben``, ``ana, ben or chris``."""
    if len(names) < 2 or len(names) > _NAMED:
        return some_of(list(names), _NAMED) if names else "anyone"
    return f"{', '.join(names[:-1])} or {names[-1]}"


def missing_text(review: Review, now: float) -> str:
    """Describe how many must still approve, and who may: ``1 more approval needed (ben or chris)``."""
    count, names = missing(review), may_still_approve(review, now)
    done = tuple(dict.fromkeys(vote.by for vote in review.votes))
    who = people_text(names) if names or not done else f"anyone but {people_text(done)}"
    return f"{count} more approval{'' if count == 1 else 's'} needed ({who})"


def deciders_text(review: Review, now: float) -> str:
    """Name who may decide by now: those who approved already may still reject."""
    kept = set(map(person, review.authors))
    return people_text(tuple(name for name in approvers(review, now) if person(name) not in kept))


def refusal(review: Review, decision: Decision, now: float) -> NotAllowed | None:
    """Explain why this person may not decide a review so; None where they may.

    Names are claims wherever nobody checks them: on a file store this guards against mistakes, not people.

    Args:
        review: The review.
        decision: What they want to decide.
        now: The time, in seconds since 1970.
    """
    by, name = decision.by, person(decision.by)
    terms, which = review.terms, f"review {review.id}"
    if decision.source == TIMEOUT or name == TIMEOUT:
        return NotAllowed(f"{TIMEOUT!r} is what deadlines decide under", hint="give your own name")
    named = bool(terms.approvers) or terms.allow_self is False or terms.needed > 1
    if named and not name:
        return NotAllowed(
            f"{which} must know who decides", hint=f"give your name; {deciders_text(review, now)} may"
        )
    if terms.approvers and name not in map(person, approvers(review, now)):
        return NotAllowed(f"{by} may not decide {which}", hint=f"{deciders_text(review, now)} may decide it")
    if name in map(person, review.authors):
        did = "started" if name == person(review.started_by) else "gave values to"
        message = f"{by} may not decide {which}: {by} {did} run {review.run_id}"
        return NotAllowed(message, hint=f"{deciders_text(review, now)} may decide it")
    if decision.verb == "approve" and name in (person(vote.by) for vote in review.votes):
        message = f"you approved {which} already; {missing_text(review, now)}"
        return NotAllowed(message, hint="nothing was changed; your approval counts")
    return None
