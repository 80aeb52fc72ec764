"""The parts of a graph: settings, nodes as they were added, edges."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ..conditions import Always, Chosen, Condition, Expression, HandlerPredicate, KeyEquals, parse_condition
from ..nodes.base import NOTHING_DECLARED, BaseNode, Node, NodeFacts
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..values.declared import LONGEST, duration_text, parse_duration
from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, canonical, plain
from ..values.problems import KeyPath, Problem
from ..values.state import StateKey

if TYPE_CHECKING:
    from ..tools.protocols import ToolEntry


END = "END"
"""The reserved name of the place where a run ends: no node may have it."""

RESERVED = (END, "__END__")
"""What no node may be called: the end, and another spelling of it that edges may use."""

MAX_STEPS = 1_000_000_000
"""The highest step limit: what every store can count."""

MAX_NODES = 10_000
"""How many nodes a graph may have with all that is inside of it."""

SHORTEST = 0.001
"""The shortest timeout of a node, in seconds."""

OnMaxSteps = Literal["return_last", "flag", "fail"]
OnNoMatch = Literal["fail", "end"]
NodeReview = Literal["before", "after", "never"]
ReviewPolicy = Literal["never", "every", "last"]
Gate = Literal["before", "after", "last"]
"""Where a person is asked: before the node runs, after it has, or after it where its edge leads to END."""
NodeLike = Node | Callable[..., Any]
Locator = Callable[[KeyPath], int | None]


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """The settings of a graph as a whole."""

    name: str
    start: str
    max_steps: int = 50
    """How many steps a run may complete, pauses and resumes included."""
    on_max_steps: OnMaxSteps = "return_last"
    on_no_match: OnNoMatch = "fail"
    max_seconds: float | None = None
    """Time limit for all nodes of a run, checked between steps."""
    max_cost: float | None = None
    """Spending limit for models in US dollars, checked before each call."""
    max_tokens: int | None = None
    """Token limit for models, read and written, checked before each call."""
    feedback: bool = True
    """Whether a node that is visited again sees its previous output."""
    no_feedback: tuple[str, ...] = ()
    """Nodes that never see it."""
    note: str = ""
    review: ReviewPolicy = "never"
    """After which nodes a person is asked, where a node itself does not say."""
    terms: ReviewTerms = NO_TERMS
    """The terms of its reviews, where a node itself does not say."""


@dataclass(frozen=True)
class NodeEntry:
    """A node as it was added."""

    name: str
    node: NodeLike | None
    """What runs; None when the type or its settings are wrong (see ``problems``)."""
    type: str = "python"
    settings: Mapping[str, Json] | None = None
    """The settings of a node declared by type; None for a Python object, which is opaque."""
    review: NodeReview | None = None
    """When a person is asked; None leaves it to the graph."""
    side_effects: bool = False
    note: str = ""
    problems: tuple[Problem, ...] = ()
    terms: ReviewTerms = NO_TERMS
    """The terms of its reviews; what they leave out is left to the graph."""
    timeout: str | float | None = None
    """How long a visit may take, as it was written: ``"30s"``, or as seconds; None for any time."""

    @classmethod
    def declared(
        cls,
        name: str,
        type: str,
        settings: Mapping[str, Json],
        review: NodeReview | None = None,
        side_effects: bool = False,
        note: str = "",
        terms: ReviewTerms = NO_TERMS,
        timeout: str | float | None = None,
    ) -> NodeEntry:
        """Build a node by its registered type and settings, as a graph file has them."""
        from ..nodes.registry import build_node

        node, problems = build_node(name, type, settings)
        entry = (name, node, type, dict(settings), review, side_effects, note, tuple(problems))
        return cls(*entry, terms=terms, timeout=timeout)

    @property
    def facts(self) -> NodeFacts:
        """The declarations of the node; a Python object is asked again each time, for it may have changed."""
        return self._facts if self.settings is not None else _facts_of(self.node)

    @cached_property
    def _facts(self) -> NodeFacts:
        return _facts_of(self.node)

    @property
    def inner_problems(self) -> tuple[Problem, ...]:
        """The problems within its settings, such as templates that do not parse; found as facts are."""
        return self._inner_problems if self.settings is not None else _problems_of(self.node)

    @cached_property
    def _inner_problems(self) -> tuple[Problem, ...]:
        return _problems_of(self.node)

    @property
    def seconds(self) -> float | None:
        """How many seconds a visit may take; None for any time.

        Raises:
            ValueError: The timeout is not a duration, or none that a visit could have.
        """
        given: object = self.timeout
        if given is None:
            return None
        if isinstance(given, str):
            seconds = parse_duration(given)
        elif isinstance(given, (int, float)) and not isinstance(given, bool) and given <= LONGEST:
            seconds = float(given) if given > 0 else 0.0
        else:
            raise ValueError(f"{given!r} is not a duration")
        if not seconds >= SHORTEST:  # nor is NaN
            raise ValueError(f"{given!r} is too short")
        return seconds

    def gate(self, policy: ReviewPolicy) -> Gate | None:
        """Find where a person is asked: by the node's own setting, else by the policy of its graph.

        An approval node asks a person already, so a policy leaves it out.
        """
        if self.review is not None:
            return None if self.review == "never" else self.review
        if policy == "never" or getattr(self.node, "type", self.type) == "approval":
            return None
        return "after" if policy == "every" else "last"

    @property
    def is_subgraph(self) -> bool:
        """Whether it is another graph."""
        return isinstance(self.node, BaseNode) and self.node.type == "subgraph"

    @property
    def is_approval(self) -> bool:
        """Whether it is an approval node, also where it is inside of a subgraph."""
        from ..nodes.approval import ApprovalNode
        from ..nodes.scoped import inmost

        return isinstance(inmost(self.node), ApprovalNode)

    def tools(self, declared: Mapping[str, ToolEntry]) -> list[ToolEntry]:
        """Look up the declared tools that the node is known to call."""
        facts = self.facts if declared else NOTHING_DECLARED
        named = facts.tools if facts.calls_tools else ()
        return [declared[name] for name in sorted(named) if name in declared]

    def tools_that_ask(self, declared: Mapping[str, ToolEntry]) -> list[ToolEntry]:
        """Look up those of its declared tools whose calls a person must agree to."""
        return [tool for tool in self.tools(declared) if tool.requires_approval]

    def asks(self, policy: ReviewPolicy, declared: Mapping[str, ToolEntry]) -> bool:
        """Check whether a gate may stand around the node: its own, the graph's or that of a tool it calls."""
        return self.gate(policy) is not None or bool(self.tools_that_ask(declared))


