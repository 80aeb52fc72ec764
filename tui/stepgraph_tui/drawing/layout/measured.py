"""Measure a diagram: boxes across and along the flow, arcs, self-loops, and the distances between them."""

from __future__ import annotations

from dataclasses import dataclass

from ...text.cells import cell_len
from ..model import Diagram, Direction
from .layering import Arc, LayeredGraph, assign_layers, back_arcs, kept_back_arcs

_LOOP = 2
"""Cells that a self-loop takes across the flow, beside its box, and along it."""


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in cells. A cell is about twice as high as wide, so the directions differ."""

    ports: int
    """From one line's cell to the next."""
    boxes: int
    """Empty cells between two boxes."""
    beside: int
    """Empty cells between a box and a line."""
    lanes: int
    """From one lane of a channel to the next."""
    inset: int
    """How many cells of a framed box's side are kept free of ports, at each end."""
    bare_inset: int
    """The same for a box without a frame."""
    roomy: bool
    """Whether a box's sides are long enough for its ports to have a choice of places."""

    def between(self, box: bool, other_box: bool) -> int:
        """Count the empty cells between two neighbors in a layer, each of which is a box or a line."""
        if box and other_box:
            return self.boxes
        return self.beside if box or other_box else self.ports - 1


SPACINGS: dict[Direction, Spacing] = {
    "TB": Spacing(ports=2, boxes=2, beside=2, lanes=1, inset=2, bare_inset=1, roomy=True),
    "LR": Spacing(ports=1, boxes=1, beside=1, lanes=2, inset=1, bare_inset=0, roomy=False),
}


class MeasuredDiagram:
    """A diagram in numbers: what the layout works on.

    Args:
        diagram: What is to be drawn.
    """

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.down = diagram.direction == "TB"
        """Whether the flow runs along the rows' axis, from top to bottom."""
        self.spacing = SPACINGS[diagram.direction]
        numbers = {node.id: number for number, node in enumerate(diagram.nodes)}
        ends = [(numbers[edge.source], numbers[edge.target]) for edge in diagram.edges]
        self.widths = [cell_len(edge.label) for edge in diagram.edges]
        """How wide each edge's label is, in cells."""
        self.former = self._former(diagram, numbers)
        """The layer of each box in the picture before an edit; None where it was not there."""
        if diagram.previous is None:
            back = back_arcs(len(diagram.nodes), ends)
        else:
            routes = diagram.previous.routes
            drawn = {(numbers.get(route.source, -1), numbers.get(route.target, -1)) for route in routes}
            back = kept_back_arcs(self.former, ends, drawn)
        self.edges = [number for number, (source, target) in enumerate(ends) if source != target]
        """The edge of each arc."""
        self.back = [number in back for number in self.edges]
        """Whether each arc leads against its edge."""
        self.arcs: list[Arc] = [
            (ends[edge][1], ends[edge][0]) if back else ends[edge]
            for edge, back in zip(self.edges, self.back, strict=True)
        ]
        self.loops: list[list[int]] = [[] for _ in diagram.nodes]
        """The self-loops of each box."""
        for number, (source, target) in enumerate(ends):
            if source == target:
                self.loops[source].append(number)
        self.frames = [int(node.framed) for node in diagram.nodes]
        """How thick each box's frame is."""
        spacing = self.spacing
        self.insets = [spacing.inset if node.framed else spacing.bare_inset for node in diagram.nodes]
        self.across = [node.width if self.down else node.height for node in diagram.nodes]
        self.along = [self._length(number) for number in range(len(diagram.nodes))]

    @staticmethod
    def _former(diagram: Diagram, numbers: dict[str, int]) -> list[int | None]:
        former: list[int | None] = [None] * len(diagram.nodes)
        for box in diagram.previous.boxes if diagram.previous is not None else ():
            if box.id in numbers:
                former[numbers[box.id]] = box.layer
        return former

    def _length(self, box: int) -> int:
        """Measure a box along the flow; self-loops may need more than it wants."""
        node = self.diagram.nodes[box]
        return max(
            node.height if self.down else node.width,
            sum(self.loop_length(loop) for loop in self.loops[box]) + 2 * self.frames[box],
        )

    def loop_length(self, edge: int) -> int:
        """Count the cells that a self-loop takes along the flow."""
        if self.down:
            return _LOOP
        return _LOOP + 1 + (self.widths[edge] + 1 if self.widths[edge] else 0)

    def loop_reach(self, box: int) -> int:
        """Count the cells that a box's self-loops take beside it."""
        if not self.loops[box]:
            return 0
        widest = max(self.widths[loop] for loop in self.loops[box])
        return _LOOP + (widest + 1 if self.down and widest else 0)


def least_width(diagram: Diagram) -> int:
    """Measure the cells that the widest layer takes with nothing between its boxes but the least distances.

    No layout is narrower. It costs a tenth of one, so that a picture which cannot fit need not be made.
    """
    measured = MeasuredDiagram(diagram)
    layered = LayeredGraph(assign_layers(len(diagram.nodes), measured.arcs), measured.arcs)
    if not measured.down:
        return sum(
            max((measured.along[vertex] for vertex in row if vertex < layered.boxes), default=0)
            for row in layered.layers
        )
    spacing = measured.spacing
    widest = 0
    for row in layered.layers:
        boxes = [measured.across[vertex] for vertex in row if vertex < layered.boxes]
        lines = len(row) - len(boxes)
        # each line beside the next is nearer than a line beside a box: the boxes stand together
        gaps = spacing.boxes * max(0, len(boxes) - 1) + (spacing.ports - 1) * max(0, lines - 1)
        widest = max(widest, sum(boxes) + lines + gaps + (spacing.beside if boxes and lines else 0))
    return widest
