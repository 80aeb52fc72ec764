"""What a person is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast, get_args

from ..values.errors import NodeFailed, StateError
from ..values.json_values import Json, canonical, plain, preview, read_path, text, with_path
from ..values.state import ValueType
from .terms import NO_TERMS, ReviewTerms

Verb = Literal["approve", "edit", "reject", "respond"]
Risk = Literal["low", "medium", "high", "unknown"]
Subject = Literal["state", "arguments"]

MOST_TOLD = 40
"""How many messages of a conversation a question shows."""

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
    is asked, not about these: they are not part of the payload and its hash."""
    conversation: tuple[Mapping[str, Json], ...] = ()
    """What led to the question, oldest first: messages with ``role``, ``content`` and ``tool_calls``, as a
    conversation in the state has them."""
    answer_as: str = ""
    """The shape in which the node takes its answer, where that is one of its own; empty for most."""
    merge_edits: bool = True
    """Whether an edit of the state is merged before the node is executed again; False where the node takes
    ``state.decision.values`` by itself. No part of the payload either."""

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The verbs on offer."""
        if self.allow:
            return tuple(self.allow)
        return ("approve", "edit", "reject") if self.editable else ("approve", "reject")

    @property
    def is_merged(self) -> bool:
        """Whether there may be an edit that is merged into the state."""
        return self.merge_edits and self.edits == "state" and "edit" in self.verbs

    def to_json(self) -> dict[str, Json]:
        """Write the request as a table of JSON.

        Raises:
            StateError: A part is not JSON, or not of its kind.
        """
        edits = _one_of(self.edits, _SUBJECTS, "edits")
        table: dict[str, Json] = {
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
        if self.conversation:
            table["conversation"] = [_a_table(message, "conversation") for message in self.conversation]
        if self.answer_as:
            table["answer_as"] = _a_text(self.answer_as, "answer_as")
        return table if edits == "state" else {**table, "edits": edits}

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
            conversation=tuple(data.get("conversation", ())),
            answer_as=data.get("answer_as", ""),
        )


def shown_values(request: ReviewRequest, values: dict[str, Json]) -> dict[str, Json]:
    """Read what the request's shown and editable paths hold; missing ones are left out."""
    subject = dict(request.arguments) if request.edits == "arguments" else values
    found: dict[str, Json] = {}
    for source, paths in ((values, request.show), (subject, request.editable)):
        for path in paths:
            with suppress(KeyError):
                found[path] = read_path(source, path)
    return found


def refuse_without_table(values: dict[str, Json], paths: Iterable[str]) -> None:
    """Refuse to offer paths into tables that a state does not have: no edit of them could be merged.

    Raises:
        NodeFailed: A table is missing.
    """
    for path in paths:
        try:
            with_path(values, path, None)
        except KeyError as error:
            message = f"{path!r} cannot be offered for editing: the state has no table {error.args[0]!r}"
            raise NodeFailed(message, hint="route through a node that writes it first") from None


class AsksAround(Protocol):
    """The gate that asks, where the node itself does not."""

    def to_json(self) -> dict[str, Json]:
        """Write it as a table of JSON."""
        ...


def payload_hash(
    node: str, request: dict[str, Json], values: dict[str, Json], gate: AsksAround | None = None
) -> str:
    """Compute the hash that binds a decision to what was looked at.

    Neither the run counts nor how long its node took: two runs may ask the very same.
    """
    payload: list[Json] = [node, request, values]
    if gate is not None:
        payload.append({key: value for key, value in gate.to_json().items() if key != "duration"})
    return hashlib.sha256(canonical(payload).encode()).hexdigest()[:16]


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