def _facts_of(node: NodeLike | None) -> NodeFacts:
    return node.facts() if isinstance(node, BaseNode) else NOTHING_DECLARED


def _problems_of(node: NodeLike | None) -> tuple[Problem, ...]:
    return tuple(node.problems()) if isinstance(node, BaseNode) else ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge; a node's edges are tried in the order in which they were added."""

    source: str
    target: str
    condition: Condition
    label: str | None
    index: int
    """Its position among all edges of the graph, in declaration order."""
    broken: ExpressionError | None = None
    """Why the condition's text does not parse; ``condition`` is then a stand-in."""
    note: str = ""
    """What it is for."""

    @classmethod
    def asking(
        cls,
        source: str,
        target: str,
        when: Condition | Callable[..., bool] | str | None,
        label: str | None = None,
        note: str = "",
    ) -> Edge:
        """Build an edge from its condition: None, the text of an expression, a predicate or a condition."""
        source, target = _place(source), _place(target)
        try:
            return cls(source, target, parse_condition(when), label, 0, None, note)
        except ExpressionError as error:
            return cls(source, target, Always(), label, 0, error, note)

    def at(self, index: int) -> Edge:
        """Return the same edge at a position."""
        if self.index == index:
            return self
        # Thousands of edges move when one is put before them, and `replace` takes twice as long.
        return Edge(self.source, self.target, self.condition, self.label, index, self.broken, self.note)

    def chosen_by(self, key: str | None) -> Edge:
        """Return the edge as a node takes it that writes its choice under a key; None if none does.

        An edge without a condition is taken where it is the choice; others ask their condition, as always.
        """
        if key is None or not self.unconditional:
            return self
        condition = Chosen(key, self.choice)
        return Edge(self.source, self.target, condition, self.label, self.index, None, self.note)

    @property
    def choice(self) -> str:
        """What a node that chooses among its edges calls this one: its label, else where it leads."""
        return self.label or self.target

    @property
    def unconditional(self) -> bool:
        """True when the edge always matches."""
        return self.condition.kind == "always" and self.broken is None

    def describe(self) -> str:
        """Return the label, else the condition in words."""
        return self.label or self.condition.describe()


def _place(name: str) -> str:
    return END if name in RESERVED else name


class GraphParts(Protocol):
    """What a graph consists of, whether it is still being built or is compiled."""

    @property
    def settings(self) -> GraphSettings:
        """What holds for the graph as a whole."""
        ...

    @property
    def keys(self) -> Mapping[str, StateKey]:
        """The declared state keys by name."""
        ...

    @property
    def tools(self) -> Mapping[str, ToolEntry]:
        """The declared tools by name."""
        ...

    @property
    def nodes(self) -> Mapping[str, NodeEntry]:
        """The nodes by name, in declaration order."""
        ...

    @property
    def edges(self) -> Sequence[Edge]:
        """All edges, in declaration order."""
        ...


OPAQUE = "python"
"""Marks a Python object in a document."""

_DEFAULTS = GraphSettings("", "")


_PLAIN = (
    "max_steps", "on_max_steps", "on_no_match", "max_seconds", "max_cost", "max_tokens", "feedback", "review",
)  # fmt: skip


