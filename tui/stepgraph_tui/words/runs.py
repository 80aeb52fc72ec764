"""Runs in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus

from .text import place, plural

if TYPE_CHECKING:
    from stepgraph.runs.run import Run

ENDS = {
    Outcome.END: "at END",
    Outcome.MAX_STEPS: "at its cap",
    Outcome.NO_MATCH: "where no edge matched",
    Outcome.STOPPED: "at its time limit",
}
"""Where a run has ended."""


def ending(run: Run) -> str:
    """Tell where a run has ended, and whether it is flagged, to go on behind it: ``at its cap, flagged,``."""
    return f"{ENDS[run.outcome or Outcome.END]}{', flagged,' if run.flagged else ''}"


def standing(run: Run) -> str:
    """Tell where a run stands: ``ended at END after 8 of 30 steps``."""
    where = ending(run) if run.status is RunStatus.ENDED else f"at {place(run.current)}"
    return f"{run.status.value} {where} after {run.step} of {plural(run.max_steps, 'step')}"
