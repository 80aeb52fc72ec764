"""Turn a finished layout into lines: each arc's links, and each self-loop, as points."""

from __future__ import annotations

from stepgraph_tui.drawing.model import Label, Point, Route

from .layer_offsets import LayerOffsets
from .layered_graph import LayeredGraph
from .measured import MeasuredDiagram
from .ports import Ports


class EdgeRouter:
    """Turns a finished layout into lines and labels.

    Args:
        measured: The diagram in numbers.
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        place: The first cell of each vertex, across the flow.
        offsets: Where the layers lie along the flow.
    """

    def __init__(
        self,
        measured: MeasuredDiagram,
        layered: LayeredGraph,
        ports: Ports,
        place: list[int],
        offsets: LayerOffsets,
    ) -> None:
        self.measured, self.layered, self.ports, self.place, self.offsets = (
            measured,
            layered,
            ports,
            place,
            offsets,
        )

    def routes(self) -> list[Route]:
        """Route all edges, in their order."""
        routes = [self._route(arc) for arc in range(len(self.measured.arcs))]
        for box, loops in enumerate(self.measured.loops):
            routes += self._loops(box, loops)
        return sorted(routes, key=lambda route: route.edge)

    def _point(self, across: int, along: int) -> Point:
        return (across, along) if self.measured.down else (along, across)

    def _route(self, arc: int) -> Route:
        layered, measured, offsets = self.layered, self.measured, self.offsets
        top, bottom = measured.arcs[arc]
        edge, back = measured.edges[arc], measured.back[arc]
        first, last = layered.arc_links[arc][0], layered.arc_links[arc][-1]
        begin = offsets.start[layered.layer[top]] + measured.along[top] - (0 if back else 1)
        end = offsets.start[layered.layer[bottom]] - (0 if back else 1)
        turns = [(self.place[top] + self.ports.tail[first], begin), *self._turns(layered.arc_links[arc])]
        turns.append((self.place[bottom] + self.ports.head[last], end))
        points = [self._point(*turn) for turn in turns]
        label = self._label(edge, points[-1 if back else 0], top, bottom, back)
        if back:
            points.reverse()
        return self._made(edge, tuple(points), back, label)

    def _made(self, edge: int, points: tuple[Point, ...], back: bool, label: Label | None) -> Route:
        told = self.measured.diagram.edges[edge]
        return Route(edge, told.source, told.target, points, back, label)

    def _turns(self, links: list[int]) -> list[tuple[int, int]]:
        layered, offsets, step = self.layered, self.offsets, self.measured.spacing.lanes
        turns = []
        for link in links:
            way = offsets.ways.get(link)
            if way is None:
                continue
            top, bottom = layered.tops[link], layered.bottoms[link]
            column = self.place[top] + self.ports.tail[link]
            other = self.place[bottom] + self.ports.head[link]
            lanes = offsets.channel[layered.layer[top]]
            along = lanes + way.lane * step
            turns.append((column, along))
            if way.last >= 0:
                turns += [(way.column, along), (way.column, lanes + way.last * step)]
                along = lanes + way.last * step
            turns.append((other, along))
        return turns

    def _label(self, edge: int, port: Point, top: int, bottom: int, back: bool) -> Label | None:
        text, width = self.measured.diagram.edges[edge].label, self.measured.widths[edge]
        if not width:
            return None
        offsets, layer = self.offsets, self.layered.layer
        if self.measured.down:
            number = layer[bottom] if back else layer[top]
            row = offsets.start[number] - offsets.before[number] if back else offsets.channel[number] - 1
            return Label(text, port[0] - (width - 1) // 2, row, width)
        column = offsets.start[layer[bottom]] - 1 - width if back else offsets.end[layer[top]] + 1
        return Label(text, column, port[1], width)

    def _loops(self, box: int, loops: list[int]) -> list[Route]:
        """Route the self-loops of a box, one behind the other at its far side."""
        measured = self.measured
        rim = self.place[box] + self.ports.size[box] - 1
        along = self.offsets.start[self.layered.layer[box]] + measured.frames[box]
        routes = []
        for edge in loops:
            turns = ((rim, along), (rim + 2, along), (rim + 2, along + 1), (rim + 1, along + 1))
            points = tuple(self._point(*turn) for turn in turns)
            label = None
            if measured.widths[edge]:
                x, y = points[1] if measured.down else points[2]
                label = Label(measured.diagram.edges[edge].label, x + 2, y, measured.widths[edge])
            routes.append(self._made(edge, points, True, label))
            along += measured.loop_length(edge)
        return routes
