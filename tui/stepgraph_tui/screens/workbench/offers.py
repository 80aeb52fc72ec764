"""Which keys work now, and what to say of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from stepgraph.runs.run import Run
    from stepgraph_tui.designing import Buffer
    from stepgraph_tui.viewing import Moment

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


def refusal(action: str, run: Run | None, *, busy: bool, running: str | None) -> str | None:
    """Why a key of the debugger does nothing now, in words; None when it works.

    Args:
        action: What the key would do.
        run: The run that is shown.
        busy: Whether the stepping thread has work.
        running: The node that runs now.
    """
    if action == "stop":
        return None if busy else "nothing runs"
    if action == "pause_after":
        return None if run is not None else _NO_RUN
    if action not in {"step", "go", "to_here", "retry", "start_over"}:
        return None
    if busy:
        return f"{visible(running) if running is not None else 'a node'} still runs: X stops after it"
    if run is None:
        return None if action in {"step", "go"} else _NO_RUN
    return _refused_by_status(action, run)


def no_such_step(moment: Moment | None, *, earlier: bool) -> str | None:
    """Why there is no step before or after the one that is viewed, in words; None when there is."""
    if moment is None or moment.view.run.step == 0:
        return "there are no steps yet"
    if earlier:
        return "this is the start" if moment.step == 0 else None
    return "this is where the run stands" if moment.live else None


def _refused_by_status(action: str, run: Run) -> str | None:
    status = run.status
    if action == "start_over" or (action == "go" and status is RunStatus.ENDED):
        return None
    if status is RunStatus.FAILED and run.outcome is Outcome.MAX_STEPS:
        return f"the run {_CAPPED}"
    if action == "retry":
        return None if status is RunStatus.FAILED else "nothing has failed"
    return None if status is RunStatus.READY else f"the run {_STANDING[status]}"


def refused_edit(action: str, *, node: bool, edge: bool, marks: bool, copied: bool) -> str | None:
    """Why a key that edits the graph does nothing now, in words; None when it works.

    Args:
        action: What the key would do.
        node: Whether a node is selected that can be edited.
        edge: Whether an edge is selected.
        marks: Whether nodes are marked.
        copied: Whether nodes were copied.
    """
    if action in _OF_NODES:
        return None if node or (marks and action in _SEVERAL) else "select a node in the graph first"
    if action == "delete":
        return None if node or edge or marks else "select a node or an edge first"
    if action == "move_edge":
        return None if edge else "select an edge first: o goes through those of the node"
    if action == "paste":
        return None if copied else "nothing was copied: y copies, x cuts; or paste with your terminal"
    return None


def refused_of_file(action: str, file: Buffer, *, is_same: bool) -> str | None:
    """Why a key that turns or saves edits does nothing now, in words; None when it works.

    Args:
        action: What the key would do.
        file: The graph file.
        is_same: Whether the file on disk is as it was read.
    """
    if action == "save":
        return "there is nothing to save" if is_same and not file.is_dirty else None
    words = {
        "undo": (file.history.can_undo, "there is nothing to undo"),
        "redo": (file.history.can_redo, "there is nothing to do again"),
        "problem": (bool(file.problems), "nothing is wrong"),
        "fix": (bool(file.problems), "nothing is wrong"),
    }
    works, why = words.get(action, (True, ""))
    return None if works else why
