"""A breakpoint as plain data: what it waits for, under which condition, how often, and what it does then.

And what its condition may ask of a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from ...expressions.rename import with_keys, with_nodes
from ...graphs.parts import END, RESERVED
from ...values.errors import BreakpointError
from ...values.json_values import Json, json_line, preview
from ...values.problems import did_you_mean

if TYPE_CHECKING:
    from ...graphs.plan import CompiledGraph


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
    """The part of the state, spelled as in conditions: ``status``, ``order.amount``, ``state["my-key"]``."""
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
                f"a breakpoint is a table, not {preview(data)}", hint="remove it, and add it again"
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
        """Describe it in a few words: ``before draft when score < 3, after 2 hits``."""
        text = self.place()
        if self.when is not None:
            text += f" when {self.when}"
        if self.skip:
            text += f", after {self.skip} hit{'s' if self.skip > 1 else ''}"
        if self.every > 1:
            text += f", every {self.every} hits"
        if self.log is not None:
            text += f", logs {json_line(self.log)}"
        return text if self.enabled else f"{text}, off"

    def place(self) -> str:
        """Describe what it waits for, without its condition: ``edge draft -> END``."""
        match self.kind:
            case "before" | "after":
                return f"{self.kind} {self.node}"
            case "edge":
                label = f" ({self.label})" if self.label is not None else ""
                return f"edge {self.node} -> {self.target}{label}"
            case "changes":
                return f"{self.path} changes"
            case "becomes":
                return f"{self.path} becomes {json_line(self.value)}"
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


_WORDS: dict[str, BreakpointKind] = {
    "before": "before",
    "after": "after",
    "edge": "edge",
    "key": "changes",
    "type": "type",
    "fail": "fail",
    "pause": "pause",
    "nomatch": "no_match",
}
_OF_KINDS = {kind: word for word, kind in _WORDS.items()} | {"becomes": "key"}
_OPTION = re.compile(r";\s*(after|every)\s+([0-9]{1,10})\s*$", re.ASCII)
_LIKE_OPTION = re.compile(r";\s*(after|every|log)\b", re.ASCII)
_LOG = re.compile(r";\s*log\s+(.+)$", re.DOTALL)
_PATH = re.compile(r"(?:[^\[\]:=]|\[[^\]]*\])+")
_decode = json.JSONDecoder().raw_decode


def parse_breakpoint(text: str, plan: CompiledGraph) -> Breakpoint:
    """Read a breakpoint as it is written on a line.

    Names are those of the graph where it has them, whatever signs are in them; what it does not have is
    read as far as possible, and left to ``CompiledBreakpoints`` to tell.

    Raises:
        BreakpointError: It cannot be read.
    """
    rest, log = text.strip(), None
    if found := _LOG.search(rest):
        rest, log = rest[: found.start()].rstrip(), found[1]
    counts: dict[str, int] = {}
    while found := _OPTION.search(rest):
        if counts.setdefault(found[1], int(found[2])) != int(found[2]):
            raise BreakpointError(f"{text!r} says {found[1]} twice", hint="write it once")
        rest = rest[: found.start()].rstrip()
    made = replace(_without_counts(rest, text, plan), log=log)
    made = replace(made, skip=counts.get("after", 0), every=counts.get("every", 1))
    return Breakpoint.from_json(made.to_json())  # refuses counts that are too small or too large


def format_breakpoint(breakpoint: Breakpoint) -> str:
    """Write a breakpoint as ``parse_breakpoint`` reads it; its id, and that it is off, are not said."""
    word = _OF_KINDS[breakpoint.kind]
    match breakpoint.kind:
        case "before":
            text = breakpoint.node if breakpoint.node not in _WORDS else f"before:{breakpoint.node}"
        case "after":
            text = f"after:{breakpoint.node}"
        case "edge":
            label = f"#{breakpoint.label}" if breakpoint.label is not None else ""
            text = f"edge:{breakpoint.node}->{breakpoint.target}{label}"
        case "becomes":
            text = f"key:{breakpoint.path}={json.dumps(breakpoint.value, ensure_ascii=False)}"
        case "changes" | "type":
            text = f"{word}:{breakpoint.path}"
        case _:
            text = word
    text += f":{breakpoint.when}" if breakpoint.when is not None else ""
    text += f"; after {breakpoint.skip}" if breakpoint.skip else ""
    text += f"; every {breakpoint.every}" if breakpoint.every > 1 else ""
    return text + (f"; log {breakpoint.log}" if breakpoint.log is not None else "")


def _without_counts(text: str, whole: str, plan: CompiledGraph) -> Breakpoint:
    word, colon, rest = text.partition(":")
    kind = _WORDS.get(word)
    match kind:
        case "fail" | "pause" | "no_match":
            return Breakpoint(kind, when=_condition(colon, rest, whole))
        case "edge":
            return _edge(rest, whole, plan)
        case "changes" | "type":
            return _part(kind, rest, whole)
        case "before" | "after" if colon:
            name, when = _node(rest, whole, plan)
            return Breakpoint(kind, name, when=when)
        case _:
            name, when = _node(text, whole, plan)
            return Breakpoint("before", name, when=when)


def _node(text: str, whole: str, plan: CompiledGraph) -> tuple[str, str | None]:
    """Split a node's name from the condition after it: the longest name that the graph has."""
    for name, colon, rest in _splits(text):
        if name in plan.nodes:
            return name, _condition(colon, rest, whole)
    name, colon, rest = text.partition(":")
    if not name.strip():
        raise BreakpointError(f"{whole!r} names no node", hint=did_you_mean("", plan.nodes, listing="it has"))
    if _LIKE_OPTION.search(name):
        raise BreakpointError(
            f"{whole!r} cannot be read from its semicolon on",
            hint="write ; after N and ; every N with whole numbers, and ; log TEXT last",
        )
    return name.strip(), _condition(colon, rest, whole)


