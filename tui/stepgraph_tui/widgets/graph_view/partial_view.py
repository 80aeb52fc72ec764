"""Choose a part of a graph to draw: the way of its run, or what is around one node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from stepgraph.graphs.parts import END
from stepgraph_tui.drawing.picture.graph_drawing import Subgraph
from stepgraph_tui.text.plain import plural

from .laid_out_graph import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepgraph_tui.drawing.outline.lines import Wiring
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .marked_graph import MarkedGraph, Names

_HOPS, _MOST = 2, 9
_PACE = 1.0  # seconds between two layouts of the path of a run that goes on


def around(wiring: Wiring, node: str, hops: int) -> Subgraph:
    """Collect the nodes that so many edges lead to from a node, with or against them, and all edges between.

    Nothing is followed through END, where ways end that have nothing else in common.
    """
    found, rim = {node}, [node]
    for _ in range(hops):
        rim = [end for one in rim if one != END or one == node for end in wiring.neighbours(one)]
        rim = [end for end in dict.fromkeys(rim) if end not in found]
        found.update(rim)
    leaving = (edge for one in found for edge in wiring.at(one, "out"))
    return Subgraph(frozenset(found), frozenset(e for e in leaving if wiring.edges[e].target in found))


class PartialView:
    """What of a graph is drawn: all of it, the path of its run, or what is around a node.

    Args:
        model: The graph.
        redraw: Draws what is to be drawn by now.
        later: Calls something in so many seconds.
    """

    def __init__(
        self,
        model: MarkedGraph,
        redraw: Callable[[], object],
        later: Callable[[float, Callable[[], object]], object],
    ) -> None:
        self._model, self._redraw, self._later = model, redraw, later
        self.mode: Literal["all", "path", "around"] = "all"
        """What is to be drawn."""
        self._centre = ""
        self._hops = _HOPS
        self._path: tuple[object, Subgraph] | None = None  # with what it was made of
        self._is_due = False  # whether the path is to be drawn in a while
        self._drawn: Subgraph | None = None  # what was taken last

    def leave(self) -> bool:
        """Draw all of the graph again; False where all of it is drawn."""
        was, self.mode = self.mode, "all"
        return was != "all"

    def toggle_path(self) -> bool:
        """Draw the path of the run alone, or all; False where there is no run."""
        if self.mode == "path":
            self.mode = "all"
            return True
        if self._model.scene.marks.step < 0:
            return False
        self.mode = "path"
        return True

    def toggle_around(self, node: str) -> None:
        """Draw what is around a node alone, or all."""
        self.mode = "all" if self.mode == "around" else "around"
        self._centre = node

    def widen(self, by: int, node: str) -> None:
        """Draw one edge more (1) or less (-1) around a node."""
        if self.mode == "around":
            self._hops = max(1, min(self._hops + by, _MOST))
        else:
            self.toggle_around(node)

    def look_at(self, part: Part) -> None:
        """Draw what is around what was selected outside of what is drawn around another node."""
        node = self._model.scene.node
        if self.mode == "around" and node is not None and (isinstance(part, int) or part == node):
            self._centre = node
            self._redraw()

    def follow_run(self) -> None:
        """Draw what the run has come to since: a short path at once, a long one now and then."""
        if self.mode != "path":
            return
        if self.is_short:
            self._draw_path()
        elif not self._is_due:
            self._is_due = True
            self._later(_PACE, self._draw_path)

    def _draw_path(self) -> None:
        self._is_due = False
        if self.mode == "path" and self.subgraph is not self._drawn:
            self._redraw()

    def renew(self, names: Names) -> None:
        """Know the node in the middle by its new name; all is drawn where the graph has it no more."""
        self._centre = names.get(self._centre, self._centre)
        if self.mode == "around" and not self._model.has(self._centre):
            self.mode = "all"

    def taken(self) -> Subgraph | None:
        """Take what is to be drawn now; None for all of it."""
        self._drawn = self.subgraph
        return self._drawn

    @property
    def subgraph(self) -> Subgraph | None:
        """What is to be drawn; None for all of it."""
        if self.mode == "around":
            return around(self._model.wiring, self._centre, self._hops)
        marks = self._model.scene.marks
        if self.mode != "path" or marks.step < 0:
            return None
        parts = marks.trail.parts
        made_of = marks.trail, len(parts), marks.place
        if self._path is None or self._path[0] != made_of:
            nodes = {part for part in parts if isinstance(part, str)}
            if marks.place is not None:
                nodes.add(marks.place)
            edges = frozenset(part for part in parts if isinstance(part, int))
            nodes.update(end for edge in edges for end in self._model.ends(edge))
            self._path = made_of, Subgraph(frozenset(filter(self._model.has, nodes)), edges)
        return self._path[1]

    @property
    def is_short(self) -> bool:
        """Whether the path of the run is laid out at once."""
        return len(self._model.scene.marks.trail.parts) <= AT_ONCE

    def in_words(self, drawn: Subgraph | None) -> str:
        """Say what is drawn, if it is not all: ``path: 14 of 2,000``."""
        if drawn is None:
            return ""
        what = "path" if self.mode == "path" else plural(self._hops, "edge") + " around"
        shown, nodes = (len(nodes) - (END in nodes) for nodes in (drawn.nodes, self._model.drawing.names))
        return f"{what}: {shown:,} of {nodes:,}"