def to_document(graph: GraphParts) -> dict[str, Json]:
    """Write the tables of the graph's file, without what has its default.

    Raises:
        StateError: A default, a setting or a scripted result is not JSON.
    """
    settings = graph.settings
    document: dict[str, Json] = {"format": 1, "name": settings.name}
    if settings.note:
        document["note"] = settings.note
    document["start"] = settings.start
    for name in _PLAIN:
        value = getattr(settings, name)
        if value != getattr(_DEFAULTS, name):
            document[name] = value
    if settings.no_feedback:
        document["no_feedback"] = list(settings.no_feedback)
    if settings.terms != NO_TERMS:
        document["reviews"] = _terms(settings.terms, "the reviews")
    tables: dict[str, Json] = {
        "state": {name: _key(key) for name, key in graph.keys.items()},
        "tools": {name: _tool(tool) for name, tool in graph.tools.items()},
        "nodes": {name: _node(entry) for name, entry in graph.nodes.items()},
        "edges": [_edge(edge) for edge in graph.edges],
    }
    return document | {name: table for name, table in tables.items() if table}


def definition_hash(document: Mapping[str, Json]) -> str:
    """Compute the hash that names a definition, the same for the same structure."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()[:32]


def _without(table: dict[str, Json], **defaults: Json) -> dict[str, Json]:
    """Leave out the keys that have their default."""
    return {key: value for key, value in table.items() if key not in defaults or value != defaults[key]}


def _key(key: StateKey) -> dict[str, Json]:
    table: dict[str, Json] = {"type": key.type} if key.type is not None else {}
    if key.has_default:
        table["default"] = plain(key.default, f'the default of state["{key.name}"]')
    rest: dict[str, Json] = {
        "input": key.input,
        "reducer": key.reducer,
        "secret": key.secret,
        "note": key.note,
    }
    return table | _without(rest, input=False, reducer="replace", secret=False, note="")


def _tool(tool: ToolEntry) -> dict[str, Json]:
    table: dict[str, Json] = {
        "handler": OPAQUE if tool.tool is not None else tool.handler,
        **(tool.command.overrides() if tool.command is not None else {}),
        "returns": plain(tool.returns, f"what tool {tool.name!r} returns"),
        "side_effects": tool.side_effects,
        "requires_approval": tool.requires_approval,
        "note": tool.note,
    }
    return _without(table, handler=None, returns=None, side_effects=False, requires_approval=False, note="")


def _node(entry: NodeEntry) -> dict[str, Json]:
    head: dict[str, Json] = {"type": OPAQUE if entry.settings is None else entry.type, "note": entry.note}
    settings = {
        name: plain(value, f"setting {name!r} of node {entry.name!r}")
        for name, value in (entry.settings or {}).items()
    }
    timeout = _timeout(entry)
    rest: dict[str, Json] = {"review": entry.review, "timeout": timeout, "side_effects": entry.side_effects}
    common = _without(rest, review=None, timeout=None, side_effects=False)
    common |= _terms(entry.terms, f"node {entry.name!r}")
    return _without(head, type="", note="") | settings | common


def _timeout(entry: NodeEntry) -> str | None:
    if isinstance(entry.timeout, str | None):
        return entry.timeout
    try:
        return duration_text(entry.seconds or 0)
    except ValueError as error:
        raise StateError(f"node {entry.name!r}: its timeout cannot be kept: {error}") from None


def _terms(terms: ReviewTerms, whose: str) -> dict[str, Json]:
    given: object = terms
    wrong = next(terms.wrong_values(), None) if isinstance(given, ReviewTerms) else None
    if wrong is not None or not isinstance(given, ReviewTerms):
        raise StateError(f"{whose}: " + (wrong.message if wrong is not None else "these are no ReviewTerms"))
    return terms.to_table()


def _edge(edge: Edge) -> dict[str, Json]:
    table: dict[str, Json] = {"from": edge.source, "to": edge.target}
    when = edge.broken.text if edge.broken is not None else _when(edge.condition)
    if when is not None:
        table["when"] = when
    if edge.label:
        table["label"] = edge.label
    if edge.note:
        table["note"] = edge.note
    return table


def _when(condition: Condition) -> Json:
    if isinstance(condition, Chosen):
        return None
    if isinstance(condition, Expression):
        return condition.text
    if isinstance(condition, KeyEquals):
        return {"key": condition.key, "equals": condition.value}
    if isinstance(condition, HandlerPredicate):
        return {"predicate": condition.ref}
    return None if condition.kind == "always" else {"predicate": OPAQUE}


def keys_set(keys: Mapping[str, StateKey], facts: Iterable[NodeFacts]) -> set[str] | None:
    """Collect the keys that a run may have; None where a node could write any."""
    known = {name for name, key in keys.items() if key.input or key.has_default}
    for each in facts:
        if each.writes is None:
            return None
        known |= each.writes
    return known
