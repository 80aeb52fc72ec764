"""Which keys work now, and what to say of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.text.plain import visible

if TYPE_CHECKING:
    from stepgraph.runs.run import Run
    from stepgraph_tui.documents import Buffer
    from stepgraph_tui.run_view import RunSnapshot

_STANDING = {
    RunStatus.PAUSED: "waits for a person: A opens the review",
    RunStatus.FAILED: "has failed: r tries it again",
    RunStatus.ENDED: "has ended: S starts over",
}
_SEVERAL = frozenset({"cut", "duplicate"})
"""What is done with the marked nodes, too."""
_OF_NODES = frozenset({"connect", "rename", "change_type", "mark", "set_start"}) | _SEVERAL
_NO_RUN = "there is no run yet: c starts one"
_CAPPED = "was stopped at its cap: stepgraph extend allows it more steps"


def refused_run(verb: str, run: Run | None, *, busy: bool, running: str | None) -> str | None:
    """Say why a key of the debugger does nothing now; None when it works.

    Args:
        verb: What the key would do.
        run: The run that is shown.
        busy: Whether the stepping thread has work.
        running: The node that runs now.
    """
    if verb == "stop":
        return None if busy else "nothing runs"
    if verb == "pause_after":
        return None if run is not None else _NO_RUN
    if verb not in {"step", "go", "to_here", "retry", "start_over"}:
        return None
    if busy:
        return f"{visible(running) if running is not None else 'a node'} still runs: X stops after it"
    if run is None:
        return None if verb in {"step", "go"} else _NO_RUN
    return _refused_by_status(verb, run)


def no_such_step(moment: RunSnapshot | None, *, earlier: bool) -> str | None:
    """Say why there is no step before or after the one that is viewed; None when there is."""
    if moment is None or moment.view.run.step == 0:
        return "there are no steps yet"
    if earlier:
        return "this is the start" if moment.step == 0 else None
    return "this is where the run stands" if moment.live else None


def _refused_by_status(verb: str, run: Run) -> str | None:
    status = run.status
    if verb == "start_over" or (verb == "go" and status is RunStatus.ENDED):
        return None
    if status is RunStatus.FAILED and run.outcome is Outcome.MAX_STEPS:
        return f"the run {_CAPPED}"
    if verb == "retry":
        return None if status is RunStatus.FAILED else "nothing has failed"
    return None if status is RunStatus.READY else f"the run {_STANDING[status]}"


def refused_edit(verb: str, *, node: bool, edge: bool, marks: bool, copied: bool) -> str | None:
    """Say why a key that edits the graph does nothing now; None when it works.

    Args:
        verb: What the key would do.
        node: Whether a node is selected that can be edited.
        edge: Whether an edge is selected.
        marks: Whether nodes are marked.
        copied: Whether nodes were copied.
    """
    if verb in _OF_NODES:
        return None if node or (marks and verb in _SEVERAL) else "select a node in the graph first"
    if verb == "delete":
        return None if node or edge or marks else "select a node or an edge first"
    if verb == "move_edge":
        return None if edge else "select an edge first: o goes through those of the node"
    if verb == "paste":
        return None if copied else "nothing was copied: y copies, x cuts; or paste with your terminal"
    return None


def refused_save(file: Buffer, *, is_same: bool) -> str | None:
    """Say why saving does nothing now; None when it works.

    Args:
        file: The graph file.
        is_same: Whether the file on disk is as it was read.
    """
    return "there is nothing to save" if is_same and not file.is_dirty else None


def refused_turn(verb: str, file: Buffer) -> str | None:
    """Say why a key that undoes edits or goes to problems does nothing now; None when it works.

    Args:
        verb: What the key would do.
        file: The graph file.
    """
    if verb == "undo":
        return None if file.history.can_undo else "there is nothing to undo"
    if verb == "redo":
        return None if file.history.can_redo else "there is nothing to do again"
    return "nothing is wrong" if verb in {"problem", "fix"} and not file.problems else None
