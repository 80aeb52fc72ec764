"""A run that has come to a node: what one visit begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..stores.ledger import Row
from .visit import Visit

if TYPE_CHECKING:
    from ..stores.ledger import Pointer, RowKind
    from ..values.json_values import Json
    from ..values.state import DecisionMade
    from .bind import BoundNode
    from .run import Run


@dataclass(slots=True)  # frozen, it would take three times as long to make, at every step
class Arrival:
    """Where a run stands, with the node that is visited there. It is not changed."""

    run: Run
    pointer: Pointer
    values: dict[str, Json]
    """The state that the visit leaves unless it completes."""
    node: BoundNode
    visit: int
    """How often the run has come to the node, this time included."""

    def asks(self) -> bool:
        """Tell whether a person must agree before the node runs; what it says itself may raise anything."""
        node = self.node
        return node.gate == "before" or (node.work is not None and node.work.must_ask(self.view(self.values)))

    def view(self, values: dict[str, Json], decision: DecisionMade | None = None) -> Visit:
        """Make what the node sees: the state that it is given, and what a person decided about it."""
        pointer, node = self.pointer, self.node
        step, history = pointer.step + 1, self.run._history
        told = node.feedback, pointer.review
        return Visit(values, step, self.visit, decision, node.name, history, pointer.version, *told)

    def row(self, kind: RowKind, at: float, duration: float = 0.0, calls: list[Json] | None = None) -> Row:
        """Begin the ledger row that comes of the visit, with what models and tools answered on it."""
        pointer = self.pointer
        row = Row(pointer.version + 1, kind, pointer.step + 1, self.node.name, self.visit, at, duration)
        if calls:
            row.data = {"calls": calls}
        return row
