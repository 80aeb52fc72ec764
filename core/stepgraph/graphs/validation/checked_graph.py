"""The graph as all checks look at it: its parts, read from the builder once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conditions import Chosen, Expression
from ...values.json_values import canonical
from ..parts import END, RESERVED
from .names import KnownNames, quoted

if TYPE_CHECKING:
    from ..builder import StateGraph
    from ..parts import Edge


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
            own = self.outgoing.get(edge.source)
            if own is not None:
                own.append(edge)
        self.names = KnownNames(name for name in self.nodes if name.strip() and name not in RESERVED)
        self.facts = {name: entry.facts for name, entry in self.nodes.items()}
        """The declarations of the nodes."""
        self.shadowed: dict[int, Edge] = {}
        """The edges that are never taken (by their index), each with the earlier one that is."""
        self.safe: set[str] = set()
        """The nodes of whose edges one always matches."""
        self.leads = {name: self._tried(name, edges) for name, edges in self.outgoing.items()}
        """Where the edges of each known node lead that can be taken.

        What is reported as an error elsewhere counts as a way out, so that one mistake is reported once:
        a node without edges, and an edge to an unknown node.
        """

    def tool_setting(self, node: str) -> str:
        """Name the setting of a node that names its tools."""
        return "tools" if "tools" in (self.nodes[node].settings or ()) else "tool"

    def _tried(self, name: str, edges: list[Edge]) -> list[str]:
        """Find where the edges of a node lead that can be taken, and note which cannot be, or always are."""
        leads: list[str] = []
        fallback: Edge | None = None
        seen: dict[str, Edge] = {}
        for edge in edges:
            words = _words(edge)
            before = fallback or (seen.get(words) if words is not None else None)
            if before is not None:
                self.shadowed[edge.index] = before
                continue
            leads.append(edge.target if edge.target in self.nodes else END)
            if words is not None:
                seen[words] = edge
            elif edge.unconditional:
                fallback = edge
                self.safe.add(name)
            elif isinstance(edge.condition, Chosen):
                self.safe.add(name)  # its node chooses one of them
        if not edges or (fallback is None and self.settings.on_no_match == "end"):
            leads.append(END)
        return leads


def _words(edge: Edge) -> str | None:
    """Write what the condition asks, where the same text always gets the same answer."""
    if edge.broken is not None or isinstance(edge.condition, Chosen):
        return None
    if isinstance(edge.condition, Expression):
        return edge.condition.text
    return canonical(edge.condition.to_json()) if edge.condition.kind == "equals" else None


def edge_name(edge: Edge) -> str:
    """Name an edge in messages: its number, counted from 1, and its ends."""
    ends = [quoted(end)[1:-1] for end in (edge.source, edge.target)]
    return f"edge {edge.index + 1} ({ends[0]} -> {ends[1]})"