def _edge(text: str, whole: str, plan: CompiledGraph) -> Breakpoint:
    for ends, colon, rest in _splits(text):
        for edge in plan.edges:
            spelled = f"{edge.source}->{edge.target}"
            for label in (None, edge.describe()):
                if _tight(ends) == (spelled if label is None else f"{spelled}#{label}"):
                    when = _condition(colon, rest, whole)
                    return Breakpoint("edge", edge.source, edge.target, label, when=when)
    ends, colon, rest = text.partition(":")
    source, arrow, target = _tight(ends).partition("->")
    target, hash_, label_text = target.partition("#")
    if not arrow or not source or not target:
        raise BreakpointError(f"{whole!r} names no edge", hint="write edge:A->B, such as edge:draft->END")
    target = END if target in RESERVED else target
    label = label_text if hash_ else None
    return Breakpoint("edge", source, target, label, when=_condition(colon, rest, whole))


def _part(kind: BreakpointKind, text: str, whole: str) -> Breakpoint:
    """Read a part of the state, and perhaps the value that it is to have."""
    found = _PATH.match(text)
    path = found[0].strip() if found else ""
    if not path:
        raise BreakpointError(f"{whole!r} names no key", hint="write key:NAME, such as key:order.amount")
    rest = text[found.end() if found else 0 :]
    if rest.startswith("=="):
        raise BreakpointError(f"{whole!r} compares", hint="write one =, as in key:status=done")
    if not rest.startswith("="):
        when = _condition(rest[:1], rest[1:], whole)
        return Breakpoint(kind, path=path, when=when)
    if kind == "type":
        raise BreakpointError(f"{whole!r} has a value, and waits for a type", hint="write key:NAME=VALUE")
    value, colon, rest = _value(rest[1:].lstrip())
    return Breakpoint("becomes", path=path, value=value, when=_condition(colon, rest, whole))


def _value(text: str) -> tuple[Json, str, str]:
    """Split a value, JSON or else text, from the condition after it."""
    try:
        value, end = _decode(text)
        rest = text[end:].lstrip()
        if rest == "" or rest.startswith(":"):
            return value, rest[:1], rest[1:]
    except (ValueError, RecursionError):
        pass
    words, colon, rest = text.partition(":")
    return words.strip(), colon, rest


def _condition(colon: str, text: str, whole: str) -> str | None:
    if not colon:
        if text.strip():
            raise BreakpointError(f"{whole!r} cannot be read", hint="a condition follows a colon")
        return None
    if colon != ":" or not text.strip():
        raise BreakpointError(
            f"{whole!r} has no condition behind its colon", hint="write NODE:CONDITION, or NODE alone"
        )
    return text.strip()


def _splits(text: str) -> Iterator[tuple[str, str, str]]:
    """Split a text at each of its colons, the longest beginning first."""
    yield text.strip(), "", ""
    at = len(text)
    while (at := text.rfind(":", 0, at)) >= 0:
        yield text[:at].strip(), ":", text[at + 1 :]


def _tight(ends: str) -> str:
    """Write the ends of an edge without blanks around the arrow, and the end as graphs do."""
    source, arrow, target = ends.partition("->")
    name, hash_, label = target.partition("#")
    name = END if name.strip() in RESERVED else name.strip()
    return f"{source.strip()}{arrow}{name}{hash_}{label}"


class Past(Protocol):
    """The steps before a place; a run's history answers, and so does a walk along its ledger."""

    def count(self, node: str, upto: int | None = None) -> int:
        """Count the visits of a node, up to a row."""
        ...

    def last_output(self, upto: int) -> str:
        """Return what the last node put out, up to a row."""
        ...


class FactsAt:
    """A run at one place, as expressions read it.

    Args:
        values: The state there; not copied, and never changed.
        step: The number of the step that is under way, or that is over.
        past: The run's past.
        upto: The ledger row up to which the past goes.
        node: The node whose visit is under way, which counts already; empty when none is.
    """

    __slots__ = ("_node", "_past", "_upto", "step", "values")

    def __init__(self, values: Mapping[str, Json], step: int, past: Past, upto: int, node: str = "") -> None:
        self.values = values
        self.step = step
        self._past, self._upto, self._node = past, upto, node

    @property
    def last_output(self) -> str:
        """What the last node put out; empty before the first step."""
        return self._past.last_output(self._upto)

    def visit_count(self, node: str) -> int:
        """Count how often the run has come to the node, a visit under way included."""
        return self._past.count(node, self._upto) + (node == self._node)
