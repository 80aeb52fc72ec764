"""Find where boxes and lines were in the picture before an edit, to begin with their old order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from itertools import pairwise

from stepgraph_tui.drawing.model import Picture, Route

from .layered_graph import LayeredGraph
from .layering import neighbours_of
from .measured import MeasuredDiagram


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
        above, below = neighbours_of(len(self._measured.diagram.nodes), self._measured.arcs)[::-1]
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
