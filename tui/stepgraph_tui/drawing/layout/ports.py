"""Place the ports of the boxes, and measure the room that a box needs with all that hangs on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .layering import LayeredGraph
from .measured import Spacing


@dataclass(slots=True)
class Port:
    """One end of a link at a box."""

    link: int
    width: int = 0
    """How wide the text is that is at it, with its middle at the port; 0 for none."""
    offset: int = 0
    """The cell of the box's side that it takes."""

    @property
    def before(self) -> int:
        """How many cells the text reaches beyond the port, towards the beginning of the side."""
        return max(0, self.width - 1) // 2

    @property
    def behind(self) -> int:
        """The same, towards the end of the side."""
        return self.width // 2


def apart(first: Port, second: Port, spacing: Spacing) -> int:
    """Measure how many cells the second port has to come behind the first."""
    if first.width and second.width:
        return first.behind + second.before + 3  # two blanks tell two texts apart
    return first.behind + second.before + spacing.ports


class Ports:
    """The ports of all boxes.

    Args:
        layered: The graph in layers, in its final order.
        sizes: How long each box is across the flow, at least.
        insets: How many cells at both ends of each box's sides take no port.
        widths: How wide the texts are that are at the upper (True) or lower end of a link.
        spacing: The distances.
    """

    def __init__(
        self,
        layered: LayeredGraph,
        sizes: Sequence[int],
        insets: Sequence[int],
        widths: dict[tuple[int, bool], int],
        spacing: Spacing,
    ) -> None:
        self.spacing = spacing
        self.insets = insets
        place = layered.positions()
        count = len(layered.layer)
        self.upper: list[list[Port]] = [
            [
                Port(link, widths.get((link, False), 0))
                for link in sorted(layered.above[box], key=lambda link: (place[layered.tops[link]], link))
            ]
            for box in range(layered.boxes)
        ]
        """The ports of each box towards the layer before, in order."""
        self.lower: list[list[Port]] = [
            [
                Port(link, widths.get((link, True), 0))
                for link in sorted(layered.below[box], key=lambda link: (place[layered.bottoms[link]], link))
            ]
            for box in range(layered.boxes)
        ]
        """The ports of each box towards the next layer, in order."""
        self.size = [*sizes, *([1] * (count - layered.boxes))]
        """How long each vertex is across the flow."""
        self.start = [0] * count
        """How far what hangs on a vertex reaches beyond its first cell."""
        self.end = [0] * count
        """How far a vertex and what hangs on it reach behind its first cell."""
        self.head = [0] * len(layered.tops)
        """The offset of each link's lower end in its vertex."""
        self.tail = [0] * len(layered.tops)
        """The offset of each link's upper end in its vertex."""
        for box in range(layered.boxes):
            self._arrange(box)

    def _arrange(self, box: int) -> None:
        sides = (self.upper[box], self.lower[box])
        inset = self.insets[box]
        need = max(self._span(side) for side in sides) + 1 + 2 * inset
        size = self.size[box] = max(self.size[box], need)
        for side in sides:
            self._spread(side, size, inset)
            for port in side:
                self.start[box] = max(self.start[box], port.before - port.offset)
                self.end[box] = max(self.end[box], port.offset + port.behind)
        self.end[box] = max(self.end[box], size - 1)
        self.settle(box)

    def settle(self, box: int) -> None:
        """Take over the offsets of a box's ports."""
        for port in self.upper[box]:
            self.head[port.link] = port.offset
        for port in self.lower[box]:
            self.tail[port.link] = port.offset

    def _span(self, side: Sequence[Port]) -> int:
        return sum(apart(first, second, self.spacing) for first, second in pairwise(side))

    def _spread(self, side: Sequence[Port], size: int, inset: int) -> None:
        """Share the side out evenly, as far as the texts allow."""
        parts = len(side) + 1
        free = 0
        for number, port in enumerate(side):
            if number:
                free += apart(side[number - 1], port, self.spacing)
            ideal = ((number + 1) * size - 1) // parts
            free = port.offset = max(free, ideal, inset)
        limit = size - 1 - inset
        for number in range(len(side) - 1, -1, -1):
            port = side[number]
            port.offset = min(port.offset, limit)
            if number:
                limit = port.offset - apart(side[number - 1], port, self.spacing)


_ROUNDS = 2
_FULL = 400
"""Links of a box; one with more of them keeps its ports, since each move looks at all of them."""

Range = tuple[int, int]
"""The first and the last cell of a stretch; empty when the last comes first."""


