"""What each verb of a pending review would lead to: the edges, tried on the state that it would make.

An edit is also asked again: the question and its action as the edited values make them. Nothing is run and
nothing is written: conditions are pure, and an approval node's own part in a decision is a change of the
state. What depends on Python code, or on words that are not written yet, is reported as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ..graphs.parts import END, Edge, NodeEntry
from ..graphs.plan import CompiledGraph
from ..nodes.base import BaseNode
from ..nodes.scoped import inmost
from ..reviews.inbox import Reviews
from ..reviews.model import Decision, Review, ReviewRequest, Verb
from ..values.errors import StateError, StepgraphError
from ..values.json_values import Json
from ..values.state import merge_updates
from . import turns
from .visit import Visit, is_opaque

if TYPE_CHECKING:
    from ..reviews.model import HeldResult
    from .run import Run

Kind = Literal["edge", "unknown", "fails", "ends", "runs", "stops"]
_PURE = ("always", "equals", "expression")
_UNSAID = frozenset({"comment", "text", "by", "at", "edited"})
"""The parts of a decision's record that are known once the person has written them."""
_PREVIEWS = {
    "approve": Decision.approve(),
    "edit": Decision("edit"),
    "reject": Decision.reject(),
    "respond": Decision.respond(""),
}


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A node that would come, or END."""

    node: str
    side_effects: bool = False
    """True when the node, or a tool that it names, changes the world outside the state."""
    asks: bool = False
    """True when a person is asked there."""


@dataclass(frozen=True, slots=True)
class DecisionPreview:
    """What a decision would lead to."""

    verb: Verb
    kind: Kind
    """``edge``: that edge is taken; ``unknown``: it cannot be known before; ``fails``: a condition would
    fail, or none match; ``ends``: the run ends without an edge; ``runs``: the node runs, which waits behind
    the gate, or goes on to the gate after it; ``stops``: the run is stopped at the gate."""
    reason: str = ""
    """Why, for every kind but ``edge`` and ``runs``."""
    edge: Edge | None = None
    position: int = 0
    """The edge's place among the edges of its node, from 1; 0 without an edge."""
    path: tuple[Waypoint, ...] = ()
    """What is certain to come, up to END, a question, a choice or a repetition."""
    capped: bool = False
    """True when the run would be stopped at its step limit before the first node of the path."""
    depends_on: tuple[str, ...] = ()
    """The editable paths that the tried conditions read: other values there may lead elsewhere."""

    @property
    def side_effects(self) -> tuple[str, ...]:
        """The nodes on the path that change the world outside the state."""
        return () if self.capped else tuple(way.node for way in self.path if way.side_effects)


class _WordsUnknown(Exception):
    """A condition asked for what the person has not written yet."""


class _Unsaid(dict[str, Json]):
    """The record of a decision without what nobody has written yet: a condition that reads it cannot tell."""

    def __missing__(self, part: str) -> Json:
        raise _WordsUnknown if part in _UNSAID else KeyError(part)


@dataclass(slots=True)
class _Facts:
    """What conditions look at, for a step that has not happened."""

    values: Mapping[str, Json]
    step: int
    node: str
    visited: Mapping[str, int]
    words: str | None

    @property
    def last_output(self) -> str:
        if self.words is None:
            raise _WordsUnknown
        return self.words

    def visit_count(self, node: str) -> int:
        return self.visited.get(node, 0) + (node == self.node)


def preview_verbs(app: CompiledGraph, run: Run, review: Review) -> list[DecisionPreview]:
    """Preview what each verb on offer would lead to; an edit is tried with the values as they are.

    Args:
        app: The run's graph.
        run: The run that waits.
        review: Its pending review.
    """
    verbs = review.request.verbs if review.node in app.nodes else ()  # a store may be damaged
    return [_consequence(app, run, review, _PREVIEWS[verb], None) for verb in verbs]


def preview_decision(app: CompiledGraph, run: Run, review: Review, decision: Decision) -> DecisionPreview:
    """Preview what this very decision would lead to, its edits and words included.

    Raises:
        NotAllowed: The review does not offer it.
    """
    checked = review.checked(decision)
    return _consequence(app, run, review, checked, checked.text or checked.comment)


