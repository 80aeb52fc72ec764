"""Vertices that straight links hold together, and how far apart such blocks stand at least."""

from __future__ import annotations

from itertools import pairwise

from .net import Net
from .ports import Ports
from .spacing import Spacing


class Blocks:
    """Chains of vertices, each moved as one.

    Args:
        net: In its final order.
        ports: Where the links meet the vertices.
        straight: Whether each link is straight; straight links do not cross, so blocks never entangle.
        spacing: The distances.
    """

    def __init__(self, net: Net, ports: Ports, straight: list[bool], spacing: Spacing) -> None:
        self.net, self.ports = net, ports
        self.block = [-1] * len(net.layer)
        """The block of each vertex."""
        self.shift = [0] * len(net.layer)
        """Where in its block each vertex stands."""
        self._form(straight)
        count = max(self.block, default=-1) + 1
        self.members: list[list[int]] = [[] for _ in range(count)]
        """The vertices of each block, from the first layer to the last."""
        for row in net.layers:
            for vertex in row:
                self.members[self.block[vertex]].append(vertex)
        self.starts = [0] * count
        """How far each block reaches beyond its own place."""
        self.ends = [0] * count
        """How far each block reaches behind its own place."""
        for vertex, block in enumerate(self.block):
            self.starts[block] = max(self.starts[block], self.reach_before(vertex))
            self.ends[block] = max(self.ends[block], self.reach_behind(vertex))
        self.before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each block those before it, and how far it stands behind each of them at least."""
        self.behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each block those behind it, and how far each of them stands behind it at least."""
        self.touching: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """The neighbours that each entry of ``before`` is about: the other block's and its own."""
        self._constrain(spacing)
        self.sorted = self._sort()
        """The blocks, each behind all those that stand before it."""

    def reach_before(self, vertex: int) -> int:
        """How far a vertex makes its block reach beyond the block's place."""
        return self.ports.start[vertex] - self.shift[vertex]

    def reach_behind(self, vertex: int) -> int:
        """How far a vertex makes its block reach behind the block's place."""
        return self.ports.end[vertex] + self.shift[vertex]

    def _form(self, straight: list[bool]) -> None:
        net, ports, block, shift = self.net, self.ports, self.block, self.shift
        count = 0
        for row in net.layers:
            for vertex in row:
                if block[vertex] < 0:
                    block[vertex] = count
                    count += 1
                for link in net.below[vertex]:
                    if straight[link]:
                        lower = net.bottoms[link]
                        block[lower] = block[vertex]
                        shift[lower] = shift[vertex] + ports.tail[link] - ports.head[link]

    def _constrain(self, spacing: Spacing) -> None:
        block, boxes = self.block, self.net.boxes
        for row in self.net.layers:
            for left, right in pairwise(row):
                gap = spacing.between(left < boxes, right < boxes)
                least = self.reach_behind(left) + gap + 1 + self.reach_before(right)
                self.before[block[right]].append((block[left], least))
                self.behind[block[left]].append((block[right], least))
                self.touching[block[right]].append((left, right))

    def _sort(self) -> list[int]:
        waits = [len(arcs) for arcs in self.before]
        order = [block for block, left in enumerate(waits) if not left]
        for block in order:  # it grows while it is read
            for other, _ in self.behind[block]:
                waits[other] -= 1
                if not waits[other]:
                    order.append(other)
        return order

    def first_places(self) -> list[int]:
        """The place nearest to the beginning that each block can have."""
        low = [0] * len(self.sorted)
        for block in self.sorted:
            place = self.starts[block]
            for other, least in self.before[block]:
                place = max(place, low[other] + least)
            low[block] = place
        return low

    def last_places(self, width: int) -> list[int]:
        """The place farthest from the beginning that each block can have in so many cells."""
        high = [0] * len(self.sorted)
        for block in reversed(self.sorted):
            place = width - 1 - self.ends[block]
            for other, least in self.behind[block]:
                place = min(place, high[other] - least)
            high[block] = place
        return high

    def width(self, places: list[int]) -> int:
        """How many cells are taken when the blocks stand at these places."""
        return max((place + end + 1 for place, end in zip(places, self.ends, strict=True)), default=0)
