"""The state as a node sees it on one visit of a run, with what the run knows of its past."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import CoroutineType
from typing import TYPE_CHECKING, Any, cast

from ..conditions import Chosen
from ..conditions.base import EdgeTest, bare
from ..graphs.parts import END, Edge, Gate, NodeEntry
from ..graphs.plan import CompiledGraph
from ..nodes.base import BaseNode, Choice, NodeResult, Services
from ..nodes.scoped import inmost, is_ours
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..stores.ledger import calls_of, own_of
from ..tools.registry import ScriptedTool, ToolRegistry
from ..values.errors import GraphError, HandlerError, NodeFailed, StateError
from ..values.json_values import class_name, pairs, preview, text
from ..values.messages import error_detail, shortened
from ..values.state import State

if TYPE_CHECKING:
    from ..models.client import CallListener, LLMClient, Recordings
    from ..reviews.model import ReviewRequest
    from ..values.json_values import Json
    from ..values.state import DecisionMade
    from .history import History


@dataclass(frozen=True, slots=True)
class CallRules:
    """How the calls of a run's nodes to models and tools are replayed, told of and stopped."""

    recordings: Recordings | None = None
    """Recorded calls that answer in place of models and tools; None where nothing is replayed."""
    tell: CallListener | None = None
    """Hears of calls while they last."""
    stopped: Callable[[], bool] | None = None
    """Whether somebody has asked to stop: asked while a call lasts."""


NO_CALL_RULES = CallRules()

FEEDBACK = (
    "Graph state '{node}' visit #{visit}. Prior visit's output is provided above; "
    "refine your response based on it."
)


@dataclass(frozen=True, slots=True)
class BoundNode:
    """A node made ready to run: what to call, and where its edges lead."""

    name: str
    execute: Callable[[Any], Any]
    tests: tuple[EdgeTest, ...]
    """The tests of its edges, in order."""
    targets: tuple[str, ...]
    """Where its edges lead, in the same order."""
    feedback: bool
    """Whether it sees its previous output when it is visited again."""
    function: Callable[..., Any] | None = None
    """What of it a person wrote in Python; None for the node types that come with Stepgraph."""
    gate: Gate | None = None
    """Where a person is asked, by its setting or the graph's policy."""
    work: BaseNode | None = None
    """The node itself, where it can announce what it is about to do."""
    may_ask: bool = False
    """Whether a person may have to be asked before it runs."""
    terms: ReviewTerms = NO_TERMS
    """The terms of its reviews: its own, and the graph's where it says nothing."""
    timeout: float | None = None
    """How many seconds a visit may take; None for any time."""
    is_tried: bool = False
    """Whether it is tried by itself: then what it asks waits on no terms at all."""


def bind(
    app: CompiledGraph,
    tools: ToolRegistry | None,
    models: Mapping[str, LLMClient] | None,
    live: bool,
    only: str | None = None,
    calls: CallRules = NO_CALL_RULES,
    now: Callable[[], float] = time.time,
) -> dict[str, BoundNode]:
    """Look up everything that the plan names, and give each node what it needs.

    Args:
        app: The plan.
        tools: Tools beside (and before) those that the plan declares.
        models: Model clients by alias.
        live: Whether models are asked although nodes have scripted replies.
        only: The one node to make ready; all of them when None.
        calls: How calls to models and tools are replayed, told of and stopped.
        now: The time, in seconds since 1970.

    Raises:
        TrustError: The graph names Python code that nobody has trusted.
        GraphError: A handler cannot be found, or a node is only known from a stored definition.
    """
    find = _finder(app, tools)
    resolve = _resolver(find)
    registry = _registry(app, tools, resolve, live)
    models = {} if models is None else models
    listeners = calls.recordings, calls.tell, calls.stopped
    from ..files.handlers import tools_named

    named = ToolRegistry(registry, named=tools_named(app))
    services = Services(named, models, live, resolve, find, *listeners, now=now, keys=app.keys)
    settings = app.settings
    bound = {}
    for entry in app.nodes.values() if only is None else (app.nodes[only],):
        edges = app.edges_from(entry.name)
        choices = _choices(app, edges)
        own = replace(services, choices=choices) if choices else services
        if entry.facts.calls_any_tool:
            own = replace(own, tools=registry)
        work, execute, function = _work(entry, own)
        gate = entry.gate(settings.review)
        bound[entry.name] = BoundNode(
            entry.name,
            execute,
            tuple(edge.condition.bind(resolve) for edge in edges),
            tuple(edge.target for edge in edges),
            settings.feedback and entry.name not in settings.no_feedback,
            function,
            gate,
            work,
            gate == "before" or (work is not None and type(work).must_ask is not BaseNode.must_ask),
            entry.terms.over(settings.terms),
            entry.seconds,
        )
    return bound


