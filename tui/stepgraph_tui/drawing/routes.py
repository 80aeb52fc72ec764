"""The lines: each arc's chain of links, and each self-loop, as a run of points."""

from __future__ import annotations

from .bands import Bands
from .given import Given
from .model import Label, Point, Route
from .net import Net
from .ports import Ports


class Routing:
    """Turns a finished layout into lines and labels.

    Args:
        given: The diagram in numbers.
        net: In its final order.
        ports: Where the links meet the vertices.
        place: The first cell of each vertex, across the flow.
        bands: The flow's axis.
    """

    def __init__(self, given: Given, net: Net, ports: Ports, place: list[int], bands: Bands) -> None:
        self.given, self.net, self.ports, self.place, self.bands = given, net, ports, place, bands

    def routes(self) -> list[Route]:
        """All routes, in the order of the edges."""
        routes = [self._route(arc) for arc in range(len(self.given.arcs))]
        for box, loops in enumerate(self.given.loops):
            routes += self._loops(box, loops)
        return sorted(routes, key=lambda route: route.edge)

    def _point(self, across: int, along: int) -> Point:
        return (across, along) if self.given.down else (along, across)

    def _route(self, arc: int) -> Route:
        net, given, bands = self.net, self.given, self.bands
        top, bottom = given.arcs[arc]
        edge, back = given.edges[arc], given.back[arc]
        first, last = net.chains[arc][0], net.chains[arc][-1]
        begin = bands.start[net.layer[top]] + given.along[top] - (0 if back else 1)
        end = bands.start[net.layer[bottom]] - (0 if back else 1)
        turns = [(self.place[top] + self.ports.tail[first], begin), *self._turns(net.chains[arc])]
        turns.append((self.place[bottom] + self.ports.head[last], end))
        points = [self._point(*turn) for turn in turns]
        label = self._label(edge, points[-1 if back else 0], top, bottom, back)
        if back:
            points.reverse()
        return self._made(edge, tuple(points), back, label)

    def _made(self, edge: int, points: tuple[Point, ...], back: bool, label: Label | None) -> Route:
        told = self.given.diagram.edges[edge]
        return Route(edge, told.source, told.target, points, back, label)

    def _turns(self, chain: list[int]) -> list[tuple[int, int]]:
        net, bands, step = self.net, self.bands, self.given.spacing.lanes
        turns = []
        for link in chain:
            way = bands.ways.get(link)
            if way is None:
                continue
            top, bottom = net.tops[link], net.bottoms[link]
            column = self.place[top] + self.ports.tail[link]
            other = self.place[bottom] + self.ports.head[link]
            lanes = bands.channel[net.layer[top]]
            along = lanes + way.lane * step
            turns.append((column, along))
            if way.last >= 0:
                turns += [(way.column, along), (way.column, lanes + way.last * step)]
                along = lanes + way.last * step
            turns.append((other, along))
        return turns

    def _label(self, edge: int, port: Point, top: int, bottom: int, back: bool) -> Label | None:
        text, width = self.given.diagram.edges[edge].label, self.given.widths[edge]
        if not width:
            return None
        bands, layer = self.bands, self.net.layer
        if self.given.down:
            number = layer[bottom] if back else layer[top]
            row = bands.start[number] - bands.before[number] if back else bands.channel[number] - 1
            return Label(text, port[0] - (width - 1) // 2, row, width)
        column = bands.start[layer[bottom]] - 1 - width if back else bands.end[layer[top]] + 1
        return Label(text, column, port[1], width)

    def _loops(self, box: int, loops: list[int]) -> list[Route]:
        """The self-loops of a box, one behind the other at its far side."""
        given = self.given
        rim = self.place[box] + self.ports.size[box] - 1
        along = self.bands.start[self.net.layer[box]] + given.frames[box]
        routes = []
        for edge in loops:
            turns = ((rim, along), (rim + 2, along), (rim + 2, along + 1), (rim + 1, along + 1))
            points = tuple(self._point(*turn) for turn in turns)
            label = None
            if given.widths[edge]:
                x, y = points[1] if given.down else points[2]
                label = Label(given.diagram.edges[edge].label, x + 2, y, given.widths[edge])
            routes.append(self._made(edge, points, True, label))
            along += given.loop_length(edge)
        return routes
