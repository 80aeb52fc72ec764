"""A graph in layers: long arcs become chains of dummy vertices, so that lines run between boxes."""

from __future__ import annotations

from collections.abc import Sequence

from .layering import Arc
from .size_limit import check_size


class LayeredGraph:
    """A graph whose links all lead from one layer to the next.

    Args:
        layer: The layer of each box.
        arcs: Pairs of boxes, each from an earlier layer to a later one.

    Raises:
        TooLargeToDrawError: The lines would be too many.
    """

    def __init__(self, layer: Sequence[int], arcs: Sequence[Arc]) -> None:
        check_size(layer, arcs)
        self.boxes = len(layer)
        """How many vertices are boxes; those behind them are dummies, the bends of long arcs."""
        self.layer = list(layer)
        self.tops: list[int] = []
        """The upper vertex of each link."""
        self.bottoms: list[int] = []
        """The lower vertex of each link."""
        self.arc_links: list[list[int]] = []
        """The links of each arc, from the top down."""
        for arc in arcs:
            self._add_arc(*arc)
        count = len(self.layer)
        self.above: list[list[int]] = [[] for _ in range(count)]
        """The links that reach each vertex from the layer before."""
        self.below: list[list[int]] = [[] for _ in range(count)]
        """The links that leave each vertex for the next layer."""
        for link, (top, bottom) in enumerate(zip(self.tops, self.bottoms, strict=True)):
            self.below[top].append(link)
            self.above[bottom].append(link)
        self.layers: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        """The vertices of each layer, across the flow."""
        for vertex, number in enumerate(self.layer):
            self.layers[number].append(vertex)

    def _add_arc(self, source: int, target: int) -> None:
        links = []
        top = source
        for number in range(self.layer[source] + 1, self.layer[target] + 1):
            bottom = target
            if number < self.layer[target]:
                bottom = len(self.layer)
                self.layer.append(number)
            links.append(len(self.tops))
            self.tops.append(top)
            self.bottoms.append(bottom)
            top = bottom
        self.arc_links.append(links)

    def positions(self) -> list[int]:
        """Look up each vertex's position in its layer."""
        place = [0] * len(self.layer)
        for row in self.layers:
            for position, vertex in enumerate(row):
                place[vertex] = position
        return place
