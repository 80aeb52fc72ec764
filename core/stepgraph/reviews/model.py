"""A review as the store holds it: what was asked, by whom it may be decided, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..values.compare import type_name
from ..values.errors import NotAllowed, StateError
from ..values.json_values import Json, plain, preview, text
from ..values.problems import did_you_mean
from ..values.state import fits
from .decision import Decision
from .gates import Gate, HeldResult, Side, as_output
from .request import ReviewRequest, Risk, Subject, Verb, payload_hash, shown_values
from .terms import NO_TERMS, ReviewTerms

__all__ = [
    "Decision", "Gate", "HeldResult", "Review", "ReviewRequest", "ReviewStatus", "Risk", "Side", "Subject",
    "Verb", "as_output", "payload_hash", "shown_values",
]  # fmt: skip

ReviewStatus = Literal["pending", "decided", "expired", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Review:
    """A request as the store holds it, and what became of it."""

    id: str
    run_id: str
    graph: str
    node: str
    step: int
    """The number of the step that waits for the decision."""
    visit: int
    request: ReviewRequest
    values: Mapping[str, Json]
    """What the shown and editable paths held when the review was made."""
    hash: str
    asked_at: float
    """Seconds since 1970."""
    status: ReviewStatus = "pending"
    decision: Decision | None = None
    gate: Gate | None = None
    """The gate that asks; None where the node itself does."""
    passed: str | None = None
    """The id of the review at the gate before the node that this visit has passed."""
    started_by: str = ""
    """Who started the run, or forked it: a claim on a file store, not a proof; empty where nobody said."""
    terms: ReviewTerms = NO_TERMS
    """Until when and for whom it waits: those of the graph, the node and the request, as they were merged."""
    deadline: float | None = None
    """When ``terms.on_timeout`` is applied, in seconds since 1970; None when it waits for ever."""
    escalates_at: float | None = None
    """When ``terms.escalate_to`` may decide as well, in seconds since 1970; None for never."""
    clock_ahead: float = 0.0
    """By how many seconds the clock that looks is ahead of the one by which it was asked (see ``clock``). Its
    deadline and its escalation are told by the clock that looks."""
    escalated: bool = False
    """Whether somebody has seen and recorded that it is escalated."""
    votes: tuple[Decision, ...] = ()
    """The approvals so far, where several people must approve; the last one is the decision."""
    edits: Mapping[str, Json] = field(default_factory=dict)
    """The keys, whole, that reviewers had changed on this visit before the node asked this."""
    authors: tuple[str, ...] = ()
    """Who gave the run values (see ``givers``), where ``terms.allow_self`` keeps them from deciding."""

    @property
    def is_wait(self) -> bool:
        """Whether it waits for a time, and asks nobody; a person may let the run go on sooner."""
        return self.terms.on_timeout == "go_on"

    @property
    def proposed(self) -> Mapping[str, Json]:
        """The values that an edit starts from: what the node did, at the gate behind it, else the state's."""
        behind = self.gate is not None and self.gate.result is not None
        return self.request.arguments if behind else self.values

    @property
    def made_last(self) -> Decision | None:
        """What was decided last: the decision, or the last one of several approvals."""
        return self.decision or next(reversed(self.votes), None)

    def checked(self, decision: Decision) -> Decision:
        """Check the decision's values against what this review offers.

        Raises:
            NotAllowed: The verb, a key or a value's type was not offered.
        """
        if not isinstance(decision, Decision):
            raise NotAllowed(
                f"{preview(decision)} is not a decision",
                hint="give Decision.approve(by=...) or one of the others",
            )
        verbs = self.request.verbs
        if decision.verb not in verbs:
            raise NotAllowed(
                f"review {self.id} does not offer {decision.verb!r}", hint=f"it offers: {', '.join(verbs)}"
            )
        if not isinstance(decision.values, Mapping):
            raise NotAllowed(
                f"the decision's values are {preview(decision.values)}", hint='give {"path": value}'
            )
        if decision.verb == "edit" and not decision.values:
            raise NotAllowed(f"the edit of review {self.id} changes nothing", hint="approve it instead")
        texts = _texts(decision)
        if decision.verb == "respond" and not texts["text"].strip():
            raise NotAllowed(f"the answer to review {self.id} is empty", hint="write what you answer")
        if decision.verb != "edit" and decision.values:
            raise NotAllowed(f"{decision.verb!r} takes no values", hint="use edit to change something")
        values = {path: self._checked_value(path, value) for path, value in decision.values.items()}
        for path in values:
            parts = path.split(".")
            around = (".".join(parts[:count]) for count in range(1, len(parts)))
            within = next((other for other in around if other in values), None)
            if within is not None:  # one of the two might be lost, by the order in which they come
                raise NotAllowed(
                    f"the edit of review {self.id} changes {within!r}, and {path!r} within it",
                    hint=f"put the new value of {path!r} into that of {within!r}",
                )
        return replace(decision, values=values, review=self.id, hash=self.hash, **texts)

    def _checked_value(self, path: str, value: object) -> Json:
        editable = self.request.editable
        if path not in editable:
            raise NotAllowed(
                f"{path!r} is not editable in review {self.id}",
                hint=did_you_mean(str(path), editable, listing="editable") or "nothing in it is editable",
            )
        try:
            checked = plain(value, path)
        except StateError as error:
            raise NotAllowed(error.message, hint=error.hint) from None
        if not fits(checked, editable[path]):
            raise NotAllowed(f"{path!r} takes a {editable[path]}, not {type_name(checked)} {checked!r}")
        return checked


def _texts(decision: Decision) -> dict[str, Any]:
    try:
        return {
            part: text(getattr(decision, part), f"the decision's {part}")
            for part in ("text", "by", "comment", "source")
        }
    except StateError as error:
        raise NotAllowed(error.message, hint=error.hint) from None
