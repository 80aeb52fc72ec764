"""A breakpoint as plain data: what it waits for, under which condition, how often, and what it does then."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from ...expressions.rename import with_keys, with_nodes
from ...values.compare import shown
from ...values.errors import BreakpointError
from ...values.json_values import Json, preview

BreakpointKind = Literal["before", "after", "edge", "changes", "becomes", "type", "fail", "pause", "no_match"]
"""What is waited for: a node that comes next or was run; an edge that was taken; a part of the state that a
step changed, made equal to a value, or gave another type; a failure of a node or of its routing; a review
that waits; a node of whose edges none matched."""

KINDS: tuple[BreakpointKind, ...] = get_args(BreakpointKind)
_OF_NODES = ("before", "after", "edge")
_OF_STATE = ("changes", "becomes", "type")
_HIGHEST = 1_000_000_000  # of the counts


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One breakpoint. It names things of a graph, which need not be there: ``CompiledBreakpoints`` tells."""

    kind: BreakpointKind
    node: str = ""
    """The node of ``before`` and ``after``; where the edge of ``edge`` begins."""
    target: str = ""
    """Where the edge leads; END is ``END``."""
    label: str | None = None
    """The edge's label, else its condition in words, where one of several between its ends is meant."""
    path: str = ""
    """The part of the state, spelt as in conditions: ``status``, ``order.amount``, ``state["my-key"]``."""
    value: Json = None
    """What ``becomes`` waits for."""
    when: str | None = None
    """An expression on the state as it was before the step; None for always."""
    skip: int = 0
    """How many hits are let pass at first."""
    every: int = 1
    """Of the further hits, only each so-manieth counts."""
    log: str | None = None
    """A template: its line is written, and the run goes on. None halts."""
    enabled: bool = True
    id: str = ""
    """Its name in the place where it is kept; empty for one that is kept nowhere."""

    @property
    def is_counted(self) -> bool:
        """Whether its hits must be counted to know which of them matter."""
        return self.skip > 0 or self.every > 1

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON; what is as usual is left out, its id too."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in ("id",)
            and (
                getattr(self, each.name) != each.default or (each.name == "value" and self.kind == "becomes")
            )
        }

    @classmethod
    def from_json(cls, data: object, id: str = "") -> Breakpoint:
        """Read what ``to_json`` has written.

        Raises:
            BreakpointError: It is not a breakpoint; the message names the part that is wrong.
        """
        if not isinstance(data, dict):
            raise BreakpointError(
                f"a breakpoint is a table, not {preview(data)}", hint="remove it, and add it anew"
            )
        known: dict[str, Any] = {each.name: each for each in fields(cls) if each.name != "id"}
        for name, value in data.items():
            if name not in known:
                raise BreakpointError(
                    f"a breakpoint has no {preview(name)}", hint=f"it has: {', '.join(known)}"
                )
            if not _fits(name, value):
                raise BreakpointError(f"{name} of a breakpoint is {preview(value)}", hint=_needs(name))
        if "kind" not in data:
            raise BreakpointError("a breakpoint lacks its kind", hint=_needs("kind"))
        found = cls(**data, id=id)
        for name in _required(found.kind):
            if not getattr(found, name):
                raise BreakpointError(
                    f"a breakpoint of kind {found.kind!r} lacks its {name}", hint=_needs(name)
                )
        return found

    def describe(self) -> str:
        """Say it in a few words: ``before draft when score < 3, after 2 hits``."""
        text = self.place()
        if self.when is not None:
            text += f" when {self.when}"
        if self.skip:
            text += f", after {self.skip} hit{'s' if self.skip > 1 else ''}"
        if self.every > 1:
            text += f", every {self.every} hits"
        if self.log is not None:
            text += f", logs {shown(self.log)}"
        return text if self.enabled else f"{text}, off"

    def place(self) -> str:
        """Say what it waits for, without its condition: ``edge draft -> END``."""
        match self.kind:
            case "before" | "after":
                return f"{self.kind} {self.node}"
            case "edge":
                label = f" ({self.label})" if self.label is not None else ""
                return f"edge {self.node} -> {self.target}{label}"
            case "changes":
                return f"{self.path} changes"
            case "becomes":
                return f"{self.path} becomes {shown(self.value)}"
            case "type":
                return f"{self.path} changes its type"
            case "fail":
                return "a failure"
            case "pause":
                return "a pause"
            case _:
                return "no edge matches"

    def with_node_renamed(self, old: str, new: str) -> Breakpoint:
        """Follow a node to its new name.

        Raises:
            ExpressionError: The condition cannot name it by that name.
        """
        when = self.when and with_nodes(self.when, {old: new})
        if self.kind not in _OF_NODES:
            return replace(self, when=when)
        node, target = (new if name == old else name for name in (self.node, self.target))
        return replace(self, node=node, target=target, when=when)

    def with_key_renamed(self, old: str, new: str) -> Breakpoint:
        """Follow a key of the state to its new name.

        Raises:
            ExpressionError: The condition cannot name it by that name.
        """
        when = self.when and with_keys(self.when, {old: new})
        path = with_keys(self.path, {old: new}) if self.kind in _OF_STATE else self.path
        return replace(self, path=path, when=when)


def _required(kind: BreakpointKind) -> tuple[str, ...]:
    if kind == "edge":
        return "node", "target"
    if kind in _OF_NODES:
        return ("node",)
    return ("path",) if kind in _OF_STATE else ()


def _fits(name: str, value: object) -> bool:
    match name:
        case "kind":
            return value in KINDS
        case "value":
            return True
        case "enabled":
            return isinstance(value, bool)
        case "skip" | "every":
            return type(value) is int and (name == "every") <= value <= _HIGHEST
        case "label" | "when" | "log":
            return value is None or isinstance(value, str)
        case _:
            return isinstance(value, str)


def _needs(name: str) -> str:
    match name:
        case "kind":
            return f"its kind is one of {', '.join(KINDS)}"
        case "enabled":
            return "write true or false"
        case "skip" | "every":
            return f"write a whole number from {int(name == 'every')} to {_HIGHEST:,}"
        case _:
            return "write a text"
