"""Where the values come from that a condition looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.expressions import parse
from stepgraph.expressions.tree import Path, RunFact, Visits, operands
from stepgraph.runs.history import routed_at
from stepgraph.values.errors import ExpressionError
from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from stepgraph.runs.records import StepRecord
    from stepgraph.stores.ledger import Row
    from stepgraph_tui.run_view import RunView

_FACTS = {"last_output": "what this node put out", "step": "the number of this step"}


class Writers:
    """Says who wrote a key of the state that a step was routed in.

    Args:
        view: The run.
        record: The step.
    """

    def __init__(self, view: RunView, record: StepRecord) -> None:
        self._view = view
        self._upto = routed_at(record.row)
        self._step = record.step
        self._known: dict[str, str] = {}

    def of(self, operand: str) -> str:
        """Where the value of an operand comes from, in words; empty for a constant."""
        try:
            parts = list(operands(parse(operand)))
        except ExpressionError:  # an operand of another version's spelling
            return ""
        told = []
        for part in parts:
            if isinstance(part, Path):
                told.append(self.of_key(part.key))
            elif isinstance(part, RunFact):
                told.append(_FACTS[part.name])
            elif isinstance(part, Visits):
                told.append("visits so far, this step included")
        return "; ".join(dict.fromkeys(told))

    def of_key(self, key: str) -> str:
        """Who last wrote a top-level key, in words."""
        if key not in self._known:
            self._known[key] = self._look_up(key)
        return self._known[key]

    def _look_up(self, key: str) -> str:
        row = self._view.last_written(key, self._upto)
        return self._said(row, removed=_removes(row, key)) if row is not None else "never written"

    def _said(self, row: Row, removed: bool) -> str:
        if row.kind == "start":
            return "from the start"
        if row.kind == "edit":
            by = visible(str((row.data or {}).get("by") or "somebody"))
            return f"{'removed' if removed else 'edited'} by {by} after step {row.step}"
        node = "this node" if row.step == self._step else visible(row.node or "")
        return f"{'removed' if removed else 'written'} by step {row.step}, {node}"


def _removes(row: Row, key: str) -> bool:
    return (row.updates or {})[key] is None and (row.ops or {}).get(key) in (None, "remove")
