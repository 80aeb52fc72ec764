"""Runs and their edges in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.view.stops import stopping

from .plain import place, plural, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepgraph.runs.run import Run
    from stepgraph.stores.base import Damage
    from stepgraph_tui.view.runs import EdgeStory, StepStory
    from stepgraph_tui.view.stops import StopStory

ENDS = {
    Outcome.END: "at END",
    Outcome.MAX_STEPS: "at its step limit",
    Outcome.NO_MATCH: "where no edge matched",
    Outcome.STOPPED: "where it was stopped",
}
"""Where a run has ended."""
DAMAGED = "damaged"
"""What stands in a list where a run's status would, or a review's id."""
UNKNOWN = "?"
"""What stands for the id of a run that cannot be read."""

_LABEL = 200  # characters of a label or a condition where it names an edge


def ending(run: Run) -> str:
    """Describe where a run ended, and whether it is flagged: ``at its step limit, flagged,``."""
    if run.outcome is Outcome.STOPPED and stopping(run) is None:
        return "at its time limit"
    return f"{ENDS[run.outcome or Outcome.END]}{', flagged,' if run.flagged else ''}"


def stopped_text(stop: StopStory) -> str:
    """Tell who stopped a run, and why: ``stopped by ana: no longer needed``."""
    at_gate = ", who rejected it" if stop.at_gate else ""
    return visible(
        f"stopped by {stop.by or 'somebody'}{at_gate}{f': {stop.comment}' if stop.comment else ''}"
    )


def standing(run: Run) -> str:
    """Tell where a run stands: ``ended at END after 8 of 30 steps``."""
    where = ending(run) if run.status is RunStatus.ENDED else f"at {place(run.current)}"
    return f"{run.status.value} {where} after {run.step} of {plural(run.max_steps, 'step')}"


def after_step(step: int) -> str:
    """Tell where in a run something is: ``after step 4``, ``at the start``."""
    return f"after step {step}" if step else "at the start"


def edge_name(label: str | None, condition: str, at: int, count: int) -> str:
    """Name an edge among the edges of its node: ``1 high``, ``2 else``; empty for the only one.

    Args:
        label: Its label.
        condition: Its condition in words.
        at: Its position among the node's edges, from 0.
        count: How many edges the node has.
    """
    name = " ".join((label or "").split())
    if count == 1:
        return visible(shortened(name, _LABEL))
    if not name and condition == "always" and at == count - 1:
        name = "else"
    return visible(f"{at + 1} {shortened(name, _LABEL)}".rstrip())


def way_text(label: str | None, condition: str, target: str, at: int, count: int) -> str:
    """Name an edge and where it leads: ``1 high → review``."""
    return f"{edge_name(label, condition, at, count)} → {place(target)}".lstrip()


def tried_edges(step: StepStory, arrow: str = "->") -> Iterator[str]:
    """List every edge in the order in which it was tried, with the parts of its condition."""
    for number, edge in enumerate(step.edges, 1):
        label = f" {visible(edge.label)}" if edge.label else ""
        yield f"  {number}{label} {arrow} {place(edge.target)}: {_verdict(edge)}"
        for line in edge.explanation.lines():
            yield f"      {visible(line)}"


def _verdict(edge: EdgeStory) -> str:
    if edge.error is not None:
        return "failed"
    return {True: "taken", False: "did not match", None: "not reached"}[edge.matched]


def damage_text(damage: Damage) -> str:
    """Say what is wrong with a run that is named beside it: ``review 'a-1' cannot be read``; safe to show."""
    return visible(damage.what.replace(f" of run {damage.run!r}", "", 1))
