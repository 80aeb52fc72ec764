"""The edges of a graph by their ends."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge

Side = Literal["out", "in"]
"""The edges that leave a node, or those that lead to it."""


class Wiring:
    """The edges of a graph by their ends; each edge is known by its position.

    Args:
        edges: The edges, in declaration order.
    """

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = edges

    @cached_property
    def _out(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, edge in enumerate(self.edges):
            found.setdefault(edge.source, []).append(position)
        return found

    @cached_property
    def _in(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, edge in enumerate(self.edges):
            found.setdefault(edge.target, []).append(position)
        return found

    def at(self, node: str, side: Side) -> Sequence[int]:
        """List the edges that leave a node, or those that lead to it, in order."""
        return (self._out if side == "out" else self._in).get(node, ())

    def neighbours(self, node: str) -> list[str]:
        """List the nodes at the other ends of a node's edges, those before it first."""
        before = [self.edges[edge].source for edge in self.at(node, "in")]
        return [*before, *(self.edges[edge].target for edge in self.at(node, "out"))]

    def next_edge(self, node: str, side: Side, current: int | None) -> int | None:
        """Find the edge behind another one at a node; behind the last comes the first."""
        edges = self.at(node, side)
        if not edges:
            return None
        return edges[(edges.index(current) + 1) % len(edges)] if current in edges else edges[0]
