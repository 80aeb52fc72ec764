"""Reviews and decisions in words: what is at risk, what changed, where an answer leads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

from stepgraph.reviews import MOST_TOLD, NOTED, RULES, TIME_HAS_COME, TIMEOUT, Decision, person, voters
from stepgraph.runs import Mask
from stepgraph.stores import rows_backwards
from stepgraph.values import NotAllowed, StepgraphError

from ..view.reviews import ReviewStory, masked_request, request_of
from .characters import visible
from .conversation import ChatMessage, conversation_of, first_conversation
from .plain import age, call_text, clock, key_text, moment, place, to_minute, value_text, waited

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.runs import DecisionPreview
    from stepgraph.stores import StateStore
    from stepgraph.values import Json

    from ..view.reviews import SafeDecision, SafeRequest, SafeReview


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
    "go_on": "then the run continues",
}


def countdown(review: Review, now: float, *, seconds: bool = True) -> str:
    """Describe how long there is left: ``auto-rejects in 3m 12s``, or ``in 3m``; empty without a deadline."""
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
    clocks = f"this machine's clock is {differs} the one by which review {review.id} was asked"
    return f"{clocks}; by the time that has passed since, its deadline is in {left}"


def wait_text(review: Review) -> str:
    """Describe until when a run waits: ``waits until 14:02:11``."""
    return f"waits until {moment(review.deadline or 0.0, review.asked_at)}"


def deadline_text(review: Review) -> str:
    """Describe when something happens by itself: ``auto-rejects at 14:02:11``; empty without a deadline."""
    if review.deadline is None or review.status != "pending":
        return ""
    return f"{_DOES[review.terms.on_timeout or 'reject']} at {moment(review.deadline, review.asked_at)}"


def expired_text(review: Review) -> str:
    """Describe what a deadline has done with a review, by which rule, and when it was."""
    rule = review.terms.on_timeout or ""
    return f"{RULES.get(rule, rule)}; the deadline was {clock(review.deadline or 0.0)}"


def still_missing(review: Review, verb: str) -> str:
    """Describe how many others must approve before an approval leads anywhere; empty where none must."""
    others = voters.missing(review) - 1
    if verb != "approve" or others < 1:
        return ""
    return "once another person approves" if others == 1 else f"once {others} other people approve"


def refusals(review: Review, name: str, now: float) -> dict[str, NotAllowed]:
    """Find what somebody may not decide, by the verbs on offer, each with the reason."""
    found = {verb: voters.refusal(review, Decision(verb, by=name), now) for verb in review.request.verbs}
    return {verb: refusal for verb, refusal in found.items() if refusal is not None}


def other_name(review: Review, name: str, now: float) -> str:
    """Explain how to act under another name, where this one may not decide; empty if it has approved."""
    has_voted = person(name) in (person(vote.by) for vote in review.votes)
    return "" if has_voted or not refusals(review, name, now) else _OTHER_NAME


def term_rows(review: Review, now: float, *, counts: bool = True) -> list[tuple[str, str]]:
    """List the terms of a review, each under its heading; empty if it has none.

    Args:
        review: The review.
        now: The time, in seconds since 1970.
        counts: Whether to tell how long there is left to the deadline.
    """
    return [(heading, visible(text)) for heading, text in _terms(review, now, counts)]


def _terms(review: Review, now: float, counts: bool) -> Iterator[tuple[str, str]]:
    if review.status == "expired":
        yield "deadline", expired_text(review)
    elif review.deadline is not None:
        then = _THEN[review.terms.on_timeout or "reject"]
        left = f" (in {waited(ceil(review.deadline - now))})" if counts and review.status == "pending" else ""
        yield "deadline", f"{to_minute(review.deadline)}{left}, {then}"
    if remark := clock_text(review, now):
        yield "clock", remark
    if people := _people(review, now):
        yield "decides", people
    if review.votes:
        names = ", ".join(vote.by for vote in review.votes)
        more = f"; {voters.missing_text(review, now)}" if review.status == "pending" else ""
        yield "votes", f"{names} approved{more}"
    if review.escalates_at is not None and review.status == "pending":
        to = voters.people_text(review.terms.escalate_to or ())
        if voters.is_escalated(review, now):
            yield "escalated", f"{to_minute(review.escalates_at)}: {to} may decide as well"
        else:
            yield "escalates", f"{to_minute(review.escalates_at)}: from then on {to} may decide as well"


def _people(review: Review, now: float) -> str:
    """Describe who may decide, and how many must approve; empty where it is any one person."""
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


DONE = {"approve": "approved", "edit": "approved with changes", "reject": "rejected", "respond": "answered"}
"""What a verb is called afterwards."""
_TIMED_OUT = {
    "approve": "APPROVED UNSEEN by its deadline (approve_unsafe)",
    "reject": "rejected by its deadline",
}
REASONS = {"unknown": "cannot be known: ", "ends": "END: ", "stops": "END: "}
"""The words before the reason why a verb leads along no edge; all others fail."""


def review_json(review: SafeReview) -> dict[str, Any]:
    """Write a review as JSON."""
    request, decision = review.request, review.decision
    return {
        "id": review.id,
        "run": review.run_id,
        "graph": review.graph,
        "node": review.node,
        "step": review.step,
        "visit": review.visit,
        "status": review.status,
        "gate": review.gate.side if review.gate is not None else None,
        "hash": review.hash,
        "asked_at": review.asked_at,
        "started_by": review.started_by or None,
        "prompt": request.prompt,
        "action": request.action,
        "arguments": request.arguments,
        "values": review.values,
        "editable": dict(request.editable),
        "allow": list(request.verbs),
        "risk": request.risk,
        "risk_reason": request.risk_reason,
        "conversation": list(request.conversation),
        "decision": decision.to_json() if decision is not None else None,
        **terms_json(review),
    }


def shown_label(review: Review) -> str:
    """Return the heading for a review's shown values: the state's, where a node's result is proposed."""
    return "State" if review.gate is not None and review.gate.result is not None else "Shown"


