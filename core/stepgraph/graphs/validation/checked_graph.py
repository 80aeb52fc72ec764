"""The graph as all checks look at it: its parts, read from the builder once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...conditions import Expression
from ...nodes.base import BaseNode, NodeRequirements
from ...values.json_values import canonical
from ..parts import RESERVED
from .names import KnownNames, quoted

if TYPE_CHECKING:
    from ..builder import StateGraph
    from ..parts import Edge, NodeEntry


class CheckedGraph:
    """The parts of a graph while it is checked.

    Args:
        graph: The builder; it is only read.
    """

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.settings = graph.settings
        self.nodes = graph.nodes
        self.edges = graph.edges
        self.outgoing: dict[str, list[Edge]] = {name: [] for name in self.nodes}
        """The edges of each known node, in the order in which they are tried."""
        for edge in self.edges:
            if edge.source in self.outgoing:
                self.outgoing[edge.source].append(edge)
        self.names = KnownNames(name for name in self.nodes if name.strip() and name not in RESERVED)
        self.requires = {
            name: requires for name, entry in self.nodes.items() if (requires := _requirements(entry))
        }
        """What the nodes say of their needs, as far as they can say anything."""

    @property
    def shadowed(self) -> dict[int, Edge]:
        """The edges that are never taken (by their index), each with the earlier one that is."""
        return self._tried[0]

    @property
    def safe(self) -> set[str]:
        """The nodes that have an edge that always matches."""
        return self._tried[1]

    @cached_property
    def _tried(self) -> tuple[dict[int, Edge], set[str]]:
        found: dict[int, Edge] = {}
        safe: set[str] = set()
        for name, edges in self.outgoing.items():
            fallback: Edge | None = None
            seen: dict[str, Edge] = {}
            for edge in edges:
                words = _words(edge)
                before = fallback or (seen.get(words) if words is not None else None)
                if before is not None:
                    found[edge.index] = before
                elif words is not None:
                    seen[words] = edge
                elif edge.unconditional:
                    fallback = edge
                    safe.add(name)
        return found, safe


def _requirements(entry: NodeEntry) -> NodeRequirements | None:
    """Ask a node for its needs; a Python object is asked anew each time, for it may have changed."""
    if entry.requires is None and isinstance(entry.node, BaseNode):
        return NodeRequirements(entry.node)
    return entry.requires


def _words(edge: Edge) -> str | None:
    """Write what the condition asks, where the same text always gets the same answer."""
    if edge.broken is not None or edge.condition.kind not in ("equals", "expression"):
        return None
    if isinstance(edge.condition, Expression):
        return edge.condition.text
    return canonical(edge.condition.to_json())


def edge_name(edge: Edge) -> str:
    """Name an edge in messages: its number, counted from 1, and its ends."""
    ends = [quoted(end)[1:-1] for end in (edge.source, edge.target)]
    return f"edge {edge.index + 1} ({ends[0]} -> {ends[1]})"
