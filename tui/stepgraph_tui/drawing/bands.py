"""Where the layers lie along the flow: bands of boxes, with texts, arrowheads and lanes between them."""

from __future__ import annotations

from .given import Given
from .lanes import Channel, Way
from .net import Net
from .ports import Ports


class Bands:
    """The flow's axis.

    Args:
        given: The sizes.
        net: In its final order.
        ports: Where the links meet the vertices.
        place: The first cell of each vertex, across the flow.
    """

    def __init__(self, given: Given, net: Net, ports: Ports, place: list[int]) -> None:
        self.ways: dict[int, Way] = {}
        """The way of each link that is not straight."""
        lanes = [self._route(net, ports, place, number) for number in range(len(net.layers))]
        self.before, behind = _zones(given, net)
        """How many cells lie between each layer's boxes and the channel before it."""
        self.start: list[int] = []
        """Where each layer's boxes begin."""
        self.end: list[int] = []
        """The first cell behind each layer's boxes."""
        self.channel: list[int] = []
        """The first lane behind each layer."""
        spot = 0
        for number, row in enumerate(net.layers):
            spot += self.before[number]
            self.start.append(spot)
            spot += max((given.along[vertex] for vertex in row if vertex < net.boxes), default=0)
            self.end.append(spot)
            spot += behind[number]
            self.channel.append(spot)
            spot += max(0, lanes[number] - 1) * given.spacing.lanes + min(lanes[number], 1)

    def _route(self, net: Net, ports: Ports, place: list[int], number: int) -> int:
        """Route the links below a layer; the number of lanes."""
        bent, tops, bottoms, taken = [], [], [], []
        for vertex in net.layers[number]:
            for link in net.below[vertex]:
                bottom = net.bottoms[link]
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


def _zones(given: Given, net: Net) -> tuple[list[int], list[int]]:
    """How many cells the texts and arrowheads before and behind each layer take.

    Where a box has no frame to show a port on, a cell of the line tells that a text belongs to an edge.
    """
    before = [0] * len(net.layers)
    behind = [0] * len(net.layers)
    for arc, (top, bottom) in enumerate(given.arcs):
        above, below = net.layer[top], net.layer[bottom]
        width = given.widths[given.edges[arc]]
        if given.down:
            text = int(width > 0) + int(width > 0 and not given.frames[bottom if given.back[arc] else top])
            before[below] = max(before[below], text if given.back[arc] else 1, 1)
            behind[above] = max(behind[above], 1 if given.back[arc] else text)
        elif given.back[arc]:
            before[below] = max(before[below], width + 2)
            behind[above] = max(behind[above], 1)
        else:
            before[below] = max(before[below], 2)
            behind[above] = max(behind[above], width + 2 if width else 1)
    return before, behind