def done_text(decision: Decision, *, source: bool = False) -> str:
    """Describe what was done, and who did it: ``rejected by ana``; what a deadline has done is unmistakable.

    Args:
        decision: What was decided.
        source: Whether to tell from where it came.
    """
    if decision.source == TIMEOUT and decision.comment == TIME_HAS_COME:
        return TIME_HAS_COME
    if decision.source == TIMEOUT:
        return _TIMED_OUT.get(decision.verb, decision.verb)
    return f"{DONE[decision.verb]} by {decision.by or 'somebody'}" + (
        f" ({decision.source})" if source else ""
    )


def decision_text(decision: SafeDecision, *, with_changes: bool = True) -> str:
    """Describe a decision in one line: verb, who, from where, when, what it changes, why."""
    comment = decision.text or decision.comment
    changed = changes_text(decision) if with_changes else ""
    who = f"{decision.verb} by {decision.by or 'somebody'} ({decision.source})"
    return visible(
        f"{done_text(decision) if decision.source == TIMEOUT else who} at {clock(decision.at)}"
        + (f", {changed}" if changed else "")
        + (f": {comment}" if comment else "")
    )


def changes_text(decision: SafeDecision) -> str:
    """Describe what a decision changes, in one line: ``order.amount = 90``; empty when it changes nothing."""
    return ", ".join(f"{key_text(path)} = {value_text(value)}" for path, value in decision.values.items())


def led_by(request: SafeRequest) -> list[ChatMessage]:
    """Read the messages that led to a question, oldest first; not made safe to show."""
    return conversation_of(list(request.conversation)) or []


def task_and_said(messages: Iterable[ChatMessage]) -> list[tuple[str, str]]:
    """Name the task, and the last words of the model that asks, each on one line; not made safe to show."""
    last = {message.role: message.brief for message in messages if message.text}
    return [(label, last[role]) for label, role in (("Task", "user"), ("Said", "assistant")) if role in last]


def so_far(story: ReviewStory) -> list[ChatMessage]:
    """Read the messages that led to a review: its own, else the last ones of a conversation in the state."""
    return conversation_of(conversation_json(story)) or []


def conversation_json(story: ReviewStory) -> list[Json]:
    """Write the messages of ``so_far`` as tables, secrets masked."""
    own = request_of(story.safe).conversation
    if own or not story.pending:
        return [dict(message) for message in own]
    values = story.run.values
    key = first_conversation(values)
    if key is None or key in story.review.values or story.mask.is_secret(key):
        return []
    message = values[key]
    last = message[-MOST_TOLD:] if isinstance(message, list) else []
    return [story.mask.value(key, _as_message(item)) for item in last]


def _as_message(item: Json) -> Json:
    """Write a text alone, which is what a user says, as a message."""
    return {"role": "user", "content": item} if isinstance(item, str) else item


def action_text(request: SafeRequest) -> str:
    """Write the action of a request with all its arguments, on one line; empty where none is named."""
    if not request.action and not request.arguments:
        return ""
    return call_text(request.action, request.arguments)


