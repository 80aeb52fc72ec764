"""Go about in a graph: along its edges, and against them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stepgraph_tui.drawing import Direction

    from .laid_out_graph import LaidOutGraph
    from .marked_graph import MarkedGraph
    from .part_mapping import Names
    from .wiring import Side, Wiring

Key = Literal["left", "down", "up", "right"]
"""Where somebody wants to go."""
Way = Literal["along", "against", "before", "after"]
"""The same as the graph has it: with the flow, against it, or to the neighbours across it."""

_WAYS: dict[Direction, dict[Key, Way]] = {
    "TB": {"down": "along", "up": "against", "left": "before", "right": "after"},
    "LR": {"right": "along", "left": "against", "up": "before", "down": "after"},
}


def way_of(key: Key, direction: Direction) -> Way:
    """Tell what a key means in a picture that flows in a direction."""
    return _WAYS[direction][key]


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
