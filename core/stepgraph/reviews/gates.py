"""Questions that a graph puts around a node, and what the node did that waits at the one behind it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from ..values.json_values import Json, dumps
from .decision import Decision
from .request import ReviewRequest

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
            ValueError: It is not a gate.
        """
        if data["side"] == "before":
            return cls("before")
        held = HeldResult(request.arguments, data["output"], data["edits"], data["duration"])
        if data["side"] != "after" or not held.fits(request):
            raise ValueError("its gate is none")
        return cls("after", held)
