"""Go about in a graph: along its edges, against them, and across."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge
    from stepgraph_tui.drawing import Box, Direction

    from .laid_out_graph import LaidOutGraph
    from .marked_graph import MarkedGraph
    from .part_mapping import Names

Key = Literal["left", "down", "up", "right"]
"""Where somebody wants to go."""
Side = Literal["out", "in"]
"""The edges that leave a node, or those that lead to it."""
Way = Literal["along", "against", "before", "after"]
"""The same as the graph has it: with the flow, against it, or to the neighbours across it."""

_WAYS: dict[Direction, dict[Key, Way]] = {
    "TB": {"down": "along", "up": "against", "left": "before", "right": "after"},
    "LR": {"right": "along", "left": "against", "up": "before", "down": "after"},
}


def way_of(key: Key, direction: Direction) -> Way:
    """Tell what a key means in a picture that flows in a direction."""
    return _WAYS[direction][key]


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


def along(wiring: Wiring, node: str, fired: int | None, back: Collection[int] = ()) -> str | None:
    """Find the node that comes behind another one.

    Args:
        wiring: The edges.
        node: Where to go from.
        fired: The edge by which a run left the node last; it is followed, wherever it leads.
        back: The edges that are drawn against the flow; the first of the others is followed before them.
    """
    if fired is not None:
        return wiring.edges[fired].target
    return _end(wiring, node, "out", back)


def against(wiring: Wiring, node: str, came: str | None, back: Collection[int] = ()) -> str | None:
    """Find the node that comes before another one.

    Args:
        wiring: The edges.
        node: Where to go from.
        came: Where the node was come to from along an edge; that is where the way back leads.
        back: The edges that are drawn against the flow; the first of the others is followed before them.
    """
    if came is not None and any(wiring.edges[edge].source == came for edge in wiring.at(node, "in")):
        return came
    return _end(wiring, node, "in", back)


def _end(wiring: Wiring, node: str, side: Side, back: Collection[int]) -> str | None:
    """Find the other end of the first edge of a node, except for self-loops."""
    ends = [
        (edge in back, wiring.edges[edge].target if side == "out" else wiring.edges[edge].source)
        for edge in wiring.at(node, side)
    ]
    others = [(leads_back, end) for leads_back, end in ends if end != node]
    return min(others, key=lambda end: end[0])[1] if others else None


def across(boxes: Sequence[Box], node: str, direction: Direction, by: Literal[-1, 1]) -> str | None:
    """Find the neighbour in a node's layer, before it or after it."""
    here = next(box for box in boxes if box.id == node)
    layer = [box for box in boxes if box.layer == here.layer]
    layer.sort(key=lambda box: box.x if direction == "TB" else box.y)
    place = layer.index(here) + by
    return layer[place].id if 0 <= place < len(layer) else None


class PictureCursor:
    """Moves the selection about in a picture; it knows where each node was come to from, along an edge.

    Args:
        marked: The graph, with what is selected of it.
    """

    def __init__(self, marked: MarkedGraph) -> None:
        self._marked = marked
        self._came: dict[str, str] = {}

    def rename(self, names: Names) -> None:
        """Know the nodes by their new names."""
        self._came = {names.get(to, to): names.get(come, come) for to, come in self._came.items()}

    def moved(self, node: str, key: Key, laid_out: LaidOutGraph) -> str | None:
        """Find the node that a key leads to; None where there is none.

        Args:
            node: The selected node.
            key: Where somebody wants to go.
            laid_out: The picture that somebody sees.
        """
        wiring, edge = self._marked.wiring, self._marked.scene.edge
        way = way_of(key, laid_out.picture.direction)
        if way == "along":
            return self._along(node, edge, laid_out.back)
        if way == "against":
            if edge is not None:
                return self._marked.ends(edge)[0]
            return against(wiring, node, self._came.get(node), laid_out.back)
        return laid_out.beside(node, -1 if way == "before" else 1)

    def _along(self, node: str, edge: int | None, back: Collection[int]) -> str | None:
        if edge is not None:
            node, target = self._marked.ends(edge)
        else:
            marks = self._marked.scene.marks
            found = along(self._marked.wiring, node, marks.trail.left_by(node, marks.step), back)
            if found is None:
                return None
            target = found
        self._came[target] = node
        return target
