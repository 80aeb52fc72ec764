"""How wide the columns of the trace are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stepgraph_tui.drawing.picture.graph_drawing import edge_texts
from stepgraph_tui.words.text import place, visible

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph

GAP = 2
BEFORE_CHANGED = 3
AFTER_NODE = 3
"""Cells between node and edge: room for the mark of a node that the run pauses after."""
TOOK = 8
_NODE, _EDGE, _CHANGED = (8, 24), (14, 36), 9  # the least and the most cells
_BOTH = GAP + TOOK + BEFORE_CHANGED + _CHANGED


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths in cells; 0 for a column that there is no room for."""

    number: int
    """The mark of the viewed step, and the step's number."""
    node: int
    edge: int
    took: int
    changed: int

    @property
    def indent(self) -> int:
        """Where nodes begin."""
        return self.number + GAP


@dataclass(frozen=True, slots=True)
class Needs:
    """How many cells the names in a graph would take."""

    node: int
    edge: int

    @classmethod
    def of(cls, plan: CompiledGraph) -> Needs:
        """What a graph's nodes and edges need."""
        texts = edge_texts(plan.edges)
        edges = (
            f"{text} → {place(edge.target)}".lstrip() for text, edge in zip(texts, plan.edges, strict=True)
        )
        return cls(
            max((cell_len(visible(name)) for name in plan.nodes), default=0),
            max(map(cell_len, edges), default=0),
        )

    def fit(self, width: int, steps: int) -> Columns:
        """The columns that fit into a pane.

        Args:
            width: The pane's, in cells.
            steps: The highest number to be shown.
        """
        number = 1 + max(2, len(str(steps)))
        room = max(1, width - number - GAP)
        node = min(max(self.node, _NODE[0]), _NODE[1], max(width // 4, _NODE[0]))
        left = room - node - AFTER_NODE
        if left < _NODE[0]:
            return Columns(number, max(1, room - AFTER_NODE), 0, 0, 0)
        edge = min(left, max(self.edge, _EDGE[0]), _EDGE[1], max(_EDGE[0], left - _BOTH))
        left -= edge
        took = TOOK if left >= GAP + TOOK else 0
        return Columns(number, node, edge, took, left - (_BOTH - _CHANGED) if left >= _BOTH else 0)
