"""Lists of runs in words: one line each, their order, their filters."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from stepgraph.runs import Branch
from stepgraph.stores import Damage, Outcome, RunStatus, StoredRun

from ..text.characters import visible
from ..view.errors import stopping
from .plain import place, plural, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepgraph.runs import Run

    from ..view.errors import StopStory
    from ..view.runs import EdgeStory, StepStory


ENDS = {
    Outcome.END: "at END",
    Outcome.MAX_STEPS: "at its step limit",
    Outcome.NO_MATCH: "where no edge matched",
    Outcome.STOPPED: "where it was stopped",
}
"""Where a run has ended."""
DAMAGED = "damaged"
"""What is in a list where a run's status would, or a review's id."""
UNKNOWN = "?"
"""What stands for the id of a run that cannot be read."""

_LABEL = 200  # characters of a label or a condition where it names an edge


def ending(run: Run) -> str:
    """Describe where a run ended, and whether it is flagged: ``at its step limit, flagged,``."""
    if run.outcome is Outcome.STOPPED and stopping(run) is None:
        return "at its time limit"
    return f"{ENDS[run.outcome or Outcome.END]}{', flagged,' if run.flagged else ''}"


def stopped_text(stop: StopStory) -> str:
    """Describe who stopped a run, and why: ``stopped by ana: no longer needed``."""
    at_gate = ", who rejected it" if stop.at_gate else ""
    return f"stopped by {stop.by or 'somebody'}{at_gate}{f': {stop.comment}' if stop.comment else ''}"


def run_status(run: Run) -> str:
    """Describe where a run stands: ``ended at END after 8 of 30 steps``."""
    where = ending(run) if run.status is RunStatus.ENDED else f"at {place(run.current)}"
    return f"{run.status.value} {where} after {run.step:,} of {plural(run.max_steps, 'step')}"


def after_step(step: int) -> str:
    """Describe where in a run something is: ``after step 4``, ``at the start``."""
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
        return shortened(name, _LABEL)
    if not name and condition == "always" and at == count - 1:
        name = "else"
    return f"{at + 1} {shortened(name, _LABEL)}".rstrip()


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
    """Describe a run's damage beside its name: ``review 'a-1' cannot be read``."""
    return damage.what.replace(f" of run {damage.run!r}", "", 1)


HIGH_RISK = "high risk"
"""The mark of a run whose review is of high risk."""
_DIGITS = re.compile("([0-9]+)")
_FIRST = {RunStatus.PAUSED: 0, RunStatus.FAILED: 1, RunStatus.READY: 2, RunStatus.ENDED: 3}
"""How urgent a status is."""


class RunOrder(NamedTuple):
    """What runs are sorted by."""

    name: str
    key: Callable[[StoredRun], Any]
    """The smallest comes first."""


def _by_change(run: StoredRun) -> tuple[float, float]:
    return -run.pointer.updated_at, -run.head.created_at


def _by_name(name: str) -> list[Any]:
    """Sort numbers in names by what they count: r-2 before r-10."""
    parts = _DIGITS.split(name.lower())
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


ORDERS = (
    RunOrder("last changed", _by_change),
    RunOrder("last started", lambda run: (-run.head.created_at, -run.pointer.updated_at)),
    RunOrder("status", lambda run: (_FIRST[run.pointer.status], *_by_change(run))),
    RunOrder("graph", lambda run: (_by_name(run.head.graph), *_by_change(run))),
    RunOrder("run", lambda run: (_by_name(run.head.id),)),
)
"""The orders that can be asked for, the usual one first."""


def whereabouts(run: StoredRun, awaits: str = "") -> str:
    """Describe where a run stands, after its status: ``at END``, ``review, high risk``.

    Args:
        run: The run.
        awaits: What a paused run waits for, where that is known: ``high risk``, ``waits until 14:02:11``.
    """
    pointer = run.pointer
    node = place(pointer.current)
    match pointer.status:
        case RunStatus.PAUSED:
            return f"{node}, {awaits}" if awaits else f"{node} asks"
        case RunStatus.ENDED:
            return f"{ENDS[pointer.outcome or Outcome.END]}{', flagged' if pointer.flagged else ''}"
        case RunStatus.FAILED:
            return f"{ENDS[pointer.outcome]} before {node}" if pointer.outcome else f"at {node}"
    return f"next: {node}"


def branch_text(branch: Branch, *, marks: bool) -> str:
    """Write what comes before a run in the tree of forks: the lines that lead to it, and its fold mark.

    Args:
        branch: The run in the tree.
        marks: Whether any of the runs that are listed has forks.
    """
    if not marks:
        return ""
    fold = "" if not branch.forks else "▸" if branch.hidden else "▾"
    if not branch.rails:
        return f"{fold or ' '} "
    rails = "".join("│ " if more else "  " for more in branch.rails[:-1])
    return f"{rails}{'├' if branch.rails[-1] else '└'}{fold or '─'} "
