"""What is asked before something is done with a run, and why it cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph.stores.refusals import is_served
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.run_list import whereabouts

if TYPE_CHECKING:
    from stepgraph.stores.base import Damage, StoredRun


def refused(action: str, run: StoredRun) -> str | None:
    """Say why something cannot be done with a run, to go on behind its name; None where it can be.

    Args:
        action: ``resume``, ``retry``, ``stop``, or anything that can always be done.
        run: The run.
    """
    pointer = run.pointer
    status, is_capped = pointer.status, pointer.outcome is Outcome.MAX_STEPS
    if is_capped and action in ("resume", "retry"):
        return (
            "it stopped at its step limit: {runs.open} opens it, and {debug.extend} there allows more steps"
        )
    if action == "resume":
        return {
            RunStatus.ENDED: "it has ended; {runs.fork} makes a new run from a step of it",
            RunStatus.FAILED: "it has failed: {runs.retry} tries that again",
        }.get(status)
    if action == "retry":
        return None if status is RunStatus.FAILED else "nothing has failed"
    if action == "stop" and status in (RunStatus.ENDED, RunStatus.FAILED):
        return (
            "it has ended already" if status is RunStatus.ENDED else "it has failed: there is nothing to end"
        )
    return None


def resume_question(run: StoredRun) -> str:
    """Ask whether a run is to go on."""
    return f"Continue run {run.head.id} in Debug? {run.pointer.current} runs next."


def stop_question(run: StoredRun) -> str:
    """Ask whether a run is to be ended."""
    asked = " Its review is withdrawn." if run.pointer.status is RunStatus.PAUSED else ""
    return f"End run {run.head.id} where it stands ({whereabouts(run)})? It cannot go on after that.{asked}"


def delete_question(run: StoredRun, forks: int) -> str:
    """Ask whether a run is to be deleted, and say what becomes of what hangs on it."""
    head, pointer = run
    stands = f"{pointer.status.value}, {whereabouts(run)}, {plural(pointer.step, 'step')}"
    lines = [
        f"Delete run {head.id}? ({head.graph}: {stands})",
        "All of its steps and decisions are deleted. This cannot be undone.",
    ]
    if pointer.status is RunStatus.PAUSED:
        lines.append("A review that waits for a person goes with it.")
    if pointer.status is RunStatus.READY:
        lines.append("It has not ended: if another process drives it, that stops at its next step.")
    if forks:
        lines.append(
            "1 run was forked from it; that stays as it is."
            if forks == 1
            else f"{forks:,} runs were forked from it; they stay as they are."
        )
    return "\n".join(lines)


def delete_damaged_question(damage: Damage, url: str) -> str:
    """Ask whether what is left of a damaged run in a store is to be deleted."""
    saves = "" if is_served(url) else " `stepgraph doctor --repair` first saves what can be saved."
    return (
        f"Delete run {damage.run}? ({damage.what})\n"
        f"All that is left of it is deleted. This cannot be undone.{saves}"
    )