@dataclass(frozen=True, slots=True)
class EditedQuestion:
    """What a review asks with an edit made."""

    prompt: str = ""
    """The question, masked; not made safe to show."""
    action: str = ""
    """What is then done on approval, on one line and visible."""
    unknown: str = ""
    """Why neither is known; empty where they are."""

    @classmethod
    def of(cls, story: ReviewStory, decision: Decision) -> EditedQuestion:
        """Rewrite it from the edited values; secrets that the edit itself sets are hidden as well.

        Args:
            story: The pending review.
            decision: The edit.

        Raises:
            NotAllowed: The review does not offer the edit.
        """
        from stepgraph.runs import edited_request

        run, mask = story.run, story.mask
        edited = Mask(run.plan, *({path.split(".")[0]: value} for path, value in decision.values.items()))
        try:
            request = edited_request(run.plan, run, story.review, decision)
        except NotAllowed:
            raise
        except StepgraphError as error:
            return cls(unknown=f"it cannot be written: {visible(edited.text(mask.text(error.message)))}")
        if request is None:
            return cls(unknown=f"only the code of {visible(story.review.node)} knows it")
        hidden = masked_request(masked_request(request, mask), edited)
        return cls(hidden.prompt, action_text(hidden))


def result_lines(story: ReviewStory, arrow: str = "->") -> list[str]:
    """Describe what approving changes in the state where a node's result waits; else empty."""
    from stepgraph.runs import approved_state

    from .state_diff import difference_lines

    if not story.pending:
        return []
    run, mask = story.run, story.mask
    try:
        after = approved_state(run.plan, run, story.review)
    except StepgraphError as error:
        return [f"it cannot be merged: {visible(mask.text(error.message))}"]
    if after is None:
        return []
    return difference_lines(mask.values(run.values), mask.values(after), arrow) or [
        "nothing in the state changes"
    ]


def risk_reasons(review: SafeReview, leads: Sequence[DecisionPreview]) -> Iterator[str]:
    """Explain why the risk is what it is, and what approving does to the world."""
    request = review.request
    if request.risk_reason:
        yield visible(request.risk_reason)
    elif request.risk == "unknown":
        yield f"this {'node' if review.gate is None else 'gate'} sets no risk"
    else:
        yield "set by the node"
    acting = dict.fromkeys(node for lead in leads if lead.verb == "approve" for node in lead.side_effects)
    if acting:
        yield f"approving leads to side effects: {', '.join(map(visible, acting))}"


def risk_text(review: SafeReview, leads: Sequence[DecisionPreview]) -> tuple[str, str]:
    """Describe the risk in a word or two, and after that why: ``high``, ``: set by the node``."""
    first, *more = risk_reasons(review, leads)
    risk, is_rated = review.request.risk, review.request.risk != "unknown" or review.request.risk_reason
    why = f": {first}" if is_rated else f" ({first})"
    return (risk if is_rated else "not rated"), "; ".join([why, *more])


def preview_text(lead: DecisionPreview) -> str:
    """Describe what a verb leads to, in one line."""
    ways = "".join(text for text, _ in path_parts(lead, "->")).removeprefix("-> ")
    if lead.kind == "runs":
        return ways
    if lead.edge is None:
        return {"unknown": "cannot be known: "}.get(lead.kind, "") + visible(lead.reason)
    if lead.capped:
        return f"the run stops at its step limit before {place(lead.edge.target)} (edge {lead.position})"
    text = f"{ways}   (edge {lead.position}: {visible(lead.edge.describe())})"
    if lead.depends_on:
        text += f", unless {', '.join(map(visible, lead.depends_on))} changes that"
    return text


def path_parts(
    lead: DecisionPreview, arrow: str = "→"
) -> Iterator[tuple[str, Literal["plain", "dim", "warn"]]]:
    """List the nodes that a verb leads to, each part with how it is meant: ``→ pay ! → notify → END``."""
    from stepgraph.graphs import END

    for number, way in enumerate(lead.path):
        yield f" {arrow} " if number else f"{arrow} ", "dim"
        yield place(way.node), "plain"
        if way.side_effects:
            yield " !", "warn"
    if lead.path and lead.path[-1].asks:
        yield " asks a person", "dim"
    elif lead.path and lead.path[-1].node != END:
        yield f" {arrow} decided by its code", "dim"


def last_look(store: StateStore, run_id: str, asked: int) -> tuple[int, str]:
    """Find the row after which a person last decided something in a run before a question, or its start.

    Args:
        store: Where the run lives.
        run_id: The run.
        asked: The row of the question.
    """
    look = next(rows_backwards(store, run_id, asked, ("decision",)), None)
    return (look.seq, f"the last decision (step {look.step})") if look is not None else (1, "the start")
