"""Runs in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.ledger import RunStatus

from .text import place, plural

if TYPE_CHECKING:
    from stepgraph.run import Run


def standing(run: Run) -> str:
    """Where a run stands, in words: ``ended (end) after 8 of 30 steps``."""
    after = f"after {run.step} of {plural(run.max_steps, 'step')}"
    if run.status is RunStatus.ENDED:
        outcome = run.outcome.value if run.outcome else "end"
        return f"ended ({outcome}{', flagged' if run.flagged else ''}) {after}"
    return f"{run.status.value} at {place(run.current)} {after}"
