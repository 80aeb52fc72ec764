"""All that there is to say of a graph's nodes and edges, and what is selected of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .marks import Marks

if TYPE_CHECKING:
    from collections.abc import Collection

    from stepgraph_tui.drawing.glyphs import State
    from stepgraph_tui.drawing.trail import Part

Tone = Literal["edge", "back", "fired", "taken", "chosen"]
"""How an edge stands out, from the least to the most."""
TONES: tuple[Tone, ...] = ("edge", "back", "fired", "taken", "chosen")


@dataclass(slots=True)
class Scene:
    """What a painter of the graph looks up."""

    marks: Marks
    running: str | None = None
    """The node that runs now."""
    node: str | None = None
    """The selected node."""
    edge: int | None = None
    """The selected edge, one of the node's."""
    hits: Collection[Part] = ()
    """What was found."""
    broken: Collection[str] = ()
    """The nodes that have errors."""

    def state(self, node: str) -> State | None:
        """What is said of a node."""
        return "runs" if node == self.running else self.marks.state(node)

    def tone(self, edge: int, *, back: bool = False) -> Tone:
        """How an edge stands out."""
        if edge == self.edge:
            return "chosen"
        if edge == self.marks.taken:
            return "taken"
        if self.marks.fired(edge):
            return "fired"
        return "back" if back else "edge"

    @property
    def selected(self) -> Part | None:
        """What is selected: the edge if there is one, else the node."""
        return self.node if self.edge is None else self.edge
