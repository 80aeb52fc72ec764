"""Making a plan ready to run: trust, tools, handlers, and each node with its edges' tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ..conditions import Chosen
from ..conditions.routing import Test
from ..conditions.scoped import bare
from ..graphs.parts import END, Edge, Gate, NodeEntry
from ..graphs.plan import CompiledGraph
from ..nodes.base import BaseNode, Choice, Services
from ..nodes.scoped import inmost
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..tools.canned import CannedTool
from ..tools.registry import ToolRegistry
from ..values.errors import GraphError, HandlerError

if TYPE_CHECKING:
    from ..models.client import LLMClient
    from ..models.recordings import Recordings
    from ..models.watch import CallListener


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
    tests: tuple[Test, ...]
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
    """The node itself, where it can say what it is about to do."""
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
        live: Whether models are asked although nodes have canned replies.
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
    told = calls.recordings, calls.tell, calls.stopped
    from ..files.handlers import tools_named

    named = ToolRegistry(registry, named=tools_named(app))
    services = Services(named, models, live, resolve, find, *told, now=now, keys=app.keys)
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
    """Give what a node knows of its graph, for one that is looked at and not run: no tools, no models."""
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


def is_ours(node: object) -> bool:
    """Tell whether a node is of a type that Stepgraph brings."""
    return type(node).__module__.startswith("stepgraph.")


def is_opaque(work: BaseNode) -> bool:
    """Tell whether a person's own code runs in a node, of which nobody knows what it reads."""
    return not is_ours(inmost(work)) or bool(work.facts().handlers)


def _resolver(find: Callable[[str], object]) -> Callable[[str], Callable[..., Any]]:
    """Give what finds the functions that a plan names."""
    from ..files.handlers import function_of

    return lambda ref: function_of(ref, find(ref))


def _finder(app: CompiledGraph, own: ToolRegistry | None) -> Callable[[str], object]:
    """Give what finds the objects that a plan names, and nothing else, in modules that are trusted."""
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
    """Make ready the tools that a plan declares, with all others of a person who calls them by name.

    Args:
        app: The plan.
        own: Tools beside (and before) those that the plan declares.
        live: Whether tools with canned answers are called.

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
        is_canned = entry.returns is not None and not live
        if own is None or entry.name not in own or (is_canned and own.is_of_source(entry.name)):
            tool = entry.tool
            if tool is None and entry.handler is not None:
                tool = resolve(entry.handler)
            if tool is None and entry.command is not None and not is_canned:
                from ..tools.commands import CommandTool  # and all that runs programs

                base = app.source.parent if app.source is not None else None
                tool = CommandTool(entry.name, entry.command, base, entry.note)
            if tool is None:
                tool = CannedTool(entry.name, entry.returns)
            registry.register(entry.name, tool, side_effects=entry.side_effects)
        if entry.requires_approval:
            registry.require_approval(entry.name)  # also of a tool that the executor's own stands in for
    return registry
