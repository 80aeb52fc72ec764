"""What requests may say and what answers look like; the server describes itself by these models."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Body
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from stepgraph.reviews import OnTimeout, ReviewStatus, Risk, Side, Verb, voters
from stepgraph.stores import MAX_ID, Outcome, RunStatus
from stepgraph.values import did_you_mean, expected

from ..text.reviews import conversation_json, preview_text
from ..view.reviews import ReviewStory
from .guard import RequestRefused

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from stepgraph.reviews import Decision
    from stepgraph.stores import Pointer

    from ..view.errors import ErrorStory
    from ..view.reviews import SafeReview
    from ..view.runs import RunStory, StepStory


DEEPEST = 100
"""How many levels a body may have; no state has more."""
MAX_NAME, MAX_TEXT = 200, 100_000
"""How many characters the name of somebody may have, and what they say."""
MOST_SAID = 20
"""How many mistakes are reported at once."""

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID)]
ExecutionId = Annotated[str, Field(max_length=MAX_ID, pattern=r"^[A-Za-z0-9][A-Za-z0-9._~-]*$")]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Name = Annotated[str, Field(max_length=MAX_NAME)]


_ASKED = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True, strict=True)
"""Of what is asked: it takes nothing that it does not declare."""
_TOLD = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")
"""Of what is answered."""


class DecisionBody(BaseModel):
    """A decision on a review, with the hash of what was looked at."""

    model_config = _ASKED

    decision: Verb
    hash: Name = Field(description="The review's hash as it was read: what is decided is what was seen.")
    values: dict[str, JsonValue] = Field({}, description="The changed values of an edit, by dotted path.")
    text: Text = Field("", description="The answer of `respond`.")
    comment: Text = Field("", description="Why; kept with the decision.")
    by: Name = Field("", description="Who decides: a claim, recorded as it is given.")


class ResumeDecision(DecisionBody):
    """A decision on the review that an execution waits for."""

    review: Id = Field(description="The review's id, as the execution's answer gives it.")


ResumeBody = Annotated[
    ResumeDecision | None,
    BeforeValidator(lambda sent: None if sent == {} else sent),
    Body(description="A decision; nothing to carry on an execution that is ready."),
]


class ErrorAnswer(BaseModel):
    """What was refused and why, and what to do next."""

    model_config = _TOLD

    code: str
    message: str
    hint: str


class DecisionAnswer(BaseModel):
    """What was decided."""

    model_config = _TOLD

    decision: Verb
    values: dict[str, Any]
    text: str
    comment: str
    by: str
    source: str
    at: float = Field(description="Seconds since 1970.")


class Consequence(BaseModel):
    """What an answer leads to, as far as that is known before."""

    model_config = _TOLD

    decision: Verb
    says: str
    side_effects: list[str] = Field(description="The nodes on the way that change the world.")


class VoteAnswer(BaseModel):
    """One of the approvals of a review that several people must approve."""

    model_config = _TOLD

    by: str
    at: float
    source: str


class ReviewAnswer(BaseModel):
    """What a person is asked: the tracking token of an execution that is paused."""

    model_config = _TOLD

    id: str
    hash: str
    execution_id: str
    graph: str
    node: str
    step: int
    visit: int
    status: ReviewStatus
    gate: Side | None
    prompt: str
    action: str
    arguments: dict[str, Any]
    values: dict[str, Any] = Field(description="What the shown and editable keys held when it was asked.")
    editable: dict[str, str] = Field(description="The paths that an edit may change, with their types.")
    allow: list[Verb]
    risk: Risk
    risk_reason: str
    conversation: list[dict[str, Any]] = Field(description="The messages that led to the question.")
    asked_at: float = Field(description="Seconds since 1970.")
    started_by: str
    deadline: float | None = Field(description="When it is decided by itself, in seconds since 1970.")
    on_timeout: OnTimeout | None = Field(description="What is done then.")
    approvers: list[str] = Field(description="Who may decide by now; anybody when empty.")
    votes: list[VoteAnswer]
    approvals_missing: int = Field(description="How many people must still approve.")
    decision: DecisionAnswer | None


class ReviewDetails(ReviewAnswer):
    """A review, and where each answer leads."""

    consequences: list[Consequence]


class DamageAnswer(BaseModel):
    """Something in the store that is not as it was written."""

    model_config = _TOLD

    execution_id: str | None
    message: str


class ReviewList(BaseModel):
    """Reviews, the most urgent first."""

    model_config = _TOLD

    reviews: list[ReviewAnswer]
    damaged: list[DamageAnswer]


class ExecutionAnswer(BaseModel):
    """Where an execution stands."""

    model_config = _TOLD

    execution_id: str
    graph: str
    started_by: str
    status: RunStatus
    running: bool = Field(description="Whether this server drives it now.")
    outcome: Outcome | None
    flagged: bool
    current_node_id: str | None = Field(description="The node that comes next; null after the end.")
    step: int
    max_steps: int
    state_snapshot: dict[str, Any] = Field(description="The state; secret values are masked.")
    visit_history: list[str] = Field(description="The names of the visited nodes, in order.")
    output: str | None
    error: ErrorAnswer | None
    review: ReviewAnswer | None


class StepEvent(BaseModel):
    """A completed step, as an event tells it."""

    model_config = _TOLD

    step: int
    node: str
    visit: int
    next: str | None
    output: str | None
    duration: float = Field(description="Seconds.")


class StatusEvent(BaseModel):
    """Where an execution is now, as an event tells it."""

    model_config = _TOLD

    status: RunStatus
    outcome: Outcome | None
    current_node_id: str | None
    step: int
    error: ErrorAnswer | None
    review: ReviewAnswer | None


class HealthAnswer(BaseModel):
    """The server is up, and reads its store."""

    model_config = _TOLD

    status: Literal["ok"]
    version: str
    graphs: list[str]


# Reading what a client sent

SEE = "GET /openapi.json says what fits"
_PLACES = {"query": "the query does not fit: ", "header": "the headers do not fit: "}
_DEPTH = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def parsed(body: bytes) -> object:
    """Read a body as JSON; an empty one is an empty table.

    Raises:
        RequestRefused: It is not JSON, or nested too deep.
    """
    if not body.strip():
        return {}
    depth = 0
    for found in _DEPTH.finditer(body):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > DEEPEST:
            raise RequestRefused(
                400, f"the body has more than {DEEPEST} levels", "send values that are nested less deep"
            )
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_table, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        what = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise RequestRefused(400, f"the body is not JSON: {what}{where}", "send JSON in UTF-8") from None


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise ValueError(f"the key {name[:100]!r} stands twice")
        table[name] = value
    return table


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a JSON number")


def unfit(error: RequestValidationError, names: Iterable[str]) -> RequestRefused:
    """Describe what does not fit an endpoint.

    Args:
        error: What FastAPI has found.
        names: The keys of the body.
    """
    by_place: dict[str, list[str]] = {}
    for each in error.errors():
        place, *path = map(str, each["loc"])
        by_place.setdefault(place, []).append(_describe_misfit(each, path, names))
    texts = [_PLACES.get(place, "") + first_few(wrong) for place, wrong in by_place.items()]
    return RequestRefused(422, "; ".join(texts), SEE)


def first_few(wrong: Iterable[str]) -> str:
    """Write what is wrong as one message; of very much, only the first and that there is more."""
    texts = list(islice(wrong, MOST_SAID + 1))
    return "; ".join(texts[:MOST_SAID]) + ("; and more" if len(texts) > MOST_SAID else "")


def not_known(name: str, names: Iterable[str]) -> str:
    """Describe a name that is none of those that fit."""
    hint = did_you_mean(name, names, listing="known")
    return f"{name[:100]!r} is not known" + (f" ({hint})" if hint else "")


def _describe_misfit(detail: ErrorDetails, path: list[str], names: Iterable[str]) -> str:
    """Describe what does not fit without quoting what was sent: it may be a secret."""
    name = ".".join(part[:100] for part in path)
    if detail["type"] == "extra_forbidden":
        return not_known(name, names)
    return f"{repr(name) if name else 'the body'} {expected(detail)}"


def execution_answer(story: RunStory, *, running: bool) -> ExecutionAnswer:
    """Build the answer that says where a run stands."""
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
    """Build the answer for an error of the engine."""
    return ErrorAnswer(code=error.code, message=error.message, hint=error.hint)


def review_answer(review: SafeReview) -> ReviewAnswer:
    """Find what a person is asked, and what was decided."""
    return ReviewAnswer.model_validate(_review_fields(review))


def review_details(story: ReviewStory) -> ReviewDetails:
    """Find what a person is asked, and where each answer leads."""
    consequences = [
        Consequence(
            decision=lead.verb, says=story.mask.text(preview_text(lead)), side_effects=list(lead.side_effects)
        )
        for lead in story.leads
    ]
    return ReviewDetails.model_validate(
        {**_review_fields(story.safe), "conversation": conversation_json(story), "consequences": consequences}
    )


def _review_fields(review: SafeReview) -> dict[str, object]:
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
        "conversation": [dict(message) for message in request.conversation],
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
    """Build the event of a completed step."""
    return StepEvent(
        step=step.record.step,
        node=step.node,
        visit=step.record.visit,
        next=step.next,
        output=step.output,
        duration=step.record.duration,
    )


def status_event(pointer: Pointer, error: ErrorStory | None, review: SafeReview | None) -> StatusEvent:
    """Build the event that says where a run is now."""
    return StatusEvent(
        status=pointer.status,
        outcome=pointer.outcome,
        current_node_id=pointer.current,
        step=pointer.step,
        error=None if error is None else error_answer(error),
        review=None if review is None else review_answer(review),
    )
