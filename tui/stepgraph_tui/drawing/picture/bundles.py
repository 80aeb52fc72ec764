"""Bundle parallel edges: many between the same two nodes are drawn as one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepgraph_tui.text.cells import cell_len

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge

_MANY = 5
"""Parallel edges; so many are a bundle, fewer are drawn one by one."""


@dataclass(frozen=True)
class DrawnEdges:
    """The edges that have a line of their own, and those that share one."""

    lines: Sequence[int]
    """The edge of each line, in order; of a bundle its first one."""
    bundles: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """All edges of each bundle, by the first of them."""
    first: dict[int, int] = field(default_factory=dict)
    """The first edge of its bundle for each edge that is in one."""

    def at(self, line: int) -> tuple[int, ...]:
        """List the edges that a line stands for."""
        return self.bundles.get(line, (line,))


def bundled(edges: Sequence[Edge], drawn: Sequence[int]) -> DrawnEdges:
    """Give each edge its line; those that lead from one node to the same other one share it if they are many.

    Args:
        edges: All edges of the graph.
        drawn: The positions of those that are drawn, in order.
    """
    parallel: dict[tuple[str, str], list[int]] = {}
    for edge in drawn:
        parallel.setdefault((edges[edge].source, edges[edge].target), []).append(edge)
    bundles = {alike[0]: tuple(alike) for alike in parallel.values() if len(alike) >= _MANY}
    if not bundles:
        return DrawnEdges(drawn)
    first = {edge: line for line, bundle in bundles.items() for edge in bundle}
    return DrawnEdges([edge for edge in drawn if first.get(edge, edge) == edge], bundles, first)


def bundle_text(texts: Sequence[str], width: int, more: str) -> str:
    """Write how many edges a bundle has, and the texts of as many as fit: ``x12: 1 high, 2 low, …``."""
    said, between = f"x{len(texts)}", ": "
    for number, text in enumerate(texts, 1):
        longer = f"{said}{between}{text}"
        if cell_len(longer) + (number < len(texts)) * len(f", {more}") > width:
            return f"{said}{between}{more}" if number > 1 else said
        said, between = longer, ", "
    return said
