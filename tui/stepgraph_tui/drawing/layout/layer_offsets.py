"""Place the layers along the flow, with labels, arrowheads and lanes between them."""

from __future__ import annotations

from .channel import Channel, LanePath
from .layered_graph import LayeredGraph
from .measured import MeasuredDiagram
from .ports import Ports


class LayerOffsets:
    """The offsets of the layers along the flow, and the path of each bent link between them.

    Args:
        measured: The sizes.
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        place: The first cell of each vertex, across the flow.
    """

    def __init__(
        self, measured: MeasuredDiagram, layered: LayeredGraph, ports: Ports, place: list[int]
    ) -> None:
        self.ways: dict[int, LanePath] = {}
        """The way of each link that is not straight."""
        lanes = [self._route(layered, ports, place, number) for number in range(len(layered.layers))]
        self.before, behind = _zones(measured, layered)
        """How many cells lie between each layer's boxes and the channel before it."""
        self.start: list[int] = []
        """Where each layer's boxes begin."""
        self.end: list[int] = []
        """The first cell behind each layer's boxes."""
        self.channel: list[int] = []
        """The first lane behind each layer."""
        spot = 0
        for number, row in enumerate(layered.layers):
            spot += self.before[number]
            self.start.append(spot)
            spot += max((measured.along[vertex] for vertex in row if vertex < layered.boxes), default=0)
            self.end.append(spot)
            spot += behind[number]
            self.channel.append(spot)
            spot += max(0, lanes[number] - 1) * measured.spacing.lanes + min(lanes[number], 1)

    def _route(self, layered: LayeredGraph, ports: Ports, place: list[int], number: int) -> int:
        """Route the links below a layer, and count the lanes that they take."""
        bent, tops, bottoms, taken = [], [], [], []
        for vertex in layered.layers[number]:
            for link in layered.below[vertex]:
                bottom = layered.bottoms[link]
                column = place[vertex] + ports.tail[link]
                other = place[bottom] + ports.head[link]
                if column == other:
                    taken.append(column)
                else:
                    bent.append(link)
                    tops.append(column)
                    bottoms.append(other)
        channel = Channel(tops, bottoms, taken)
        for spot, link in enumerate(bent):
            self.ways[link] = channel.ways[spot]
        return channel.lanes


def _zones(measured: MeasuredDiagram, layered: LayeredGraph) -> tuple[list[int], list[int]]:
    """Count the cells that texts and arrowheads take before and behind each layer.

    Where a box has no frame to show a port on, a cell of the line tells that a text belongs to an edge.
    """
    before = [0] * len(layered.layers)
    behind = [0] * len(layered.layers)
    for arc, (top, bottom) in enumerate(measured.arcs):
        above, below = layered.layer[top], layered.layer[bottom]
        width = measured.widths[measured.edges[arc]]
        if measured.down:
            text = int(width > 0) + int(
                width > 0 and not measured.frames[bottom if measured.back[arc] else top]
            )
            before[below] = max(before[below], text if measured.back[arc] else 1, 1)
            behind[above] = max(behind[above], 1 if measured.back[arc] else text)
        elif measured.back[arc]:
            before[below] = max(before[below], width + 2)
            behind[above] = max(behind[above], 1)
        else:
            before[below] = max(before[below], 2)
            behind[above] = max(behind[above], width + 2 if width else 1)
    return before, behind