def edited_request(app: CompiledGraph, run: Run, review: Review, decision: Decision) -> ReviewRequest | None:
    """Write what would be asked of the state that an edit makes: its action is what would be done.

    The definition in the store is enough, and no code of the user's is run.

    Returns:
        The question with the edited values; None where only the node's own code could write it.

    Raises:
        NotAllowed: The review does not offer the edit.
        StepgraphError: The edit has no place in the state, or the question cannot be written with it.
    """
    checked = review.checked(decision)
    entry = app.nodes.get(review.node)
    if review.request.edits == "arguments":
        return replace(review.request, arguments={**review.request.arguments, **checked.values})
    if review.gate is not None and review.gate.result is not None:
        return turns.after(review.node, review.gate.result.changed_by(checked), app.keys)
    if review.gate is not None:
        work = entry.node if entry is not None else None
        if not isinstance(work, BaseNode) or is_opaque(work):
            return None
        values = run.values | checked.apply_to(run.values)
        return turns.before(review.node, work, _visit(run, review, values), app.keys)
    if entry is None or not entry.is_approval:
        return None
    try:
        seen = _state_asked_about(run, review)
        values = merge_updates(seen, checked.apply_to(seen), app.keys)[0]
    except KeyError as error:
        raise StateError(f"the state has no {error.args[0]!r} to change") from None
    asking: Any = entry.node
    request: ReviewRequest | None = asking.execute(_visit(run, review, values)).review
    return request


def approved_state(app: CompiledGraph, run: Run, review: Review) -> dict[str, Json] | None:
    """Build the state after an approval where a node's result waits at a gate; None at any other review.

    Raises:
        StateError: The graph was changed meanwhile, and cannot merge it.
    """
    held = review.gate.result if review.gate is not None else None
    return _merged(app, run, held) if held is not None else None


def _merged(app: CompiledGraph, run: Run, held: HeldResult) -> dict[str, Json]:
    return merge_updates({**run.values, **held.edits}, held.updates, app.keys)[0]


def _consequence(
    app: CompiledGraph, run: Run, review: Review, decision: Decision, words: str | None
) -> DecisionPreview:
    entry = app.nodes[review.node]
    work = inmost(entry.node)
    if review.gate is None and isinstance(work, BaseNode) and work.asks_again:
        return DecisionPreview(decision.verb, "runs", path=_path_from(app, review.node, asked=True))
    held = None
    if review.gate is not None:
        held = review.gate.result
        if decision.verb == "reject":
            before, behind = f"{review.node} does not run", "the node's changes are still saved"
            return DecisionPreview("reject", "stops", f"the run stops; {before if held is None else behind}")
        if held is None:
            return DecisionPreview(decision.verb, "runs", path=_path_from(app, review.node, asked=True))
        held = held.changed_by(decision)
        words = held.text
    elif entry.gate(app.settings.review) == "after":
        return DecisionPreview(decision.verb, "runs", path=(waypoint(app, entry.name),))
    return _after_visit(app, run, review, decision, held, words)


def _after_visit(
    app: CompiledGraph,
    run: Run,
    review: Review,
    decision: Decision,
    held: HeldResult | None,
    words: str | None,
) -> DecisionPreview:
    """Try the edges on the state that the decided visit leaves."""
    entry, edges = app.nodes[review.node], app.edges_from(review.node)
    if edges and edges[0].unconditional:
        return _edge_preview(app, run, decision, edges[0], 1, ())
    try:
        values: dict[str, Json] | None
        if held is not None:
            values = _merged(app, run, held)
        else:
            values = _decided(entry, run, review, decision, words, app)
    except StepgraphError as error:
        return DecisionPreview(decision.verb, "fails", error.message)
    except KeyError as error:
        return DecisionPreview(decision.verb, "fails", f"the state has no {error.args[0]!r} to change")
    if values is None:
        return DecisionPreview(
            decision.verb, "unknown", f"it depends on what the code of {entry.name!r} does"
        )
    facts = _Facts(values, run.step + 1, review.node, run.visits, words)
    return _routed(app, run, decision, edges, facts, review)


def _visit(run: Run, review: Review, values: dict[str, Json], decision: Decision | None = None) -> Visit:
    """Build what the node sees on the visit that waits."""
    return Visit(values, run.step + 1, review.visit, decision, review.node, run._history, run.version, False)


def _state_asked_about(run: Run, review: Review) -> dict[str, Json]:
    """Build the state that a node's question is about, including changes at the gate before it."""
    passed = Reviews(run.store).read(review.passed)[0].decision if review.passed is not None else None
    return run.values | (passed.apply_to(run.values) if passed is not None else {})


def _decided(
    entry: NodeEntry, run: Run, review: Review, decision: Decision, words: str | None, app: CompiledGraph
) -> dict[str, Json] | None:
    """Build the state once the node has completed with this decision; None when only its code knows."""
    if not entry.is_approval:
        return None
    asking: Any = entry.node
    bound = replace(decision, review=review.id, hash=review.hash)
    values = _state_asked_about(run, review)
    result = asking.execute(_visit(run, review, values, bound))
    if result.status != "success":
        return None
    merged = merge_updates(values, result.updates or {}, app.keys)[0]
    unsaid = {"at"} if words is not None else _UNSAID - ({"edited"} if decision.verb != "edit" else set())
    (key,) = entry.facts.tables  # its record
    merged[key] = _without(merged[key], unsaid)
    return merged