def in_graph(app: CompiledGraph, name: str) -> Services:
    """Return what a node knows of its graph, for one that is looked at and not run: no tools, no models."""
    return Services(ToolRegistry(), keys=app.keys, choices=_choices(app, app.edges_from(name)))


def _choices(app: CompiledGraph, edges: tuple[Edge, ...]) -> tuple[Choice, ...]:
    """Find the ways out of a node that it chooses among by itself."""
    return tuple(
        Choice(edge.choice, edge.target, edge.note, app.nodes[edge.target].note if edge.target != END else "")
        for edge in edges
        if isinstance(bare(edge.condition), Chosen)
    )


def _work(
    entry: NodeEntry, services: Services
) -> tuple[BaseNode | None, Callable[[Any], Any], Callable[..., Any] | None]:
    """Find the node that does the work, what to call of it, and what of that a person wrote."""
    node: Any = entry.node
    if node is None:
        raise GraphError(
            f"node {entry.name!r} is a Python object that only the program which built the graph has",
            hint="run it with an Executor of that program",
        )
    if hasattr(node, "bind"):
        node = node.bind(services)
    execute: Callable[[Any], Any] = node.execute if hasattr(node, "execute") else node
    work = node if isinstance(node, BaseNode) else None
    # Of ours only handlers and tools have a function.
    function = getattr(node, "function", None) if is_ours(node) else execute
    if work is not None and not is_ours(inmost(work)):
        from ..nodes.calls import in_visit

        execute = in_visit(work)
    return work, execute, function


def is_opaque(work: BaseNode) -> bool:
    """Check whether a person's own code runs in a node, of which nobody knows what it reads."""
    return not is_ours(inmost(work)) or bool(work.facts().handlers)


def _resolver(find: Callable[[str], object]) -> Callable[[str], Callable[..., Any]]:
    """Return what finds the functions that a plan names."""
    from ..files.handlers import function_of

    return lambda ref: function_of(ref, find(ref))


def _finder(app: CompiledGraph, own: ToolRegistry | None) -> Callable[[str], object]:
    """Return what finds the objects that a plan names, and nothing else, in modules that are trusted."""
    from ..files import handler_refs
    from ..files.handlers import addresses_of, open_nodes_of, resolve_object, server_tools_of

    named = frozenset(handler_refs(app))
    reached = own is not None and (
        any(map(own.is_of_source, server_tools_of(app))) or bool(own.sources and open_nodes_of(app))
    )
    if (
        named
        or reached
        or addresses_of(app)
        or any(entry.command is not None for entry in app.tools.values())
    ):
        from ..files import require_trust  # with all that reads and compares

        sources = require_trust(app)

    @cache
    def find(ref: str) -> object:
        if ref not in named:
            raise HandlerError(
                f"the handler {ref!r} is not among those that trust was asked for",
                hint="the node type that names it should return it from handlers()",
            )
        return resolve_object(ref, sources)

    return find


def tools_of(app: CompiledGraph, own: ToolRegistry | None, *, live: bool) -> ToolRegistry:
    """Prepare the tools that a plan declares, with all others for a person who calls them by name.

    Args:
        app: The plan.
        own: Tools beside (and before) those that the plan declares.
        live: Whether tools with scripted answers are called.

    Raises:
        TrustError: The graph names Python code or commands that nobody has trusted.
    """
    return _registry(app, own, _resolver(_finder(app, own)), live)


