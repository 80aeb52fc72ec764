"""A review as the store holds it: what was asked, by whom it may be decided, and what became of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from ..values.errors import NotAllowed, StateError
from ..values.json_values import Json, copy_json, dumps, plain, preview, text, type_name, with_path
from ..values.problems import did_you_mean
from ..values.state import fits
from .request import ReviewRequest, Risk, Subject, Verb, payload_hash, shown_values
from .terms import NO_TERMS, ReviewTerms


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided; made by ``approve``, ``edit``, ``reject`` or ``respond``."""

    verb: Verb
    values: Mapping[str, Json] = field(default_factory=dict)
    """The changed values of an edit, by dotted path."""
    text: str = ""
    """The answer of a response."""
    by: str = ""
    """Who decided: a claim on a file store, not a proof."""
    comment: str = ""
    source: str = "library"
    """From where it came: ``library``, ``cli``, ``app``; ``timeout`` where nobody decided in time."""
    at: float = 0.0
    """When it was recorded, in seconds since 1970; 0 before that."""
    review: str = ""
    """The id of the review it answers; empty before it is recorded."""
    hash: str = ""
    """The payload hash of that review; empty before it is recorded."""

    @classmethod
    def approve(cls, *, by: str = "", comment: str = "") -> Decision:
        """Go on as proposed."""
        return cls("approve", by=by, comment=comment)

    @classmethod
    def edit(cls, values: Mapping[str, Json], *, by: str = "", comment: str = "") -> Decision:
        """Continue with these changes: dotted paths and their new values.

        Raises:
            NotAllowed: ``values`` is not a mapping.
        """
        if not isinstance(values, Mapping):
            raise NotAllowed(f"an edit has no values in {preview(values)}", hint='give {"path": value}')
        return cls("edit", values=dict(values), by=by, comment=comment)

    @classmethod
    def reject(cls, *, by: str = "", comment: str = "") -> Decision:
        """Decide not to go on as proposed."""
        return cls("reject", by=by, comment=comment)

    @classmethod
    def respond(cls, text: str, *, by: str = "", comment: str = "") -> Decision:
        """Answer the question with a text."""
        return cls("respond", text=text, by=by, comment=comment)

    def to_json(self) -> dict[str, Json]:
        """Write the decision as a table of JSON."""
        return {
            "verb": self.verb,
            "values": {path: copy_json(value) for path, value in self.values.items()},
            "text": self.text,
            "by": self.by,
            "comment": self.comment,
            "source": self.source,
            "at": self.at,
            "review": self.review,
            "hash": self.hash,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Decision:
        """Read what ``to_json`` wrote."""
        return cls(**data)

    def is_about(self, node: str, request: ReviewRequest, values: dict[str, Json]) -> bool:
        """Check whether it answers what a node would ask now about these values."""
        return self.hash == payload_hash(node, request.to_json(), shown_values(request, values))

    def apply_to(self, values: dict[str, Json]) -> dict[str, Json]:
        """Compute the top-level updates that this decision's edits make in a state.

        Several edits below one key become one update of that key.

        Raises:
            KeyError: A path leads through a table that the state does not have.
        """
        updates: dict[str, Json] = {}
        for path, value in self.values.items():
            updates |= with_path({**values, **updates}, path, value)
        return updates


Side = Literal["before", "after"]
"""On which side of a node's work a gate stands."""


@dataclass(frozen=True, slots=True)
class HeldResult:
    """What a node did, held back by the gate behind it until a person decides."""

    updates: Mapping[str, Json]
    """The changed keys as the node returned them; None for a removed one."""
    output: str | None
    """What it put out; None when that is the updates as JSON."""
    edits: Mapping[str, Json]
    """The keys, whole, that a reviewer had changed before it ran."""
    duration: float
    """How long it took, in seconds."""

    @property
    def text(self) -> str:
        """What the node put out, as text."""
        return dumps(dict(self.updates)) if self.output is None else self.output

    def fits(self, request: ReviewRequest) -> bool:
        """Check that its parts have the right kinds and that it shows and offers what the request has."""
        if type(self.output) not in (str, type(None)) or type(self.edits) is not dict:
            return False
        counted = type(self.duration) in (int, float) and abs(self.duration) <= sys.float_info.max
        named = request.editable.keys() <= self.updates.keys() and self.edits.keys() <= set(request.show)
        return counted and named and None not in self.edits.values()

    def changed_by(self, decision: Decision) -> HeldResult:
        """Apply a reviewer's changes to the updates, and to the output where it is the value that changed."""
        updates, output = dict(self.updates), self.output
        for path, value in decision.values.items():
            if self.output is not None and self.output == as_output(self.updates[path]):
                output = as_output(value)
            updates[path] = value
        return replace(self, updates=updates, output=output)


def as_output(value: Json) -> str:
    """Write a value as a node puts it out: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else dumps(value)


@dataclass(frozen=True, slots=True)
class Gate:
    """A review that the graph asks for around a node, not the node itself."""

    side: Side
    result: HeldResult | None = None
    """What the node did, at the gate after it; None before it, where nothing has run."""

    @staticmethod
    def side_in(data: Mapping[str, Any]) -> Side | None:
        """Return the side of the gate in a review row; None when its node asked by itself."""
        gate = data.get("gate")
        side = gate.get("side") if isinstance(gate, dict) else None
        return side if side in get_args(Side) else None

    def to_json(self) -> dict[str, Json]:
        """Write the gate as a table of JSON."""
        held = self.result
        if held is None:
            return {"side": self.side}
        # Its updates are not written twice: they are the arguments of the request, which proposes them.
        return {
            "side": self.side,
            "output": held.output,
            "edits": dict(held.edits),
            "duration": held.duration,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], request: ReviewRequest) -> Gate:
        """Read what ``to_json`` wrote, with the request of its review.

        Raises:
            ValueError: It is not a gate.
        """
        if data["side"] == "before":
            return cls("before")
        held = HeldResult(request.arguments, data["output"], data["edits"], data["duration"])
        if data["side"] != "after" or not held.fits(request):
            raise ValueError("its gate is unreadable")
        return cls("after", held)


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
    deadline and its escalation are judged by the clock of whoever looks."""
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
        """The values that an edit starts from: what the node did, at the gate after it, else the state's."""
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
