"""How a person stopped a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stepgraph.stores.ledger import stopped_by

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.stores.ledger import Row


class StopStory(NamedTuple):
    """How a person stopped a run, secrets masked."""

    at: float
    by: str
    comment: str
    at_gate: bool
    """Whether it was stopped by rejecting what a gate asked."""

    @classmethod
    def of(cls, row: Row, mask: Mask) -> StopStory:
        """Mask the row that stopped a run."""
        data = stopped_by(row) or {}
        by, comment = (mask.text(str(data.get(key) or "")) for key in ("by", "comment"))
        return cls(row.at, by, comment, bool(data.get("review")))


def stopping(run: Run) -> Row | None:
    """Read the row by which a person stopped a run; None where nobody did."""
    rows = run.store.rows(run.id, run.version - 1, run.version, ("stop", "step"))
    return next((row for row in rows if stopped_by(row) is not None), None)
