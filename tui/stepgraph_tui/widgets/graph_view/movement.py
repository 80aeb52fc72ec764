"""Go about in a graph: along its edges, and against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from stepgraph_tui.drawing import Direction
    from stepgraph_tui.drawing.outline.wiring import Side, Wiring

    from .laid_out_graph import LaidOutGraph
    from .marked_graph import MarkedGraph
    from .part_mapping import Names

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


def end_ahead(wiring: Wiring, laid_out: LaidOutGraph, node: str, side: Side, first: str | None) -> str | None:
    """Find the other end of the edge that a key follows from a node; None where there is only a self-loop.

    An edge whose box lies that way comes before one that leads elsewhere. Among these the one that is asked
    for is followed, then one to a box straight ahead, then the first in the order of the edges.

    Args:
        wiring: The edges.
        laid_out: The picture that somebody sees.
        node: Where to go from.
        side: Which edges to follow.
        first: The end that is asked for.
    """
    ends = [
        wiring.edges[edge].target if side == "out" else wiring.edges[edge].source
        for edge in wiring.at(node, side)
    ]
    by: Literal[-1, 1] = 1 if side == "out" else -1

    def rank(end: str) -> tuple[bool, bool, bool]:
        lies = laid_out.lies(node, end, by)
        return lies == "elsewhere", end != first, lies != "straight"

    return min((end for end in ends if end != node), key=rank, default=None)


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
        edge, marks = self._marked.scene.edge, self._marked.scene.marks
        way = way_of(key, laid_out.picture.direction)
        found: str | None
        if way in ("before", "after"):
            return laid_out.beside(node, -1 if way == "before" else 1)
        if edge is not None:
            source, target = self._marked.ends(edge)
            if way == "against":
                return source
            node, found = source, target
        elif way == "against":
            return self._against(node, laid_out)
        else:
            fired = marks.trail.left_by(node, marks.step)
            first = self._marked.ends(fired)[1] if fired is not None else None
            found = end_ahead(self._marked.wiring, laid_out, node, "out", first)
        if found is not None:
            self._came[found] = node
        return found

    def _against(self, node: str, laid_out: LaidOutGraph) -> str | None:
        """Go back where the node was come to from, as long as an edge leads from there."""
        wiring, came = self._marked.wiring, self._came.get(node)
        if any(wiring.edges[edge].source == came for edge in wiring.at(node, "in")):
            return came
        return end_ahead(wiring, laid_out, node, "in", None)
