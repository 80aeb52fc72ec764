"""Order the vertices of each layer: few crossings, and the order of the previous picture, if any."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..model import Picture, Route
from .layering import LayeredGraph, neighbors_of
from .measured import MeasuredDiagram

_WORK = 20_000
"""How many vertices the sweeps from one start may look at, so that large graphs keep nobody waiting."""
_FEWEST, _MOST = 4, 24
_SMALL = 800
"""Up to how many vertices the search begins from twice as many starts."""
_LARGE = 15_000
"""Beyond how many links one start has to do."""
_PASSES = 5
"""How often neighbors are swapped after each sweep."""

_STALE = 2
"""How many sweeps without an improvement are enough."""


class CrossingReduction:
    """Searches an order with few crossings: sweeps by barycenter and median, then swaps of neighbors.

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
            enough: From this many crossings on, only neighbors are swapped.
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
        """Place the vertices in their layers as a depth-first walk meets them, in declaration order."""
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
        """Sort each layer by where its neighbors in the layer before (or behind) stand."""
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
        """Reorder the boxes of the previous picture until they are in their old order."""
        fixed, place = self.fixed, self.place
        if fixed:
            spots = [spot for spot, vertex in enumerate(row) if vertex in fixed]
            known = sorted((row[spot] for spot in spots), key=fixed.__getitem__)
            for spot, vertex in zip(spots, known, strict=True):
                row[spot] = vertex
        for spot, vertex in enumerate(row):
            place[vertex] = spot

    def _transpose(self, *, idle: bool = True) -> int:
        """Swap neighbors that cross wherever that leaves fewer crossings, now and then as many.

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
        below: Each vertex's neighbors in the next layer.
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
    """Count the crossings of the links of two neighbors, given the sorted places of the other ends."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    if len(left) == 1:
        return bisect_left(right, left[0])
    return sum(len(left) - bisect_right(left, spot) for spot in right)


class FormerOrder:
    """Puts the boxes and lines of each layer into the order of a picture from before an edit.

    Places are middles across the flow, in half cells.

    Args:
        measured: The diagram.
        layered: The same in layers.
        previous: The picture.
    """

    def __init__(self, measured: MeasuredDiagram, layered: LayeredGraph, previous: Picture) -> None:
        self._measured, self._layered, self._previous = measured, layered, previous
        self._down = previous.direction == "TB"
        self._starts = [0] * (1 + max((box.layer for box in previous.boxes), default=0))
        for box in previous.boxes:
            self._starts[box.layer] = box.y if self._down else box.x

    def rows(self) -> list[list[int]]:
        """Order the layers; a new box begins below what leads to it, a new line between its ends."""
        layered = self._layered
        place: list[float | None] = [None] * len(layered.layer)
        self._place_boxes(place)
        self._place_lines(place)
        return [sorted(row, key=lambda vertex: place[vertex] or 0) for row in layered.layers]

    def _place_boxes(self, place: list[float | None]) -> None:
        middles = {
            box.id: 2 * box.x + box.width if self._down else 2 * box.y + box.height
            for box in self._previous.boxes
        }
        new = []
        for box, node in enumerate(self._measured.diagram.nodes):
            place[box] = middles.get(node.id)
            if place[box] is None:
                new.append(box)
        above, below = neighbors_of(len(self._measured.diagram.nodes), self._measured.arcs)[::-1]
        for box in new:
            near = [at for other in above[box] or below[box] if (at := place[other]) is not None]
            place[box] = sum(near) / len(near) if near else None

    def _place_lines(self, place: list[float | None]) -> None:
        layered, edges = self._layered, self._measured.diagram.edges
        former: dict[int, int] = {}  # the old layer of each layer; boxes that moved came from above
        for layer, was in zip(layered.layer, self._measured.former, strict=False):
            if was is not None:
                former[layer] = max(was, former.get(layer, was))
        lines: defaultdict[tuple[str, str], deque[Route]] = defaultdict(deque)
        for route in self._previous.routes:
            lines[route.source, route.target].append(route)
        for arc, links in enumerate(layered.arc_links):
            edge = edges[self._measured.edges[arc]]
            known = lines[edge.source, edge.target]
            line = self._by_layer(known.popleft()) if known and len(links) > 1 else {}
            for link in links[:-1]:
                dummy = layered.bottoms[link]
                place[dummy] = line.get(former.get(layered.layer[dummy], -1))
            self._fill(place, [layered.tops[links[0]], *(layered.bottoms[link] for link in links)])

    def _by_layer(self, route: Route) -> dict[int, float]:
        """Find where a line ran beside the boxes of each layer that it passed."""
        found: dict[int, float] = {}
        for one, other in pairwise(route.points):
            if one[not self._down] == other[not self._down]:
                first, last = sorted((one[self._down], other[self._down]))
                for layer in range(bisect_left(self._starts, first), bisect_right(self._starts, last)):
                    found[layer] = 2 * one[not self._down] + 1
        return found

    @staticmethod
    def _fill(place: list[float | None], chain: list[int]) -> None:
        """Place what is not placed yet of a chain on the straight way between what is."""
        known = [number for number, vertex in enumerate(chain) if place[vertex] is not None]
        for before, behind in pairwise(known):
            start, end = place[chain[before]] or 0, place[chain[behind]] or 0
            for number in range(before + 1, behind):
                place[chain[number]] = start + (end - start) * (number - before) / (behind - before)
        for number in range(known[-1] + 1 if known else 0, len(chain)):
            place[chain[number]] = place[chain[known[-1]]] if known else 0
        for number in range(known[0] if known else 0):
            place[chain[number]] = place[chain[known[0]]]