class PortSliding:
    """Straightens links one by one, and never bends one that is straight.

    Args:
        layered: The graph in layers, in its final order.
        ports: Their offsets are changed.
        place: The first cell of each vertex, across the flow; changed.
        spacing: The distances.
    """

    def __init__(self, layered: LayeredGraph, ports: Ports, place: list[int], spacing: Spacing) -> None:
        self.layered, self.ports, self.place, self.spacing = layered, ports, place, spacing
        self.spot = layered.positions()
        self.limits: dict[tuple[int, bool], list[Range]] = {}
        self.width = max((first + end + 1 for first, end in zip(place, ports.end, strict=True)), default=0)

    def straighten(self) -> None:
        """Straighten as many links as will, those first that lack little."""
        for _ in range(_ROUNDS):
            bent = [
                (abs(slant), link)
                for link in range(len(self.layered.tops))
                if (slant := self._slant(link)) and not self._is_full(link)
            ]
            for _, link in sorted(bent):
                if self._slant(link):
                    self._try(link, self.place[self.layered.bottoms[link]] + self.ports.head[link])

    def center(self) -> None:
        """Move straight links towards the middle of their boxes, and boxes to the middle of their links."""
        layered, place, size = self.layered, self.place, self.ports.size
        for link, (top, bottom) in enumerate(zip(layered.tops, layered.bottoms, strict=True)):
            if max(top, bottom) < layered.boxes and self._slant(link) == 0 and not self._is_full(link):
                middle = (2 * place[top] + size[top] + 2 * place[bottom] + size[bottom] - 2) // 4
                if abs(middle - place[top] - self.ports.tail[link]) > 1:
                    self._try(link, middle)
        for box in range(layered.boxes):
            kept = self._straight(box)
            offsets = [port.offset for side in self._sides(box) for port in side if port.link in kept]
            if offsets:
                first, last = self._starts(box, kept)
                middle = place[box] + (min(offsets) + max(offsets) - size[box] + 1) // 2
                begin = min(max(middle, first), last)
                if begin != place[box]:
                    self._begin(box, begin, kept)

    def _slant(self, link: int) -> int:
        layered, ports, place = self.layered, self.ports, self.place
        return place[layered.tops[link]] + ports.tail[link] - place[layered.bottoms[link]] - ports.head[link]

    def _is_full(self, link: int) -> bool:
        """Check whether one of the link's ends has too many links to move any of them."""
        layered = self.layered
        return (
            len(layered.below[layered.tops[link]]) > _FULL
            or len(layered.above[layered.bottoms[link]]) > _FULL
        )

    def _try(self, link: int, wanted: int) -> None:
        """Straighten a link if possible, as near to a column as that is."""
        top, bottom = self.layered.tops[link], self.layered.bottoms[link]
        # What is straight by now is kept; a link that happens to be straight between two moves is not.
        kept = (self._straight(top) | self._straight(bottom)) - {link}
        above, below = self._columns(top, link, kept), self._columns(bottom, link, kept)
        first, last = max(above[0], below[0]), min(above[1], below[1])
        if first > last:
            return
        column = min(max(wanted, first), last)
        self._move(top, link, column, kept)
        self._move(bottom, link, column, kept)

    def _straight(self, vertex: int) -> set[int]:
        """Collect the straight links of a box."""
        if vertex >= self.layered.boxes:
            return set()
        return {port.link for side in self._sides(vertex) for port in side if self._slant(port.link) == 0}

    def _sides(self, vertex: int) -> tuple[list[Port], list[Port]]:
        return self.ports.upper[vertex], self.ports.lower[vertex]

    def _room(self, vertex: int) -> Range:
        """Find where a vertex can begin without coming too near to its neighbors."""
        row, spot = self.layered.layers[self.layered.layer[vertex]], self.spot[vertex]
        place, ports, boxes = self.place, self.ports, self.layered.boxes
        first, last = ports.start[vertex], self.width - 1 - ports.end[vertex]
        if spot:
            left = row[spot - 1]
            gap = self.spacing.between(left < boxes, vertex < boxes)
            first += place[left] + ports.end[left] + gap + 1
        if spot + 1 < len(row):
            right = row[spot + 1]
            gap = self.spacing.between(vertex < boxes, right < boxes)
            last = place[right] - ports.start[right] - gap - 1 - ports.end[vertex]
        return first, last

    def _limits(self, vertex: int, lower: bool) -> list[Range]:
        """Find the offsets that each port of a side can have when all the others give way."""
        known = self.limits.get((vertex, lower))
        if known is None:
            known = self.limits[vertex, lower] = self._measured(vertex, self._sides(vertex)[lower])
        return known

    def _measured(self, vertex: int, side: list[Port]) -> list[Range]:
        ports, inset = self.ports, self.ports.insets[vertex]
        start, last = ports.start[vertex], ports.size[vertex] - 1 - inset
        lows = [max(inset, port.before - start) for port in side]
        highs = [min(last, ports.end[vertex] - port.behind) for port in side]
        for number, (one, other) in enumerate(pairwise(side)):
            lows[number + 1] = max(lows[number + 1], lows[number] + apart(one, other, self.spacing))
        for number in range(len(side) - 1, 0, -1):
            step = apart(side[number - 1], side[number], self.spacing)
            highs[number - 1] = min(highs[number - 1], highs[number] - step)
        return list(zip(lows, highs, strict=True))

    def _starts(self, vertex: int, kept: set[int]) -> Range:
        """Find where a box can begin while these links stay where they are."""
        first, last = self._room(vertex)
        place = self.place[vertex]
        for lower, side in enumerate(self._sides(vertex)):
            for port, (low, high) in zip(side, self._limits(vertex, bool(lower)), strict=True):
                if port.link in kept:
                    first = max(first, place + port.offset - high)
                    last = min(last, place + port.offset - low)
        return min(first, place), max(last, place)

    def _columns(self, vertex: int, link: int, kept: set[int]) -> Range:
        """Find the columns in which a link can meet a vertex while others stay where they are."""
        place = self.place[vertex]
        if vertex >= self.layered.boxes:
            return place, place
        side, number, (low, high) = self._find(vertex, link)
        starts = self._starts(vertex, kept)
        first, last = starts[0] + low, starts[1] + high
        room = 0
        for other in range(number - 1, -1, -1):
            room += apart(side[other], side[other + 1], self.spacing)
            if side[other].link in kept:
                first = max(first, place + side[other].offset + room)
                break
        room = 0
        for other in range(number + 1, len(side)):
            room += apart(side[other - 1], side[other], self.spacing)
            if side[other].link in kept:
                last = min(last, place + side[other].offset - room)
                break
        return first, last

    def _find(self, vertex: int, link: int) -> tuple[list[Port], int, Range]:
        """Find a link's side of a vertex, its port's number there, and the offsets that it can have."""
        lower = self.layered.tops[link] == vertex
        side = self._sides(vertex)[lower]
        number = next(number for number, port in enumerate(side) if port.link == link)
        return side, number, self._limits(vertex, lower)[number]

    def _move(self, vertex: int, link: int, column: int, kept: set[int]) -> None:
        """Move the link's end to that column; the box and all links that are not kept give way."""
        if vertex >= self.layered.boxes:
            return
        low, high = self._find(vertex, link)[2]
        starts = self._starts(vertex, kept)
        begin = min(max(self.place[vertex], starts[0], column - high), starts[1], column - low)
        self._begin(vertex, begin, kept, (link, column))

    def _begin(self, vertex: int, begin: int, kept: set[int], wanted: tuple[int, int] | None = None) -> None:
        """Move a box under the links that are kept, and one more link to a column."""
        shift = self.place[vertex] - begin
        fixed = kept if wanted is None else kept | {wanted[0]}
        for side in self._sides(vertex):
            for port in side:
                if wanted is not None and port.link == wanted[0]:
                    port.offset = wanted[1] - begin
                elif port.link in kept:
                    port.offset += shift
        self.place[vertex] = begin
        for lower in (False, True):
            self._fit(vertex, lower, fixed)
        self.ports.settle(vertex)

    def _fit(self, vertex: int, lower: bool, kept: set[int]) -> None:
        """Move the other ports of a side out of the way of those that are kept."""
        side, limits = self._sides(vertex)[lower], self._limits(vertex, lower)
        for number, port in enumerate(side):
            if port.link not in kept:
                port.offset = min(max(port.offset, limits[number][0]), limits[number][1])
                if number:
                    least = side[number - 1].offset + apart(side[number - 1], port, self.spacing)
                    port.offset = max(port.offset, least)
        for number in range(len(side) - 2, -1, -1):
            port = side[number]
            if port.link not in kept:
                most = side[number + 1].offset - apart(port, side[number + 1], self.spacing)
                port.offset = min(port.offset, most)
