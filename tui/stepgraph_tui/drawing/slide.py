"""Ports moved along their sides once the boxes stand, so that more links are straight."""

from __future__ import annotations

from .net import Net
from .ports import Port, Ports, apart

_ROUNDS = 2


class Sliding:
    """Moves the ports of links that nearly run straight; those that do already keep their place.

    Args:
        net: In its final order.
        ports: Their offsets are changed.
        place: The first cell of each vertex, across the flow.
    """

    def __init__(self, net: Net, ports: Ports, place: list[int]) -> None:
        self.net, self.ports, self.place = net, ports, place

    def straighten(self) -> None:
        """Slide as many ports as it helps."""
        for _ in range(_ROUNDS):
            bent = [(abs(self._slant(link)), link) for link in range(len(self.net.tops))]
            for slant, link in sorted(bent):
                if slant:
                    self._try(link)

    def _slant(self, link: int) -> int:
        net, ports, place = self.net, self.ports, self.place
        top, bottom = net.tops[link], net.bottoms[link]
        return place[top] + ports.tail[link] - place[bottom] - ports.head[link]

    def _try(self, link: int) -> None:
        top, bottom = self.net.tops[link], self.net.bottoms[link]
        above, below = self._range(top, link, lower=True), self._range(bottom, link, lower=False)
        first, last = max(above[0], below[0]), min(above[1], below[1])
        if first > last:
            return
        here = self.place[top] + self.ports.tail[link]
        there = self.place[bottom] + self.ports.head[link]
        wanted = there if first <= there <= last else here  # the port may leave the middle, the head should not
        column = min(max(wanted, first), last)
        self._move(top, link, column, lower=True)
        self._move(bottom, link, column, lower=False)

    def _side(self, vertex: int, lower: bool) -> list[Port]:
        return (self.ports.lower if lower else self.ports.upper)[vertex]

    def _range(self, vertex: int, link: int, *, lower: bool) -> tuple[int, int]:
        """The cells that the link's end can take when the bent links beside it give way."""
        start = self.place[vertex]
        if vertex >= self.net.boxes:
            return start, start
        side = self._side(vertex, lower)
        spot = next(number for number, port in enumerate(side) if port.link == link)
        first, last = self._limits(vertex, side[spot])
        room = 0
        for number in range(spot - 1, -1, -1):
            room += apart(side[number], side[number + 1], self.ports.spacing)
            if self._slant(side[number].link) == 0:
                first = max(first, side[number].offset + room)
                break
            first = max(first, self._limits(vertex, side[number])[0] + room)
        room = 0
        for number in range(spot + 1, len(side)):
            room += apart(side[number - 1], side[number], self.ports.spacing)
            if self._slant(side[number].link) == 0:
                last = min(last, side[number].offset - room)
                break
            last = min(last, self._limits(vertex, side[number])[1] - room)
        return start + first, start + last

    def _limits(self, vertex: int, port: Port) -> tuple[int, int]:
        ports = self.ports
        inset = ports.insets[vertex]
        first = max(inset, port.before - ports.start[vertex])
        last = min(ports.size[vertex] - 1 - inset, ports.end[vertex] - port.behind)
        return first, last

    def _move(self, vertex: int, link: int, column: int, *, lower: bool) -> None:
        if vertex >= self.net.boxes:
            return
        side = self._side(vertex, lower)
        spot = next(number for number, port in enumerate(side) if port.link == link)
        side[spot].offset = column - self.place[vertex]
        for number in range(spot - 1, -1, -1):
            most = side[number + 1].offset - apart(side[number], side[number + 1], self.ports.spacing)
            side[number].offset = min(side[number].offset, most)
        for number in range(spot + 1, len(side)):
            least = side[number - 1].offset + apart(side[number - 1], side[number], self.ports.spacing)
            side[number].offset = max(side[number].offset, least)
        self.ports.settle(vertex)
