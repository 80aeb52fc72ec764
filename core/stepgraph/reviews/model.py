"""What a person is asked, and what a person decided."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from ..values.compare import type_name
from ..values.errors import NotAllowed, StateError
from ..values.json_values import Json, canonical, copy_json, dumps, plain, preview, read_path, text, with_path
from ..values.problems import did_you_mean
from ..values.state import ValueType, fits
from .terms import NO_TERMS, ReviewTerms

Verb = Literal["approve", "edit", "reject", "respond"]
Risk = Literal["low", "medium", "high", "unknown"]
ReviewStatus = Literal["pending", "decided", "expired", "withdrawn"]
Subject = Literal["state", "arguments"]
Side = Literal["before", "after"]
"""On which side of a node's work a gate stands."""

_VERBS, _RISKS, _KINDS, _SUBJECTS = map(get_args, (Verb, Risk, ValueType, Subject))


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What a node asks a person."""

    prompt: str
    """The question."""
    action: str = ""
    """What will be done on approval, in words or as a tool's name."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    """All arguments of the action."""
    show: tuple[str, ...] = ()
    """The state keys (dotted paths) that the reviewer should see."""
    editable: Mapping[str, ValueType] = field(default_factory=dict)
    """The state keys (dotted paths) that the reviewer may change, with their types."""
    allow: tuple[Verb, ...] = ()
    """The verbs on offer; empty means approve and reject, and edit where something is editable."""
    risk: Risk = "unknown"
    risk_reason: str = ""
    edits: Subject = "state"
    """What the editable paths lead into: the state, or the arguments of the action."""
    terms: ReviewTerms = NO_TERMS
    """Until when and for whom it waits, over the terms of the node and of the graph. A decision is about what
    is asked, not about these: they are no part of the payload and its hash."""

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs on offer."""
        if self.allow:
            return tuple(self.allow)
        return ("approve", "edit", "reject") if self.editable else ("approve", "reject")

    def to_json(self) -> dict[str, Json]:
        """Write the request as a table of JSON.

        Raises:
            StateError: A part is no JSON, or not of its kind.
        """
        edits = _one_of(self.edits, _SUBJECTS, "edits")
        told: dict[str, Json] = {
            "prompt": _a_text(self.prompt, "prompt"),
            "action": _a_text(self.action, "action"),
            "arguments": _a_table(self.arguments, "arguments"),
            "show": [_a_text(path, "show") for path in _a_list(self.show, "show")],
            "editable": {
                path: _one_of(kind, _KINDS, "editable")
                for path, kind in _a_table(self.editable, "editable").items()
            },
            "allow": [_one_of(verb, _VERBS, "allow") for verb in _a_list(self.verbs, "allow")],
            "risk": _one_of(self.risk, _RISKS, "risk"),
            "risk_reason": _a_text(self.risk_reason, "risk_reason"),
        }
        return told if edits == "state" else {**told, "edits": edits}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ReviewRequest:
        """Read what ``to_json`` wrote."""
        return cls(
            prompt=data["prompt"],
            action=data["action"],
            arguments=data["arguments"],
            show=tuple(data["show"]),
            editable=data["editable"],
            allow=tuple(data["allow"]),
            risk=data["risk"],
            risk_reason=data["risk_reason"],
            edits=data.get("edits", "state"),
        )


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
        """Go on with these changes: dotted paths and their new values.

        Raises:
            NotAllowed: ``values`` is no mapping.
        """
        if not isinstance(values, Mapping):
            raise NotAllowed(f"an edit has no values in {preview(values)}", hint='give {"path": value}')
        return cls("edit", values=dict(values), by=by, comment=comment)

    @classmethod
    def reject(cls, *, by: str = "", comment: str = "") -> Decision:
        """Do not go on as proposed."""
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
        """Tell whether it answers what a node would ask now about these values."""
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
        """Tell whether its parts are of their kinds, and what the request shows and offers is what it has."""
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
    """What the node did, at the gate behind it; None before it, where nothing has run."""

    @staticmethod
    def side_in(data: Mapping[str, Any]) -> Side | None:
        """Tell on which side the gate of a review row stands; None where its node asked by itself."""
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
            ValueError: It is no gate.
        """
        if data["side"] == "before":
            return cls("before")
        held = HeldResult(request.arguments, data["output"], data["edits"], data["duration"])
        if data["side"] != "after" or not held.fits(request):
            raise ValueError("its gate is none")
        return cls("after", held)


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
    escalated: bool = False
    """Whether somebody has seen and recorded that it is escalated."""
    votes: tuple[Decision, ...] = ()
    """The approvals so far, where several people must approve; the last one is the decision."""
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


def _a_text(value: object, part: str) -> str:
    if not issubclass(type(value), str):
        raise _odd(part, value, "a text")
    return text(value, f"the review's {part}")


def _a_list(value: object, part: str) -> list[Any]:
    if not issubclass(type(value), (list, tuple)):
        raise _odd(part, value, "a list")
    items: Any = plain(value, f"the review's {part}")
    return cast(list[Any], items)


def _a_table(value: object, part: str) -> dict[str, Json]:
    if not issubclass(type(value), dict) and isinstance(value, Mapping):
        value = dict(value)
    table = plain(value, f"the review's {part}")
    if not isinstance(table, dict):
        raise _odd(part, value, "a table")
    return table


def _one_of(value: object, known: tuple[str, ...], part: str) -> str:
    word = _a_text(value, part) if issubclass(type(value), str) else None
    if word not in known:
        raise _odd(part, value, "one of " + ", ".join(known))
    return word


def _odd(part: str, value: object, wanted: str) -> StateError:
    return StateError(f"the review's {part} has {preview(value)}", hint=f"give it {wanted}")


def _texts(decision: Decision) -> dict[str, Any]:
    try:
        return {
            part: text(getattr(decision, part), f"the decision's {part}")
            for part in ("text", "by", "comment", "source")
        }
    except StateError as error:
        raise NotAllowed(error.message, hint=error.hint) from None


def shown_values(request: ReviewRequest, values: dict[str, Json]) -> dict[str, Json]:
    """Read what the request's shown and editable paths hold; missing ones are left out."""
    subject = dict(request.arguments) if request.edits == "arguments" else values
    found: dict[str, Json] = {}
    for source, paths in ((values, request.show), (subject, request.editable)):
        for path in paths:
            with suppress(KeyError):
                found[path] = read_path(source, path)
    return found


def payload_hash(
    node: str, request: dict[str, Json], values: dict[str, Json], gate: Gate | None = None
) -> str:
    """Compute the hash that binds a decision to what was looked at.

    Neither the run counts nor how long its node took: two runs may ask the very same.
    """
    payload: list[Json] = [node, request, values]
    if gate is not None:
        payload.append({key: value for key, value in gate.to_json().items() if key != "duration"})
    return hashlib.sha256(canonical(payload).encode()).hexdigest()[:16]