def _registry(
    app: CompiledGraph, own: ToolRegistry | None, resolve: Callable[[str], Callable[..., Any]], live: bool
) -> ToolRegistry:
    """Put the tools that the graph declares beside the user's own, which may come and go as it runs."""
    registry = ToolRegistry(parent=own)
    for entry in app.tools.values():
        is_scripted = entry.returns is not None and not live
        if own is None or entry.name not in own or (is_scripted and own.is_of_source(entry.name)):
            tool = entry.tool
            if tool is None and entry.handler is not None:
                tool = resolve(entry.handler)
            if tool is None and entry.command is not None and not is_scripted:
                from ..tools.commands import CommandTool

                base = app.source.parent if app.source is not None else None
                tool = CommandTool(entry.name, entry.command, base, entry.note)
            if tool is None:
                tool = ScriptedTool(entry.name, entry.returns)
            registry.register(entry.name, tool, side_effects=entry.side_effects)
        if entry.requires_approval:
            registry.require_approval(entry.name)  # also of a tool that the executor's own stands in for
    return registry


class Visit(State):
    """The state on a visit; its facts about the past are computed when the node reads them.

    Args:
        values: The state; not copied.
        step: The number of the step.
        visit: How often the run has come to the node, this time included.
        decision: What a person decided about this visit's review.
        node: The node.
        history: The run's past.
        upto: The ledger row up to which the past goes.
        feedback: Whether the node sees its last visit.
        asked: The review that was asked last, whose decision is ``decision`` or not used.
    """

    __slots__ = ("_asked", "_ends", "_history", "_node", "_tells", "_tick", "_upto")

    def __init__(
        self,
        values: Mapping[str, Json],
        step: int,
        visit: int,
        decision: DecisionMade | None,
        node: str,
        history: History,
        upto: int,
        feedback: bool,
        asked: str | None = None,
    ) -> None:
        State.__init__(self, values, history.run_id, step, visit, decision)
        self._node = node
        self._history = history
        self._upto = upto
        self._tells = feedback and visit > 1
        self._asked = asked

    @property
    def feedback(self) -> str | None:
        """The text that asks the node to refine its work; None on a first visit or where it is off."""
        return FEEDBACK.format(node=self._node, visit=self.visit) if self._tells else None

    @property
    def previous_output(self) -> str | None:
        """What the node put out on its last visit; None on a first visit or where feedback is off."""
        return self._history.output_of_visit(self._node, self.visit - 1) if self._tells else None

    @property
    def last_output(self) -> str:
        """What the node before this one put out; empty at the start of a run."""
        return self._history.last_output(self._upto)

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has come to each node of its graph, this visit included."""
        history, upto = self._history, self._upto
        return {name: history.count(name, upto) + (name == self._node) for name in history.plan.nodes}

    def visits_since(self, node: str) -> dict[str, int]:
        """Count how often the run has come to each node since the last step of one, this visit included."""
        history, upto = self._history, self._upto
        since = history.last_visit(node, upto)
        names = dict.fromkeys([*history.visited, self._node])
        return {
            name: history.count(name, upto) - history.count(name, since) + (name == self._node)
            for name in names
        }

    @property
    def earlier_calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit before it paused or failed, oldest first.

        Without the last one before a failure: it has failed itself, or nobody knows whether what it said was
        the reason. With what the node has kept for itself.
        """
        earlier: list[dict[str, Json]] = []
        for row in self._history.of_visit(self.step, self._upto):
            calls = calls_of(row)
            earlier += calls[:-1] if row.kind == "attempt" else calls
            earlier += own_of(row)
        return earlier

    @property
    def answers(self) -> list[tuple[dict[str, Json], DecisionMade]]:
        """What the node itself has asked a person on this visit, oldest first, each with its decision."""
        from ..reviews.model import Decision

        history = self._history
        rows = history.of_visit(self.step, self._upto, ("review", "decision"))
        requests: dict[str | None, Any] = {}
        found: dict[str | None, DecisionMade] = {}
        for row in rows:
            data = row.data or {}
            if row.step == self.step and row.kind == "review" and "gate" not in data:
                requests[row.review] = data["request"]
            elif row.kind == "decision" and row.data is not None and row.review in requests:
                found[row.review] = Decision.from_json(row.data)
        if self.decision is None:  # the last one was about something else, or is looked at later
            found.pop(self._asked, None)
        return [(requests[review], decision) for review, decision in found.items()]

    def refuse_over_limits(self, is_priced: bool) -> None:
        """Refuse another call to a model where the run has spent what it may, this visit included.

        Raises:
            NodeFailed: It has, or nobody could tell.
        """
        from .spending import NO_LIMITS, limits_of, refuse_over_limits, spending_of

        history = self._history
        set_later = limits_of(history.store, history.run_id, self._upto)
        limits = set_later.over(history.plan.settings)
        if limits != NO_LIMITS:
            made = spending_of(call for call in self.calls or () if isinstance(call, dict))
            refuse_over_limits(history.spending.upto(self._upto).total + made, limits, is_priced)

    def begin(self, tick: Callable[[], float], seconds: float) -> None:
        """Start the clock of a node's timeout."""
        self._tick, self._ends = tick, tick() + seconds

    @property
    def time_left(self) -> float | None:
        """The seconds that are left of the node's timeout, below zero once it is over; None without one."""
        try:
            return self._ends - self._tick()
        except AttributeError:  # it was never begun: visits without a timeout pay nothing for it
            return None


