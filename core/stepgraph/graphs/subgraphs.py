"""Subgraphs: the graphs that a graph names, read and laid out into the one plan that runs.

The graph file stays as it is written: its builder has one node where the other graph is. The plan has all
nodes of both, so that whatever runs, stores, shows or debugs a graph need not know of subgraphs. Of the node
``sub`` the plan has ``sub``, where the run comes in, the nodes of the other graph as ``sub/draft``, and
``sub/END``, where it goes out, from which the edges of ``sub`` lead on. A run's definition is the document of
the file with the other one's in it, so that a store needs no file to go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..conditions.base import Always, ScopedCondition
from ..nodes.base import BaseNode
from ..nodes.scoped import ScopedNode
from ..nodes.subgraph import SubgraphExit, SubgraphNode
from ..values.errors import GraphError
from ..values.json_values import Json, plain
from ..values.state import UNSET, Scope, StateKey
from .parts import END, MAX_NODES, Edge, GraphParts, GraphSettings, NodeEntry, NodeReview, to_document

if TYPE_CHECKING:
    from ..tools.protocols import ToolEntry


class Nesting(GraphParts, Protocol):
    """A graph that can read those that it names; a ``StateGraph`` does."""

    def child(self, node: SubgraphNode) -> Nesting:
        """Read the graph that one of its nodes is.

        Raises:
            GraphError: It cannot be used.
        """
        ...


def subgraphs_of(graph: GraphParts) -> Iterator[tuple[NodeEntry, SubgraphNode]]:
    """Find the nodes that are graphs."""
    for entry in graph.nodes.values():
        if isinstance(entry.node, SubgraphNode) and entry.node.scope is None:
            yield entry, entry.node


def whole_document(graph: Nesting) -> dict[str, Json]:
    """Write the document of a graph with those of its subgraphs in it.

    Raises:
        GraphError: A subgraph cannot be read, or there are too many nodes.
        StateError: A part is not JSON.
    """
    return _document(graph, [MAX_NODES])


def _document(graph: Nesting, room: list[int]) -> dict[str, Json]:
    """Write a document; ``room`` is how many nodes may still come, in all of it."""
    room[0] -= len(graph.nodes)
    if room[0] < 0:
        raise _too_large()
    document: dict[str, Any] = to_document(graph)
    for entry, node in subgraphs_of(graph):
        table = document["nodes"][entry.name]
        document["nodes"][entry.name] = {**table, "definition": _document(graph.child(node), room)}
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


def laid_out(graph: Nesting) -> LaidOut:
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


def _lay_out(found: LaidOut, graph: Nesting, entry: NodeEntry, node: SubgraphNode) -> list[str]:
    """Put one subgraph into the parts of the graph around it, and return the nodes that get no feedback."""
    child = graph.child(node)
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


def _ends(found: LaidOut, entry: NodeEntry, node: SubgraphNode, child: Nesting, scope: Scope) -> None:
    """Put in the nodes where the run comes in and goes out; a gate of the subgraph is at one of them."""
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
    found.nodes[entry.name] = replace(entry, node=enter, review=before)
    found.nodes[scope.exit] = replace(entry, name=scope.exit, node=leave, review=after, side_effects=False)


def _inside(entry: NodeEntry, scope: Scope, names: tuple[str, ...], settings: GraphSettings) -> NodeEntry:
    """Build the entry of a node inside, for which the settings of its own graph hold."""
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
    )


def _scoped(edge: Edge, scope: Scope) -> Edge:
    target = scope.exit if edge.target == END else scope.outer(edge.target)
    condition = edge.condition if edge.unconditional else ScopedCondition(edge.condition, scope)
    return replace(edge, source=scope.outer(edge.source), target=target, condition=condition)


def _led(source: str, target: str) -> Edge:
    return Edge(source, target, Always(), None, 0)
