"""State graphs as diagrams: their nodes, and their edges with order numbers and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stepgraph.compare import escaped
from stepgraph.graph_parts import END
from stepgraph_tui.words.cells import cut

from .glyphs import UNICODE, Glyphs, State
from .model import Diagram, Direction, Edge, Picture
from .paint import Face
from .zoom import Look, Zoom, face_of, node_of

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.graph_parts import Edge as GraphEdge

LABEL_WIDTH = 24
"""How many cells of an edge's label are shown, unless told otherwise."""


class GraphDrawing:
    """What a picture of a state graph is made of. Broken graphs are drawn as far as they are told.

    Args:
        graph: The graph.
        zoom: The level of detail.
        glyphs: What it will be painted with.
        label_width: How many cells of a label are shown.
    """

    def __init__(
        self,
        graph: StateGraph | CompiledGraph,
        *,
        zoom: Zoom = "compact",
        glyphs: Glyphs = UNICODE,
        label_width: int = LABEL_WIDTH,
    ) -> None:
        self.zoom, self.glyphs = zoom, glyphs
        self.edges = tuple(graph.edges)
        """The graph's edges; an edge of the diagram has the position of its own."""
        self.looks = self._looks(graph)
        """The nodes by name, that where a run begins first."""
        self.texts = [self._safe(text) for text in edge_texts(self.edges)]
        """The whole text of each edge."""
        self.labels = [cut(text, label_width, glyphs.more) for text in self.texts]
        """The text of each edge as far as it is shown."""

    def _looks(self, graph: StateGraph | CompiledGraph) -> dict[str, Look]:
        entries = graph.nodes
        names = [name for name in (graph.settings.start, *entries) if name in entries]
        ends = [end for edge in self.edges for end in (edge.source, edge.target)]
        names += [end for end in ends if end != END]
        looks = {}
        for name in dict.fromkeys(names):
            entry = entries.get(name)
            type_ = self._safe(entry.type) if entry is not None else ""
            looks[name] = Look(self._safe(name), type_, entry is not None and entry.side_effects)
        if END in ends:
            looks[END] = Look("END", "", end=True)
        return looks

    def _safe(self, text: str) -> str:
        safe = escaped(text)
        return safe.encode("ascii", "backslashreplace").decode() if self.glyphs.plain else safe

    def diagram(self, direction: Direction = "TB", previous: Sequence[str] = ()) -> Diagram:
        """What is to be laid out.

        Args:
            direction: Which way the edges flow.
            previous: The ``order`` of the picture before an edit.
        """
        nodes = [node_of(name, look, self.zoom, self.glyphs) for name, look in self.looks.items()]
        edges = [
            Edge(edge.source, edge.target, label) for edge, label in zip(self.edges, self.labels, strict=True)
        ]
        return Diagram(nodes, edges, direction, previous)

    def faces(self, picture: Picture, states: Mapping[str, State]) -> dict[str, Face]:
        """What the boxes look like, given the state of those nodes that there is something to say of."""
        return {
            box.id: face_of(self.looks[box.id], self.zoom, box, states.get(box.id), self.glyphs)
            for box in picture.boxes
        }


def edge_texts(edges: Sequence[GraphEdge]) -> list[str]:
    """The text of each edge: its number where its node has several, and its label or condition."""
    leaving: dict[str, list[int]] = {}
    for position, edge in enumerate(edges):
        leaving.setdefault(edge.source, []).append(position)
    texts = [""] * len(edges)
    for positions in leaving.values():
        for number, position in enumerate(positions, 1):
            several = len(positions) > 1
            text = _said(edges[position], last=several and number == len(positions))
            texts[position] = f"{number} {text}".rstrip() if several else text
    return texts


def _said(edge: GraphEdge, *, last: bool) -> str:
    if edge.label:
        return " ".join(edge.label.split())
    if edge.broken is not None:
        return "broken condition"
    if edge.unconditional:
        return "else" if last else ""
    return " ".join(edge.condition.describe().split())