def split_result(
    node: str, visit: int, result: object, terms: ReviewTerms = NO_TERMS
) -> tuple[str | None, dict[Any, object], ReviewRequest | None]:
    """Split a result into its output (None: the updates as JSON), its updates, and what it asks instead.

    What it has is read once, and kept as it was read: a result of the user's may raise, or say something else
    each time.

    Args:
        node: The node that returned it.
        visit: On which visit.
        result: Whatever it is.
        terms: The terms of what the node asks, where the question does not say.

    Raises:
        NodeFailed: The node said that it failed, or returned what no node may return.
        StateError: A part is not what it must be.
    """
    kind: type = type(result)
    if issubclass(kind, dict):
        return None, _table(result), None
    if not issubclass(kind, NodeResult):
        raise _nonsense(node, visit, result)
    status, output, updates, error, review = parts_of(result)
    if status == "paused":
        from .questions import question_of  # with all that knows of reviews

        question = question_of(node, review, terms)
        if question is not None:
            return None, {}, question
    if status != "success":
        raise _incomplete(node, visit, status, error)
    if not isinstance(updates, Mapping | None):
        raise StateError(f"the updates are {preview(updates)}", hint="give a dict of the changed keys")
    if output is not None and not issubclass(type(output), str):
        raise StateError(f"the output is {preview(output)}", hint="give it as text; updates take data")
    output_text = None if output is None else text(output, "the output")
    return output_text, {} if updates is None else _table(updates), None


def parts_of(result: Any) -> tuple[object, object, object, object, object]:
    """Read the parts of a result once: status, output, updates, error, review."""
    status = result.status
    if issubclass(type(status), str):
        status = str.__str__(status)
    return status, result.output, result.updates, result.error, result.review


def _table(updates: Any) -> dict[Any, object]:
    return dict(pairs(updates, "the updates"))


def result_failure(node: str, visit: int, error: BaseException) -> NodeFailed:
    """Build the failure of a node whose result was refused, from what was raised meanwhile."""
    if type(error) is NodeFailed:
        return error
    if type(error) is StateError:
        message = f"node {node!r} returned what the state cannot hold on visit {visit}: {error.message}"
        failure = NodeFailed(message, hint=error.hint)
    else:
        what = f"{class_name(error)}{error_detail(error)}"
        message = f"node {node!r} returned what cannot be read on visit {visit}: it raised {what}"
        failure = NodeFailed(message, hint="return a plain dict of the changed keys, or a NodeResult")
    failure.__cause__ = error
    return failure


def _incomplete(node: str, visit: int, status: object, error: object) -> NodeFailed:
    """Build the failure of a node that reported one, or that has a status which no node may have."""
    if status == "failed":
        why = error if issubclass(type(error), str) else None if error is None else preview(error)
        reason = shortened(cast(str, why)) if why is not None else ""
        return NodeFailed(f"node {node!r} failed on visit {visit}: {reason or 'no reason given'}")
    what = "paused without a review" if status == "paused" else f"the status {preview(status)}"
    hint = "use NodeResult.pause(ReviewRequest(...)) or one of success, paused, failed"
    return NodeFailed(f"node {node!r} returned {what} on visit {visit}", hint=hint)


def _nonsense(node: str, visit: int, result: Any) -> NodeFailed:
    hint = "return a dict of the changed keys, or a NodeResult"
    if issubclass(type(result), CoroutineType):
        result.close()  # or Python warns that nobody awaited it
        hint = "nodes are plain functions: call async code with asyncio.run inside the node"
    if result is None:
        hint = "return {} instead when nothing changes"
    what = "None" if result is None else f"{class_name(result)} {preview(result)}"
    return NodeFailed(f"node {node!r} returned {what} on visit {visit}", hint=hint)
