"""Errors of the engine, secrets masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stepgraph.stores import stopped_by

if TYPE_CHECKING:
    from stepgraph.runs import Mask, Run, SafeRow
    from stepgraph.stores import Row
    from stepgraph.values import StepgraphError


class ErrorStory(NamedTuple):
    """An error, secrets masked."""

    code: str
    type: str
    """The name of its class."""
    message: str
    hint: str
    text: str
    """All of it, as ``str`` writes it."""

    @classmethod
    def of(cls, error: StepgraphError, mask: Mask) -> ErrorStory:
        """Mask an error."""
        return cls(
            error.code,
            type(error).__name__,
            mask.text(error.message),
            mask.text(error.hint),
            mask.text(str(error)),
        )


class StopStory(NamedTuple):
    """How a person stopped a run, secrets masked."""

    at: float
    by: str
    comment: str
    at_gate: bool
    """Whether it was stopped by rejecting what a gate asked."""

    @classmethod
    def of(cls, row: SafeRow) -> StopStory:
        """Read the row that stopped a run."""
        data = stopped_by(row) or {}
        by, comment = (str(data.get(key) or "") for key in ("by", "comment"))
        return cls(row.at, by, comment, bool(data.get("review")))


def stopping(run: Run) -> Row | None:
    """Read the row by which a person stopped a run; None where nobody did."""
    rows = run.store.rows(run.id, run.version - 1, run.version, ("stop", "step"))
    return next((row for row in rows if stopped_by(row) is not None), None)
