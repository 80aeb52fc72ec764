"""Order the vertices of each layer: few crossings, and the order of the previous picture, if any."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from typing import Any

from .layered_graph import LayeredGraph

_WORK = 20_000
"""How many vertices the sweeps from one start may look at, so that large graphs keep nobody waiting."""
_FEWEST, _MOST = 4, 24
_SMALL = 800
"""Up to how many vertices the search begins from twice as many starts."""
_LARGE = 15_000
"""Beyond how many links one start has to do."""
_PASSES = 5
"""How often neighbours are swapped after each sweep."""

_STALE = 2
"""How many sweeps without an improvement are enough."""


class CrossingReduction:
    """Searches an order with few crossings: sweeps by barycentre and median, then swaps of neighbours.

    Args:
        layered: The graph in layers; its ``layers`` are put into order.
        fixed: The rank of each box that a previous picture had; their order among themselves stays.
    """

    def __init__(self, layered: LayeredGraph, fixed: Mapping[int, int]) -> None:
        self.layered = layered
        self.fixed = fixed
        self.above = [[layered.tops[link] for link in links] for links in layered.above]
        self.below = [[layered.bottoms[link] for link in links] for links in layered.below]
        self.place = layered.positions()

    def run(self) -> int:
        """Order the layers, from several starting orders, as well as the work allows; count the crossings."""
        found: list[tuple[int, list[list[int]]]] = []
        starts = 4 if len(self.layered.layer) <= _SMALL else 2 if len(self.layered.tops) <= _LARGE else 1
        for turn in range(starts):
            self._walk(down=turn % 2 == 0, mirrored=turn >= 2)
            found.append(self._search())
            if found[-1][0] == 0:
                break
        fewest, layers = min(found, key=lambda order: order[0])
        self._restore(layers)
        return fewest

    def improve(self, rows: list[list[int]], enough: int) -> int:
        """Begin with an order, and leave it only for one with fewer crossings; count these.

        Args:
            rows: The order of each layer.
            enough: With so many crossings, only neighbours are swapped.
        """
        self._restore(rows)
        self._pin_all()
        fewest, layers = self._transpose(idle=False), [row.copy() for row in self.layered.layers]
        if fewest > enough:
            fewest, layers = min((fewest, layers), self._search(), key=lambda order: order[0])
        self._restore(layers)
        return fewest

    def _search(self) -> tuple[int, list[list[int]]]:
        """Sweep down and up until nothing gets better; return the best order that was met."""
        self._pin_all()
        sweeps = max(_FEWEST, min(_MOST, _WORK // max(1, len(self.layered.layer))))
        best = (self.count(), [row.copy() for row in self.layered.layers])
        stale = 0
        for turn in range(sweeps):
            if best[0] == 0 or stale >= _STALE:
                break
            self._sweep(down=turn % 2 == 0, median=turn % 4 >= 2)
            found = self._transpose()
            stale += 1
            if found < best[0]:
                best = (found, [row.copy() for row in self.layered.layers])
                stale = 0
        return best

    def count(self) -> int:
        """Count all crossings of the present order."""
        return sum(self._gaps())

    def _gaps(self) -> list[int]:
        """Count the crossings between each layer and the next."""
        return [crossings(row, self.below, self.place) for row in self.layered.layers[:-1]]

    def _restore(self, layers: list[list[int]]) -> None:
        self.layered.layers = layers
        self.place = self.layered.positions()

    def _walk(self, *, down: bool, mirrored: bool) -> None:
        """Put the vertices into their layers as a depth-first walk meets them, in declaration order."""
        boxes = range(self.layered.boxes)
        rows: list[list[int]] = [[] for _ in self.layered.layers]
        met = [False] * len(self.layered.layer)
        towards = self.below if down else self.above
        for root in boxes if down else reversed(boxes):
            waiting = [root]
            while waiting:
                vertex = waiting.pop()
                if met[vertex]:
                    continue
                met[vertex] = True
                rows[self.layered.layer[vertex]].append(vertex)
                waiting.extend(towards[vertex] if mirrored else reversed(towards[vertex]))
        self._restore(rows)

    def _sweep(self, *, down: bool, median: bool) -> None:
        """Sort each layer by where its neighbours in the layer before (or behind) stand."""
        rows = self.layered.layers
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
        for row in self.layered.layers:
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

    def _transpose(self, *, idle: bool = True) -> int:
        """Swap neighbours that cross wherever that leaves fewer crossings, now and then as many.

        Args:
            idle: Whether swaps that change nothing are made too: they lead out of dead ends, such as a long
                arc on the wrong side of a chain.

        Returns:
            All crossings of the new order.
        """
        rows = self.layered.layers
        gaps = [0, *self._gaps(), 0]
        quiet = [0] * (len(rows) + 2)  # of each row, behind one: nothing to swap, since it was looked at so
        for turn in range(_PASSES):
            changed = False
            even = idle and turn % 2 == 0
            for number, row in enumerate(rows):
                if quiet[number + 1] > even or not (gaps[number] or gaps[number + 1]):
                    continue
                if not self._swap(row, even=even):
                    quiet[number + 1] = 1 + even  # what no swap of either kind changes needs no look for one
                    continue
                changed = True
                quiet[number : number + 3] = 0, 0, 0
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


def crossings(upper: Sequence[int], below: Sequence[Sequence[int]], place: Sequence[int]) -> int:
    """Count the crossings between a layer and the next one.

    Args:
        upper: The layer's vertices in order.
        below: Each vertex's neighbours in the next layer.
        place: Each vertex's place in its layer.
    """
    ends: list[int] = []
    for vertex in upper:
        ends += sorted(map(place.__getitem__, below[vertex]))
    return inversions(ends)


def inversions(values: list[int]) -> int:
    """Count the pairs that stand the wrong way round."""
    if values == sorted(values):
        return 0
    seen: list[int] = []
    count = 0
    for value in values:
        count += len(seen) - bisect_right(seen, value)
        insort(seen, value)  # a move of memory, cheaper here than a tree in Python
    return count


def pair_crossings(left: Sequence[int], right: Sequence[int]) -> int:
    """Count the crossings of the links of two neighbours, given the sorted places of the other ends."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    if len(left) == 1:
        return bisect_left(right, left[0])
    return sum(len(left) - bisect_right(left, spot) for spot in right)
