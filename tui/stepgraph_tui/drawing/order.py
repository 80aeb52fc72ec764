"""The order of the vertices in each layer: few crossings, and where a picture existed, its own order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .crossings import crossings, pair_crossings
from .net import Net

_WORK = 20_000
"""How many vertices the sweeps from one start may look at, so that large graphs keep nobody waiting."""
_FEWEST, _MOST = 4, 24
_SMALL = 800
"""Up to how many vertices the search begins from twice as many starts."""
_PASSES = 5
"""How often neighbours are swapped after each sweep."""
_STALE = 2
"""How many sweeps without an improvement are enough."""


class Ordering:
    """The search for an order with few crossings.

    Args:
        net: Its ``layers`` are put into order.
        fixed: The rank of each box that a previous picture had; their order among themselves stays.
    """

    def __init__(self, net: Net, fixed: dict[int, int]) -> None:
        self.net = net
        self.fixed = fixed
        self.above = [[net.tops[link] for link in links] for links in net.above]
        self.below = [[net.bottoms[link] for link in links] for links in net.below]
        self.place = net.positions()

    def improve(self) -> None:
        """Order the layers as well as the work allows."""
        found: list[tuple[int, list[list[int]]]] = []
        count = len(self.net.layer)
        sweeps = max(_FEWEST, min(_MOST, _WORK // max(1, count)))
        for turn in range(4 if count <= _SMALL else 2):
            self._walk(down=turn % 2 == 0, mirrored=turn >= 2)
            found.append(self._search(sweeps))
            if found[-1][0] == 0:
                break
        self._restore(min(found, key=lambda order: order[0])[1])

    def _search(self, sweeps: int) -> tuple[int, list[list[int]]]:
        """Sweep down and up until nothing gets better; the best order that was met."""
        self._pin_all()
        best = (self.count(), [row.copy() for row in self.net.layers])
        stale = 0
        for turn in range(sweeps):
            if best[0] == 0 or stale >= _STALE:
                break
            self._sweep(down=turn % 2 == 0, median=turn % 4 >= 2)
            found = self._transpose()
            stale += 1
            if found < best[0]:
                best = (found, [row.copy() for row in self.net.layers])
                stale = 0
        return best

    def count(self) -> int:
        """All crossings of the present order."""
        return sum(self._gaps())

    def _gaps(self) -> list[int]:
        """The crossings between each layer and the next."""
        return [crossings(row, self.below, self.place) for row in self.net.layers[:-1]]

    def _restore(self, layers: list[list[int]]) -> None:
        self.net.layers = layers
        self.place = self.net.positions()

    def _walk(self, *, down: bool, mirrored: bool) -> None:
        """Put the vertices into their layers as a depth-first walk meets them, in declaration order."""
        boxes = range(self.net.boxes)
        rows: list[list[int]] = [[] for _ in self.net.layers]
        met = [False] * len(self.net.layer)
        towards = self.below if down else self.above
        for root in boxes if down else reversed(boxes):
            waiting = [root]
            while waiting:
                vertex = waiting.pop()
                if met[vertex]:
                    continue
                met[vertex] = True
                rows[self.net.layer[vertex]].append(vertex)
                waiting.extend(towards[vertex] if mirrored else reversed(towards[vertex]))
        self._restore(rows)

    def _sweep(self, *, down: bool, median: bool) -> None:
        """Sort each layer by where its neighbours in the layer before (or behind) stand."""
        rows = self.net.layers
        beside = self.above if down else self.below
        for number in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            row = rows[number]
            if len(row) < 2:
                continue
            keys = {vertex: self._key(vertex, beside[vertex], median) for vertex in row}
            row.sort(key=keys.__getitem__)
            self._pin(row)

    def _key(self, vertex: int, others: Sequence[int], median: bool) -> float:
        place = self.place
        if not others:
            return place[vertex]
        if len(others) == 1:
            return place[others[0]]
        spots = sorted(map(place.__getitem__, others))
        if not median:
            return sum(spots) / len(spots)
        middle = len(spots) // 2
        return spots[middle] if len(spots) % 2 else (spots[middle - 1] + spots[middle]) / 2

    def _pin_all(self) -> None:
        for row in self.net.layers:
            self._pin(row)

    def _pin(self, row: list[int]) -> None:
        """Let the boxes of the previous picture change places until they stand in their old order."""
        fixed, place = self.fixed, self.place
        if fixed:
            spots = [spot for spot, vertex in enumerate(row) if vertex in fixed]
            known = sorted((row[spot] for spot in spots), key=fixed.__getitem__)
            for spot, vertex in zip(spots, known, strict=True):
                row[spot] = vertex
        for spot, vertex in enumerate(row):
            place[vertex] = spot

    def _transpose(self) -> int:
        """Swap neighbours that cross wherever that leaves fewer crossings, and now and then as many.

        Swaps that change nothing lead out of dead ends, such as a long arc on the wrong side of a chain.

        Returns:
            All crossings of the new order.
        """
        rows = self.net.layers
        gaps = [0, *self._gaps(), 0]
        for turn in range(_PASSES):
            changed = False
            for number, row in enumerate(rows):
                if (gaps[number] or gaps[number + 1]) and self._swap(row, even=turn % 2 == 0):
                    changed = True
                    for gap in range(max(1, number), min(len(rows), number + 2)):
                        gaps[gap] = crossings(rows[gap - 1], self.below, self.place)
            if not changed:
                break
        return sum(gaps)

    def _swap(self, row: list[int], *, even: bool) -> bool:
        place, fixed = self.place, self.fixed
        spot_of = place.__getitem__
        ups = [sorted(map(spot_of, self.above[vertex])) for vertex in row]
        downs = [sorted(map(spot_of, self.below[vertex])) for vertex in row]
        changed = False
        for spot in range(len(row) - 1):
            right = spot + 1
            now = pair_crossings(ups[spot], ups[right]) + pair_crossings(downs[spot], downs[right])
            if now == 0 or (row[spot] in fixed and row[right] in fixed):
                continue
            then = pair_crossings(ups[right], ups[spot]) + pair_crossings(downs[right], downs[spot])
            if then < now or (even and then == now):
                changed = True
                for values in (row, ups, downs):
                    _exchange(values, spot)
                place[row[spot]], place[row[right]] = spot, right
        return changed


def _exchange(values: list[Any], spot: int) -> None:
    values[spot], values[spot + 1] = values[spot + 1], values[spot]
