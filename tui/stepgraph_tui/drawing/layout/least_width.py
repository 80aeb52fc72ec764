"""How wide a picture is at the least: what can be told before the diagram is laid out."""

from __future__ import annotations

from stepgraph_tui.drawing.model import Diagram

from .layered_graph import LayeredGraph
from .layering import assign_layers
from .measured import MeasuredDiagram


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
