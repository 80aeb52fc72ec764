"""Vertices that straight links hold together, and the distances that such chains have to keep."""

from __future__ import annotations

from itertools import pairwise

from .layered_graph import LayeredGraph
from .measured import Spacing
from .ports import Ports


class AlignedChains:
    """Chains of vertices, each moved as one.

    Args:
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        straight: Whether each link is straight; straight links do not cross, so chains never entangle.
        spacing: The distances.
    """

    def __init__(self, layered: LayeredGraph, ports: Ports, straight: list[bool], spacing: Spacing) -> None:
        self.layered, self.ports = layered, ports
        self.chain_of = [-1] * len(layered.layer)
        """The chain of each vertex."""
        self.shift = [0] * len(layered.layer)
        """Where in its chain each vertex stands."""
        self._form(straight)
        count = max(self.chain_of, default=-1) + 1
        self.members: list[list[int]] = [[] for _ in range(count)]
        """The vertices of each chain, from the first layer to the last."""
        for row in layered.layers:
            for vertex in row:
                self.members[self.chain_of[vertex]].append(vertex)
        self.starts = [0] * count
        """How far each chain reaches before its own place."""
        self.ends = [0] * count
        """How far each chain reaches behind its own place."""
        for vertex, chain in enumerate(self.chain_of):
            self.starts[chain] = max(self.starts[chain], self.reach_before(vertex))
            self.ends[chain] = max(self.ends[chain], self.reach_behind(vertex))
        self.before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each chain those before it, and how far it stands behind each of them at least."""
        self.behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each chain those behind it, and how far each of them stands behind it at least."""
        self.touching: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """The neighbours that each entry of ``before`` is about: the other chain's and its own."""
        self._constrain(spacing)
        self.sorted = self._sort()
        """The chains, each behind all those that stand before it."""

    def reach_before(self, vertex: int) -> int:
        """Measure how far a vertex makes its chain reach before the chain's place."""
        return self.ports.start[vertex] - self.shift[vertex]

    def reach_behind(self, vertex: int) -> int:
        """Measure how far a vertex makes its chain reach behind the chain's place."""
        return self.ports.end[vertex] + self.shift[vertex]

    def _form(self, straight: list[bool]) -> None:
        layered, ports, chain_of, shift = self.layered, self.ports, self.chain_of, self.shift
        count = 0
        for row in layered.layers:
            for vertex in row:
                if chain_of[vertex] < 0:
                    chain_of[vertex] = count
                    count += 1
                for link in layered.below[vertex]:
                    if straight[link]:
                        lower = layered.bottoms[link]
                        chain_of[lower] = chain_of[vertex]
                        shift[lower] = shift[vertex] + ports.tail[link] - ports.head[link]

    def _constrain(self, spacing: Spacing) -> None:
        chain_of, boxes = self.chain_of, self.layered.boxes
        for row in self.layered.layers:
            for left, right in pairwise(row):
                gap = spacing.between(left < boxes, right < boxes)
                least = self.reach_behind(left) + gap + 1 + self.reach_before(right)
                self.before[chain_of[right]].append((chain_of[left], least))
                self.behind[chain_of[left]].append((chain_of[right], least))
                self.touching[chain_of[right]].append((left, right))

    def _sort(self) -> list[int]:
        waits = [len(arcs) for arcs in self.before]
        order = [chain for chain, left in enumerate(waits) if not left]
        for chain in order:  # it grows while it is read
            for other, _ in self.behind[chain]:
                waits[other] -= 1
                if not waits[other]:
                    order.append(other)
        return order

    def first_places(self) -> list[int]:
        """Push each chain as near to the beginning as it can stand."""
        low = [0] * len(self.sorted)
        for chain in self.sorted:
            place = self.starts[chain]
            for other, least in self.before[chain]:
                place = max(place, low[other] + least)
            low[chain] = place
        return low

    def last_places(self, width: int) -> list[int]:
        """Push each chain as far from the beginning as it can stand in so many cells."""
        high = [0] * len(self.sorted)
        for chain in reversed(self.sorted):
            place = width - 1 - self.ends[chain]
            for other, least in self.behind[chain]:
                place = min(place, high[other] - least)
            high[chain] = place
        return high

    def width(self, places: list[int]) -> int:
        """Count the cells that are taken when the chains stand at these places."""
        return max((place + end + 1 for place, end in zip(places, self.ends, strict=True)), default=0)
