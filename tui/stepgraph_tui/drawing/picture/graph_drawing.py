"""Turn state graphs into diagrams: their nodes, and their edges with order numbers and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from stepgraph.graphs import END
from stepgraph_tui.drawing.layout.layering import back_arcs
from stepgraph_tui.drawing.model import Diagram, DiagramEdge, Direction, Picture, Zoom
from stepgraph_tui.text.cells import cut
from stepgraph_tui.text.characters import visible

from .glyphs import LEFT, RIGHT, UNICODE, UNLIKE_LINES, Glyphs, State
from .node_content import NodeCaption, box_content, diagram_node
from .paint import BoxContent, DrawnEdges, bundle_text, bundled

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, Edge, StateGraph

    from .run_marks import LastVisit


SHARE = 5
"""Cells for the share of its node's visits on which an edge was taken."""
LABEL_WIDTH = 24
"""How many cells of an edge's label are shown, unless told otherwise."""


class GraphDrawing:
    """The texts that a picture of a state graph is made of; broken graphs are drawn as far as possible.

    What is shown of the nodes and edges is made when it is asked for, in whatever thread: the graph itself
    is looked at once.

    Args:
        graph: The graph.
        zoom: The level of detail.
        glyphs: What it will be painted with.
        label_width: How many cells of a label are shown.
        shares: Whether it will show how often each loop was taken.
        hide: Hides the secrets that a text quotes.
    """

    def __init__(
        self,
        graph: StateGraph | CompiledGraph,
        *,
        zoom: Zoom = "compact",
        glyphs: Glyphs = UNICODE,
        label_width: int = LABEL_WIDTH,
        shares: bool = False,
        hide: Callable[[str], str] | None = None,
    ) -> None:
        self.zoom, self.glyphs = zoom, glyphs
        self.start = graph.settings.start
        """The node where a run begins; there need not be one of that name."""
        self.edges = tuple(graph.edges)
        """The graph's edges."""
        self._entries, self._tools, self._policy = graph.nodes, graph.tools, graph.settings.review
        self._label_width, self._shares, self._hide = label_width, shares, hide

    def at(self, zoom: Zoom) -> GraphDrawing:
        """Copy the drawing at another level of detail."""
        other = copy(self)
        other.zoom = zoom
        return other

    def cutting(self, label_width: int) -> GraphDrawing:
        """Copy the drawing with labels of at most ``label_width`` cells."""
        self.texts  # noqa: B018  # made once for all copies
        other = copy(self)
        other._label_width = label_width
        other.__dict__.pop("labels", None)
        return other

    @cached_property
    def names(self) -> dict[str, None]:
        """The nodes, that where a run begins first; END, if an edge names it, last."""
        entries = self._entries
        names = dict.fromkeys(name for name in (self.start, *entries) if name in entries)
        ends = {end: None for edge in self.edges for end in (edge.source, edge.target)}
        names |= ends
        if END in ends:
            del names[END]
            names[END] = None
        return names

    @cached_property
    def captions(self) -> dict[str, NodeCaption]:
        """The captions of the nodes, by name, in the same order."""
        return {name: self._caption(name) for name in self.names}

    def caption(self, name: str) -> NodeCaption:
        """Look up the caption of one node; for a few of many this is cheaper than to make all."""
        return self.captions[name] if "captions" in self.__dict__ else self._caption(name)

    def _caption(self, name: str) -> NodeCaption:
        if name == END:
            return NodeCaption("END", "", end=True)
        entry = self._entries.get(name)
        if entry is None:
            return NodeCaption(self._safe(name), "")
        note = self._safe(" ".join(entry.note.split()))
        asks = entry.asks(self._policy, self._tools)
        signs = f"{'!' * entry.side_effects}{'?' * asks}"
        return NodeCaption(self._safe(name), self._safe(entry.type), signs, note=note)

    @cached_property
    def texts(self) -> list[str]:
        """The whole text of each edge."""
        return [self._safe(text) for text in edge_texts(self.edges)]

    @cached_property
    def labels(self) -> list[str]:
        """The text of each edge as far as it is shown."""
        return [cut(text, self._label_width, self.glyphs.more) for text in self._beside_lines]

    @cached_property
    def _beside_lines(self) -> list[str]:
        """The whole text of each edge, without the characters that lines are made of."""
        return [text.translate(UNLIKE_LINES) for text in self.texts]

    def _safe(self, text: str) -> str:
        safe = visible(text if self._hide is None else self._hide(text))
        return safe.encode("ascii", "backslashreplace").decode() if self.glyphs.plain else safe

    def diagram(self, direction: Direction = "TB") -> Diagram:
        """Build the diagram that is to be laid out.

        Args:
            direction: Which way the edges flow.
        """
        nodes = [
            diagram_node(name, caption, self.zoom, self.glyphs) for name, caption in self.captions.items()
        ]
        edges = [
            DiagramEdge(self.edges[edge].source, self.edges[edge].target, self.label(edge, direction))
            for edge in self.drawn.lines
        ]
        return Diagram(nodes, edges, direction)

    def label(self, edge: int, direction: Direction, share: str = "") -> str:
        """Return the text of a line as it is laid out: in cards, that of a loop has room for a share."""
        if edge in self.drawn.bundles:
            return self.bundle_label(edge)
        label = self.labels[edge]
        if not label or not self._shares or self.zoom != "card" or edge not in self.loops:
            return label
        free = " " if direction == "TB" else self.glyphs.back[LEFT | RIGHT]  # it lies on its line
        return f"{label} {share.ljust(SHARE, free)}" if share else label + free * (SHARE + 1)

    def text(self, line: int) -> str:
        """Return the whole text of a line: that of its edge, or what is written at a bundle."""
        return self.bundle_label(line) if line in self.drawn.bundles else self.texts[line]

    def bundle_label(self, line: int, chosen: int | None = None) -> str:
        """Write how many edges a bundle has, and the texts of some, or of the one that is chosen."""
        bundle = self.drawn.bundles[line]
        texts, width, more = self._beside_lines, self._label_width, self.glyphs.more
        if chosen is None:
            return bundle_text([texts[edge] for edge in bundle], width, more)
        return cut(f"x{len(bundle)}: {texts[chosen]}", width, more)

    @cached_property
    def loops(self) -> frozenset[int]:
        """The edges that lead back to where a run has been, or to the node that they leave."""
        numbers = {name: number for number, name in enumerate(self.names)}
        ends = [(numbers[edge.source], numbers[edge.target]) for edge in self.edges]
        return frozenset(back_arcs(len(numbers), ends))

    @cached_property
    def drawn(self) -> DrawnEdges:
        """The edges that are drawn: their lines are in the order of the diagram's edges."""
        return bundled(self.edges, range(len(self.edges)))

    def numbered(self, picture: Picture) -> Picture:
        """Number the lines of the diagram's picture as the graph does its edges."""
        lines = self.drawn.lines
        if isinstance(lines, range):
            return picture
        routes = tuple(replace(route, edge=lines[route.edge]) for route in picture.routes)
        return replace(picture, routes=routes)

    def contents(
        self, picture: Picture, states: Mapping[str, State], visits: Mapping[str, LastVisit] = {}
    ) -> dict[str, BoxContent]:
        """Fill the boxes, given what there is to say of some nodes: their states, and their last visits."""
        return {
            box.id: box_content(
                self.captions[box.id],
                self.zoom,
                box,
                states.get(box.id),
                self.glyphs,
                visit=visits.get(box.id),
            )
            for box in picture.boxes
        }


def edge_texts(edges: Sequence[Edge]) -> list[str]:
    """Word each edge: its number where its node has several, and its label or condition."""
    leaving: dict[str, list[int]] = {}
    for position, edge in enumerate(edges):
        leaving.setdefault(edge.source, []).append(position)
    texts = [""] * len(edges)
    for positions in leaving.values():
        for number, position in enumerate(positions, 1):
            several = len(positions) > 1
            text = _edge_text(edges[position], last=several and number == len(positions))
            texts[position] = f"{number} {text}".rstrip() if several else text
    return texts


def _edge_text(edge: Edge, *, last: bool) -> str:
    if edge.label:
        return " ".join(edge.label.split())
    if edge.broken is not None:
        return "broken condition"
    if edge.unconditional:
        return "else" if last else ""
    return " ".join(edge.condition.describe().split())
