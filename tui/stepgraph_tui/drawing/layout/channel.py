"""Route the bent links between two layers: each gets a lane of the channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count


@dataclass(frozen=True, slots=True)
class LanePath:
    """How a bent link runs: down to a lane, along it, and down; a dog-leg takes two lanes."""

    lane: int
    column: int = 0
    """A dog-leg: the column between its lanes."""
    last: int = -1
    """A dog-leg: its second lane; -1 for all others."""


class Channel:
    """The bent links between two layers, each with a lane of its own wherever they overlap.

    A link that ends in the column where another begins has to turn below it: the two would share cells
    otherwise. Where such rules go round in a circle, one link makes a dog-leg.

    Args:
        tops: The column where each link comes in.
        bottoms: The column where each link goes out; never the one where it comes in.
        taken: The columns of the straight links.
    """

    def __init__(self, tops: Sequence[int], bottoms: Sequence[int], taken: Sequence[int]) -> None:
        self.tops, self.bottoms = tops, bottoms
        self.taken = {*tops, *bottoms, *taken}
        self.ways: dict[int, LanePath] = {}
        """The way of each link, by its position."""
        ends_at = {column: number for number, column in enumerate(bottoms)}
        self.lower = [ends_at.get(column, -1) for column in tops]
        """For each link the one that has to turn below it, or -1."""
        legs = self._circles()
        first = len(legs)
        sequence = self._sequence(set(legs))
        self.lanes = self._drop(sequence, first)
        for number, leg in enumerate(legs):
            self.ways[leg] = LanePath(number, self._free_column(leg), self.lanes)
            self.lanes += 1

    def _circles(self) -> list[int]:
        """Choose one link, the shortest, of each circle of rules."""
        legs = []
        met = [False] * len(self.tops)
        for start in range(len(self.tops)):
            path: list[int] = []
            link = start
            while link >= 0 and not met[link]:
                met[link] = True
                path.append(link)
                link = self.lower[link]
            if link >= 0 and link in path:
                circle = path[path.index(link) :]
                legs.append(min(circle, key=lambda one: (abs(self.tops[one] - self.bottoms[one]), one)))
        return sorted(legs)

    def _sequence(self, legs: set[int]) -> list[int]:
        """Sort the links from the first lane to the last: those that go the same way do not cross.

        Among those that go right the rightmost turns first, among those that go left the leftmost.
        """
        upper = [0] * len(self.tops)
        for link, lower in enumerate(self.lower):
            if lower >= 0 and link not in legs and lower not in legs:
                upper[lower] += 1
        rank = self._ranks()
        ready = [(rank[link], link) for link in range(len(self.tops)) if not upper[link] and link not in legs]
        heapify(ready)
        order = []
        while ready:
            _, link = heappop(ready)
            order.append(link)
            lower = self.lower[link]
            if lower >= 0 and lower not in legs:
                heappush(ready, (rank[lower], lower))
        return order

    def _ranks(self) -> list[int]:
        links = range(len(self.tops))
        right = sorted((link for link in links if self.bottoms[link] > self.tops[link]), key=self._backwards)
        left = sorted((link for link in links if self.bottoms[link] < self.tops[link]), key=self._forwards)
        rank = [0] * len(self.tops)
        for side in (right, left):
            for number, link in enumerate(side):
                rank[link] = number
        return rank

    def _forwards(self, link: int) -> int:
        return self.tops[link]

    def _backwards(self, link: int) -> int:
        return -self.tops[link]

    def _drop(self, sequence: list[int], first: int) -> int:
        """Assign each link the first lane behind those that it overlaps; return the number of lanes."""
        lanes: list[list[tuple[int, int]]] = []
        for link in sequence:
            low, high = sorted((self.tops[link], self.bottoms[link]))
            lane = len(lanes)
            while lane and not _overlaps(lanes[lane - 1], low, high):
                lane -= 1
            if lane == len(lanes):
                lanes.append([])
            lanes[lane].append((low, high))
            self.ways[link] = LanePath(first + lane)
        return first + len(lanes)

    def _free_column(self, leg: int) -> int:
        """Take the nearest column that no link of the channel comes in or goes out by."""
        middle = (self.tops[leg] + self.bottoms[leg]) // 2
        near = (column for away in count() for column in (middle + away, middle - away))
        column = next(column for column in near if column >= 0 and column not in self.taken)
        self.taken.add(column)
        return column


def _overlaps(lane: list[tuple[int, int]], low: int, high: int) -> bool:
    return any(start <= high + 1 and low <= end + 1 for start, end in lane)
