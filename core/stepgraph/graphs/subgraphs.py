"""Subgraphs: the graphs that a graph names, read and laid out into the one plan that runs.

The graph file stays as it is written: its builder has one node where the other graph is. The plan has all
nodes of both, so that whatever runs, stores, shows or debugs a graph need not know of subgraphs. Of the node
``sub`` the plan has ``sub``, where the run comes in, the nodes of the other graph as ``sub/draft``, and
``sub/END``, where it goes out, from which the edges of ``sub`` lead on. A run's definition is the document of
the file with the other one's in it, so that a store needs no file to go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..conditions.base import Always
from ..conditions.scoped import ScopedCondition
from ..nodes.base import BaseNode, NodeRequirements
from ..nodes.scoped import ScopedNode
from ..nodes.subgraph import SubgraphExit, SubgraphNode
from ..values.errors import GraphError, GraphFileError
from ..values.json_values import Json, plain
from ..values.scopes import Scope
from ..values.state import UNSET, StateKey
from .definition import to_document
from .parts import END, Edge, GraphParts, GraphSettings, NodeEntry, NodeReview

if TYPE_CHECKING:
    from ..tools.base import ToolEntry
    from .builder import StateGraph

DEEPEST = 8
"""How many graphs may be inside of one another."""
MAX_NODES = 10_000
"""How many nodes a graph may have with all that is inside of it."""


def has_subgraphs(graph: GraphParts) -> bool:
    """Tell whether a graph has a node that is another graph, which is not laid out yet."""
    return any(
        isinstance(entry.node, SubgraphNode) and entry.node.scope is None for entry in graph.nodes.values()
    )


def subgraphs_of(graph: GraphParts) -> Iterator[tuple[NodeEntry, SubgraphNode]]:
    """Find the nodes that are graphs."""
    for entry in graph.nodes.values():
        if isinstance(entry.node, SubgraphNode) and entry.node.scope is None:
            yield entry, entry.node


def child_of(graph: StateGraph, node: SubgraphNode) -> StateGraph:
    """Read the graph that a node is; nothing that it names is imported.

    Raises:
        GraphError: It cannot be read, is one of those that it is in, or is too deep inside.
    """
    settings = node.settings
    if len(graph.inside) >= DEEPEST:
        raise GraphError(
            f"it is the {DEEPEST + 1}th graph inside of another",
            hint=f"{DEEPEST} are the most: leave some out",
        )
    if settings.definition is not None:
        return _stored(graph, settings.definition)
    if graph.source is None:
        message = f"the graph {settings.graph!r} is looked for beside the graph's file, and there is none"
        raise GraphError(message, hint="save the graph, or read it from a file")
    path = graph.source.parent / settings.graph
    chain = (*graph.inside, graph.source)
    if path in chain:
        way = " -> ".join(each.name for each in (*chain[chain.index(path) :], path))
        raise GraphError(
            f"it names itself: {way}", hint="a graph cannot be inside of itself: loop by an edge"
        )
    try:
        return _read(path, chain, _stamp(path))
    except GraphFileError as error:
        problem = error.problems[0]
        raise GraphError(problem.message, hint=problem.hint) from None


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return (0, 0)
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)  # an editor asks after every edit
def _read(path: Path, inside: tuple[Path, ...], stamp: tuple[int, int]) -> StateGraph:
    from ..files import read_graph

    child = read_graph(path)
    child.inside = inside
    return child


def _stored(graph: StateGraph, definition: Mapping[str, Json]) -> StateGraph:
    from ..documents.loader import from_document

    child = from_document(definition, source=graph.source)
    child.inside = (*graph.inside, graph.source or Path())
    return child


def whole_document(graph: StateGraph) -> dict[str, Json]:
    """Write the document of a graph with those of its subgraphs in it.

    Raises:
        GraphError: A subgraph cannot be read, or there are too many nodes.
        StateError: A part is not JSON.
    """
    return _document(graph, [MAX_NODES])


def _document(graph: StateGraph, room: list[int]) -> dict[str, Json]:
    """Write a document; ``room`` is how many nodes may still come, in all of it."""
    room[0] -= len(graph.nodes)
    if room[0] < 0:
        raise _too_large()
    document: dict[str, Any] = to_document(graph)
    for entry, node in subgraphs_of(graph):
        table = document["nodes"][entry.name]
        document["nodes"][entry.name] = {**table, "definition": _document(child_of(graph, node), room)}
    return document


def _too_large() -> GraphError:
    message = f"it has more than {MAX_NODES:,} nodes with all that is inside of it"
    return GraphError(message, hint="make it smaller")


@dataclass
class LaidOut:
    """The parts of a plan, with all subgraphs laid out."""

    settings: GraphSettings
    document: dict[str, Any]
    """The definition of just what is laid out here: the files are read once."""
    nodes: dict[str, NodeEntry] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    keys: dict[str, StateKey] = field(default_factory=dict)
    tools: dict[str, ToolEntry] = field(default_factory=dict)


def laid_out(graph: StateGraph) -> LaidOut:
    """Lay out the subgraphs of a graph, and theirs, into one graph.

    Raises:
        GraphError: A subgraph cannot be read, or there are too many nodes.
    """
    document = to_document(graph)
    found = LaidOut(graph.settings, document, {}, list(graph.edges), dict(graph.keys), dict(graph.tools))
    quiet = list(graph.settings.no_feedback)
    for entry in graph.nodes.values():
        node = entry.node
        if isinstance(node, SubgraphNode) and node.scope is None:
            quiet += _lay_out(found, graph, entry, node)
        else:
            found.nodes[entry.name] = entry
        if len(found.nodes) > MAX_NODES:
            raise _too_large()
    found.settings = replace(graph.settings, no_feedback=tuple(quiet))
    found.edges = [edge.at(index) for index, edge in enumerate(found.edges)]
    return found


def _lay_out(found: LaidOut, graph: StateGraph, entry: NodeEntry, node: SubgraphNode) -> list[str]:
    """Put one subgraph into the parts of the graph around it, and give the nodes that get no feedback."""
    child = child_of(graph, node)
    inner, scope = laid_out(child), Scope(entry.name)
    found.document["nodes"][entry.name] = {
        **found.document["nodes"][entry.name],
        "definition": inner.document,
    }
    _ends(found, entry, node, child, scope)
    settings, names = inner.settings, tuple(inner.nodes)
    for name, each in inner.nodes.items():
        found.nodes[scope.outer(name)] = _inside(each, scope, names, settings)
    for key in inner.keys.values():
        name = scope.outer(key.name)
        found.keys[name] = replace(key, name=name, default=UNSET, input=False)
    for tool in inner.tools.values():
        found.tools.setdefault(tool.name, tool)
    found.edges = [
        replace(edge, source=scope.exit) if edge.source == entry.name else edge for edge in found.edges
    ]
    found.edges.append(_led(scope.node, scope.outer(settings.start)))
    found.edges += (_scoped(edge, scope) for edge in inner.edges)
    if settings.on_no_match == "end":
        found.edges += (_led(scope.outer(name), scope.exit) for name in names)
    silent = names if not settings.feedback else settings.no_feedback
    return [scope.outer(name) for name in silent]


def _ends(found: LaidOut, entry: NodeEntry, node: SubgraphNode, child: StateGraph, scope: Scope) -> None:
    """Put in the nodes where the run comes in and goes out; a gate of the subgraph stands at one of them."""
    defaults = {
        key.name: plain(key.default, key.name)
        for key in child.keys.values()
        if key.has_default and key.default is not None
    }
    enter = node.around(scope, defaults)
    leave = SubgraphExit(scope.exit, scope, node.settings.outputs)
    before: NodeReview = "before" if entry.review == "before" else "never"
    after: NodeReview | None = "never" if entry.review == "before" else entry.review
    if entry.review is None and child.settings.review == "last":
        after = "after"
    found.nodes[entry.name] = replace(entry, node=enter, review=before, requires=NodeRequirements(enter))
    found.nodes[scope.exit] = replace(
        entry, name=scope.exit, node=leave, review=after, requires=NodeRequirements(leave), side_effects=False
    )


def _inside(entry: NodeEntry, scope: Scope, names: tuple[str, ...], settings: GraphSettings) -> NodeEntry:
    """Make the entry of a node inside, for which the settings of its own graph hold."""
    gate = entry.gate(settings.review)
    node = entry.node
    if isinstance(node, BaseNode):
        node = ScopedNode(node, scope, entry.name, names, settings.max_steps)
    return replace(
        entry,
        name=scope.outer(entry.name),
        node=node,
        review="never" if gate is None or gate == "last" else gate,
        terms=entry.terms.over(settings.terms),
        requires=NodeRequirements(node) if isinstance(node, BaseNode) else None,
    )


def _scoped(edge: Edge, scope: Scope) -> Edge:
    target = scope.exit if edge.target == END else scope.outer(edge.target)
    condition = edge.condition if edge.unconditional else ScopedCondition(edge.condition, scope)
    return replace(edge, source=scope.outer(edge.source), target=target, condition=condition)


def _led(source: str, target: str) -> Edge:
    return Edge(source, target, Always(), None, 0)
