"""Place the ports of the boxes, and measure the room that a box needs with all that hangs on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .layered_graph import LayeredGraph
from .measured import Spacing


@dataclass(slots=True)
class Port:
    """One end of a link at a box."""

    link: int
    width: int = 0
    """How wide the text is that stands at it, with its middle at the port; 0 for none."""
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
        widths: How wide the texts are that stand at the upper (True) or lower end of a link.
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