def _without(record: Json, unsaid: Set[str]) -> Json:
    """Remove from a record, or the last one of a list, what nobody has written yet."""
    if isinstance(record, list):
        return [*record[:-1], _without(record[-1], unsaid)]
    if isinstance(record, dict):
        return _Unsaid({part: value for part, value in record.items() if part not in unsaid})
    return record


def _routed(
    app: CompiledGraph,
    run: Run,
    decision: Decision,
    edges: tuple[Edge, ...],
    facts: _Facts,
    review: Review,
) -> DecisionPreview:
    read: set[str] = set()
    for position, edge in enumerate(edges, 1):
        condition = edge.condition
        if condition.kind not in _PURE:
            why = f"edge {position} ({edge.describe()}) is decided by Python code"
            return DecisionPreview(decision.verb, "unknown", why)
        read |= condition.reads
        try:
            matched = condition.matches(facts)
        except _WordsUnknown:
            why = f"edge {position} ({edge.describe()}) depends on the words of the decision"
            return DecisionPreview(decision.verb, "unknown", why)
        except StepgraphError as error:
            why = f"the condition of edge {position} ({edge.describe()}) would fail: {error.message}"
            return DecisionPreview(decision.verb, "fails", why)
        if matched:
            return _edge_preview(app, run, decision, edge, position, _editable_in(review, read))
    if app.settings.on_no_match == "end":
        return DecisionPreview(decision.verb, "ends", "no edge matches, and the run ends there")
    return DecisionPreview(decision.verb, "fails", "no edge matches, and the run fails")


def _editable_in(review: Review, read: set[str]) -> tuple[str, ...]:
    return tuple(path for path in review.request.editable if path in read or path.split(".")[0] in read)


def _edge_preview(
    app: CompiledGraph,
    run: Run,
    decision: Decision,
    edge: Edge,
    position: int,
    editable: tuple[str, ...],
) -> DecisionPreview:
    return DecisionPreview(
        decision.verb,
        "edge",
        edge=edge,
        position=position,
        path=_path_from(app, edge.target),
        capped=edge.target != END and run.step + 1 >= run.max_steps,
        depends_on=editable if decision.verb == "edit" else (),
    )


def _path_from(app: CompiledGraph, node: str, *, asked: bool = False) -> tuple[Waypoint, ...]:
    """Find what is certain to come; ``asked`` says that the gate before the first node is passed."""
    path: list[Waypoint] = []
    seen: set[str] = set()
    while node != END:
        way = waypoint(app, node, asked=asked and not path)
        path.append(way)
        edges = app.edges_from(node)
        if way.asks or node in seen or not edges or not edges[0].unconditional:
            return tuple(path)
        seen.add(node)
        node = edges[0].target
    return (*path, Waypoint(END))


def waypoint(app: CompiledGraph, node: str, *, asked: bool = False) -> Waypoint:
    """Find what is known about a node before it runs: whether it acts on the world, whether it asks.

    Args:
        app: The graph.
        node: The node.
        asked: Whether a person was asked there already: at the gate before it, or about a tool that it calls.
    """
    entry = app.nodes[node]
    acts = entry.side_effects or any(tool.side_effects for tool in entry.tools(app.tools))
    tools = not asked and bool(entry.tools_that_ask(app.tools))
    before = not asked and asks_before(app, node)
    return Waypoint(node, acts, before or tools or asks_behind(app, node) or entry.is_approval)


def asks_before(app: CompiledGraph, node: str) -> bool:
    """Check whether a gate comes before a node, its own or that of a tool that it names."""
    entry = app.nodes[node]
    gate = entry.gate(app.settings.review)
    return gate == "before" or (_asks_first(entry) and bool(entry.tools_that_ask(app.tools)))


def _asks_first(entry: NodeEntry) -> bool:
    """Check whether a node asks about its tool before it runs; an agent asks when it comes to a call."""
    return isinstance(entry.node, BaseNode) and type(entry.node).must_ask is not BaseNode.must_ask


def asks_behind(app: CompiledGraph, node: str) -> bool:
    """Check whether a gate is certain to stand after a node; at the last one, where it leads to END."""
    gate, edges = app.nodes[node].gate(app.settings.review), app.edges_from(node)
    ends = bool(edges) and edges[0].unconditional and edges[0].target == END
    return gate == "after" or (gate == "last" and ends)
