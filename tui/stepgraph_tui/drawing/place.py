"""Where each vertex stands across the flow: straight chains as blocks, each near its neighbours."""

from __future__ import annotations

from .net import Net
from .ports import Ports
from .spacing import Spacing

_ROUNDS = 4
"""How often all blocks are moved towards their neighbours, there and back."""


class Blocks:
    """Vertices that straight links hold together, moved as one.

    Args:
        net: In its final order.
        ports: Where the links meet the vertices.
        straight: Whether each link is straight; straight links do not cross, so blocks never entangle.
        spacing: The distances.
    """

    def __init__(self, net: Net, ports: Ports, straight: list[bool], spacing: Spacing) -> None:
        self.net, self.ports, self.spacing = net, ports, spacing
        self.block = [-1] * len(net.layer)
        """The block of each vertex."""
        self.shift = [0] * len(net.layer)
        """Where in its block each vertex stands."""
        self._form(straight)
        count = max(self.block, default=-1) + 1
        self.before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each block those before it, and how far it stands behind each of them at least."""
        self.behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.pulls: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each block those it has links to, and how far it would stand behind each for a straight one."""
        self._constrain()
        self._attract()
        self.sorted = self._sort(count)

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

    def _constrain(self) -> None:
        block, shift, boxes = self.block, self.shift, self.net.boxes
        start, end, spacing = self.ports.start, self.ports.end, self.spacing
        gaps = (spacing.lines, spacing.beside, spacing.boxes)
        for row in self.net.layers:
            for left, right in zip(row, row[1:], strict=False):
                gap = gaps[(left < boxes) + (right < boxes)]
                least = end[left] + gap + 1 + start[right] + shift[left] - shift[right]
                self.before[block[right]].append((block[left], least))
                self.behind[block[left]].append((block[right], least))

    def _attract(self) -> None:
        net, block, shift = self.net, self.block, self.shift
        head, tail = self.ports.head, self.ports.tail
        for link, (top, bottom) in enumerate(zip(net.tops, net.bottoms, strict=True)):
            above, below = block[top], block[bottom]
            if above != below:
                far = shift[top] + tail[link] - shift[bottom] - head[link]
                self.pulls[below].append((above, far))
                self.pulls[above].append((below, -far))

    def _sort(self, count: int) -> list[int]:
        """The blocks, each behind all those that stand before it."""
        waits = [len(arcs) for arcs in self.before]
        order = [block for block in range(count) if not waits[block]]
        for block in order:  # it grows while it is read
            for other, _ in self.behind[block]:
                waits[other] -= 1
                if not waits[other]:
                    order.append(other)
        return order

    def positions(self) -> list[int]:
        """The first cell of each vertex's own length, across the flow; nothing reaches below 0."""
        spots = self._middle()
        for _ in range(_ROUNDS):
            self._pull(spots, self.sorted)
            self._pull(spots, self.sorted[::-1])
        place = [spots[block] + shift for block, shift in zip(self.block, self.shift, strict=True)]
        least = min((spot - start for spot, start in zip(place, self.ports.start, strict=True)), default=0)
        return [spot - least for spot in place]

    def _middle(self) -> list[int]:
        """Half-way between everything as far left, and everything as far right, as it goes."""
        low = [0] * len(self.sorted)
        starts = [0] * len(self.sorted)
        ends = [0] * len(self.sorted)
        for vertex, block in enumerate(self.block):
            starts[block] = max(starts[block], self.ports.start[vertex] - self.shift[vertex])
            ends[block] = max(ends[block], self.ports.end[vertex] + self.shift[vertex])
        for block in self.sorted:
            low[block] = max([starts[block], *(low[other] + least for other, least in self.before[block])])
        width = max((spot + end for spot, end in zip(low, ends, strict=True)), default=0)
        high = [0] * len(self.sorted)
        for block in reversed(self.sorted):
            limits = [high[other] - least for other, least in self.behind[block]]
            high[block] = min([width - ends[block], *limits])
        return [(left + right) // 2 for left, right in zip(low, high, strict=True)]

    def _pull(self, spots: list[int], order: list[int]) -> None:
        """Move each block to the middle of where its neighbours would have it, as far as there is room."""
        for block in order:
            pulls = self.pulls[block]
            if not pulls:
                continue
            wanted = sorted([spots[other] + far for other, far in pulls])
            spot = wanted[len(wanted) // 2]
            if len(wanted) % 2 == 0:
                spot = min(max(spots[block], wanted[len(wanted) // 2 - 1]), spot)
            for other, least in self.before[block]:
                spot = max(spot, spots[other] + least)
            for other, least in self.behind[block]:
                spot = min(spot, spots[other] - least)
            spots[block] = spot
