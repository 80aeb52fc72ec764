"""Lay a diagram out: the steps of layered graph drawing, one after the other."""

from __future__ import annotations

from dataclasses import replace

from ..model import Box, Diagram, Label, Picture, Point, Route
from .coordinates import LayerOffsets, assign_coordinates
from .crossing_reduction import CrossingReduction, FormerOrder
from .layering import LayeredGraph, TooLargeToDrawError, assign_layers, keep_layers
from .measured import MeasuredDiagram
from .ports import Ports, PortSliding


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
        return self._make_route(edge, tuple(points), back, label)

    def _make_route(self, edge: int, points: tuple[Point, ...], back: bool, label: Label | None) -> Route:
        link = self.measured.diagram.edges[edge]
        return Route(edge, link.source, link.target, points, back, label)

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
            routes.append(self._make_route(edge, points, True, label))
            along += measured.loop_length(edge)
        return routes


_BOXES = 20
"""From this many boxes on, one more crossing is accepted rather than to let lines change places."""
_FEW, _TIMES = 10, 2
"""After an edit, this many crossings are accepted, and this many times those of a fresh picture."""


def lay_out(diagram: Diagram) -> Picture:
    """Place the boxes of a diagram and route its edges.

    The answer depends on the diagram alone. Every edge can be followed: two lines share a cell only where
    they cross, no line touches a box but its own, and every label is on its line (beside it, for a
    self-loop).

    After an edit the picture changes as little as it can. Boxes that shared a layer in ``diagram.previous``
    still do, in their old order, and so do the layers among themselves: a new box takes a place between them,
    in a layer of its own where there is none. An edge leads back, or does not, as it did before. Only a new
    edge that closes no cycle, and did not lead down, moves what it leads to, and what must then are below
    that. This holds as long as the picture stays about as good as a new one: where an edit adds crossings,
    and there are then more than ten and twice as many as in a picture drawn afresh, it is drawn afresh.

    Args:
        diagram: What is to be drawn.

    Raises:
        TooLargeToDrawError: It has more lines side by side than anybody could read.
    """
    previous = diagram.previous
    try:
        measured, layered, crossings = _arranged(diagram)
    except TooLargeToDrawError:
        if previous is None:
            raise
        return lay_out(replace(diagram, previous=None))  # with layers of its own it may have fewer lines
    if previous is not None and crossings > max(previous.crossings, _FEW):
        afresh = _arranged(replace(diagram, previous=None))
        if crossings > _FEW + _TIMES * afresh[-1]:
            measured, layered, crossings = afresh
    ports = Ports(layered, measured.across, measured.insets, _widths(measured, layered), measured.spacing)
    for box in range(layered.boxes):
        reach = measured.loop_reach(box)
        if reach:
            ports.end[box] = max(ports.end[box], ports.size[box] - 1 + reach)
    place = assign_coordinates(layered, ports, measured.spacing)
    sliding = PortSliding(layered, ports, place, measured.spacing)
    sliding.straighten()
    sliding.center()
    offsets = LayerOffsets(measured, layered, ports, place)
    boxes = _boxes(measured, layered, ports, place, offsets)
    routes = EdgeRouter(measured, layered, ports, place, offsets).routes()
    width, height = _extent(boxes, routes)
    order = sorted(
        range(layered.boxes), key=lambda box: (2 * place[box] + ports.size[box], layered.layer[box], box)
    )
    names = tuple(diagram.nodes[box].id for box in order)
    return Picture(width, height, diagram.direction, boxes, tuple(routes), names, crossings)


def _arranged(diagram: Diagram) -> tuple[MeasuredDiagram, LayeredGraph, int]:
    """Place the boxes in layers, and these into order; count the crossings."""
    measured, previous = MeasuredDiagram(diagram), diagram.previous
    if previous is None:
        layered = LayeredGraph(assign_layers(len(diagram.nodes), measured.arcs), measured.arcs)
        return measured, layered, CrossingReduction(layered, {}).run()
    layered = LayeredGraph(keep_layers(measured.former, measured.arcs), measured.arcs)
    known = {name: rank for rank, name in enumerate(previous.order)}
    fixed = {box: known[node.id] for box, node in enumerate(diagram.nodes) if node.id in known}
    reduction = CrossingReduction(layered, fixed)
    rows = FormerOrder(measured, layered, previous).rows()
    return measured, layered, reduction.improve(rows, previous.crossings + layered.boxes // _BOXES)


def _widths(measured: MeasuredDiagram, layered: LayeredGraph) -> dict[tuple[int, bool], int]:
    """Measure the labels that spread across the flow, by the ends of links that carry them."""
    if not measured.down:
        return {}
    widths = {}
    for arc, links in enumerate(layered.arc_links):
        end = (links[-1], False) if measured.back[arc] else (links[0], True)
        widths[end] = measured.widths[measured.edges[arc]]
    return widths


def _boxes(
    measured: MeasuredDiagram, layered: LayeredGraph, ports: Ports, place: list[int], offsets: LayerOffsets
) -> tuple[Box, ...]:
    boxes = []
    for number, node in enumerate(measured.diagram.nodes):
        layer = layered.layer[number]
        across, along = place[number], offsets.start[layer]
        size, length = ports.size[number], measured.along[number]
        if measured.down:
            boxes.append(Box(node.id, across, along, size, length, node.framed, layer))
        else:
            boxes.append(Box(node.id, along, across, length, size, node.framed, layer))
    return tuple(boxes)


def _extent(boxes: tuple[Box, ...], routes: list[Route]) -> tuple[int, int]:
    """Measure the picture's width and height."""
    right = [box.x + box.width for box in boxes]
    bottom = [box.y + box.height for box in boxes]
    for route in routes:
        right += [x + 1 for x, _ in route.points]
        bottom += [y + 1 for _, y in route.points]
        if route.label is not None:
            right.append(route.label.x + route.label.width)
            bottom.append(route.label.y + 1)
    return max(right, default=0), max(bottom, default=0)
