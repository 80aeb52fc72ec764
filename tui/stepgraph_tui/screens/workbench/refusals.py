"""Why keys of the workbench do nothing now, and what they do: pure functions of what is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stepgraph.nodes import HandlerNode, ToolNode, inmost
from stepgraph.stores import Outcome, RunStatus

from ...commands.command import Wording
from ...commands.hints import UNMAPPED, Hints
from ...text.reviews import wait_text

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Review
    from stepgraph.runs import Run

    from ...documents import OpenedGraph
    from ...run_view import RunSnapshot


_STATUS_WORDS = {
    RunStatus.PAUSED: "waits for a person: {debug.go} opens the review",
    RunStatus.FAILED: "has failed: {debug.retry} retries it",
    RunStatus.ENDED: "has ended: {debug.start_over} starts over",
}
_SEVERAL = frozenset({"cut", "duplicate"})
"""What is done with the marked nodes, too."""
_OF_NODES = frozenset({"connect", "rename", "change_type", "mark", "set_start"}) | _SEVERAL
NO_NODE = "select a node in the graph first"
"""The refusal of a key that is for nodes."""
NO_RUN = "there is no run yet: {debug.go} starts one"
STILL_RUNS = "a node is still running: {debug.stop} stops after it"
"""The refusal of a key that has to wait."""
_PAST = "past steps cannot be edited"
_CAPPED = "stopped at its step limit: {debug.extend} allows more steps"


_NAMED: dict[str, dict[RunStatus | None, Wording]] = {
    "debug.go": {
        RunStatus.READY: Wording("Continue", "Continue until something stops it"),
        RunStatus.PAUSED: Wording("Review", "Open the run's pending review", footer=1),
        RunStatus.ENDED: Wording("Run again", "Start another run; asks for inputs first"),
        None: Wording("Run", "Start a run; asks for inputs first"),
    },
    "debug.earlier": {RunStatus.ENDED: Wording("Look back", "View the previous step", footer=3)},
}
_IN_THE_PAST = {
    "debug.earlier": Wording("Earlier", "View the previous step", footer=-2),
    "debug.later": Wording("Later", "View the next step", footer=-1),
    "debug.fork": Wording("Fork here", "Start a new run from the viewed step; this one stays", footer=1),
}
_NAMED_IN_DESIGN = {
    "graph.enter": Wording("Edit", "Edit the node or edge in a form"),
}


_OF_PYTHON = {
    "workbench.editor": Wording("Editor", "Open the module in $EDITOR at the selection", footer=5),
    "workbench.export": Wording("Export", "Export the run or the graph", footer=6),
}
"""What there is to do with a graph in Python that is not edited here, or that has failed."""


def renamed(moment: RunSnapshot | None, *, designing: bool, is_python: bool = False) -> Mapping[str, Wording]:
    """Describe the commands that now do something else than mostly, by their ids.

    Args:
        moment: What is shown of the run; None without one.
        designing: Whether the graph is designed, rather than a run of it debugged.
        is_python: Whether the graph is in a Python module.
    """
    status = moment.view.run.status if moment is not None else None
    found = {command: words[status] for command, words in _NAMED.items() if status in words}
    if designing:
        found |= _NAMED_IN_DESIGN | (_OF_PYTHON if is_python else {})
    elif is_python and status is RunStatus.FAILED:
        found["workbench.editor"] = _OF_PYTHON["workbench.editor"]
    if moment is not None and not moment.live and not designing:
        found |= _IN_THE_PAST
    return found


def refused_run(
    verb: str,
    run: Run | None,
    *,
    busy: bool,
    running: str | None,
    pending: Review | None = None,
    hints: Hints = UNMAPPED,
) -> str | None:
    """Explain why a key of the debugger does nothing now; None when it works.

    Args:
        verb: What the key would do.
        run: The run that is shown.
        busy: Whether the stepping thread has work.
        running: The node that runs now.
        pending: What the run waits for.
        hints: Names the keys.
    """
    if verb == "stop":
        return None if busy else "nothing runs"
    if verb not in {"step", "go", "to_here", "retry", "extend", "start_over"}:
        return None
    if busy:
        node = running if running is not None else "a node"
        return f"{node} is still running: {hints('{debug.stop} stops after it')}"
    if run is None:
        return None if verb in {"step", "go"} else hints(NO_RUN)
    if pending is not None and pending.is_wait and verb in {"step", "go", "to_here"}:
        return hints(f"the run {wait_text(pending)}; {{workbench.approvals}} lets it continue sooner")
    return _refused_by_status(verb, run, hints)


def no_such_step(moment: RunSnapshot | None, *, earlier: bool) -> str | None:
    """Explain why there is no step before or after the one that is viewed; None when there is."""
    if moment is None or moment.view.run.step == 0:
        return "there are no steps yet"
    if earlier:
        return "this is the start" if moment.step == 0 else None
    return "this is the latest step" if moment.live else None


def refused_state_edit(moment: RunSnapshot | None, *, busy: bool, hints: Hints = UNMAPPED) -> str | None:
    """Explain why the state cannot be edited now; None when it can be.

    Args:
        moment: What is shown of the run.
        busy: Whether the stepping thread has work.
        hints: Names the keys.
    """
    if moment is None:
        return hints(NO_RUN)
    if busy:
        return hints(f"the state is edited between steps, and {STILL_RUNS}")
    if not moment.live and moment.view.run.status is RunStatus.ENDED:
        return hints(f"{_PAST}: {{debug.fork}} forks here, and lets you edit the state first")
    if not moment.live:
        return hints(f"{_PAST}: {{workbench.back}} returns to the latest step, {{debug.fork}} forks")
    if moment.view.run.status is RunStatus.ENDED:
        reason = "the run has ended: view an earlier step ({debug.earlier}), then {debug.fork} forks there"
        return hints(reason)
    return None


def refused_fork(moment: RunSnapshot | None, *, busy: bool, hints: Hints = UNMAPPED) -> str | None:
    """Explain why the run cannot go on from the step that is viewed; None when it can.

    Args:
        moment: What is shown of the run.
        busy: Whether the stepping thread has work.
        hints: Names the keys.
    """
    if moment is None:
        return hints(NO_RUN)
    if busy:
        return hints(STILL_RUNS)
    why = moment.view.dead_end(moment.step)
    return None if why is None else f"{why}: {hints('{debug.earlier} views an earlier step, to fork from')}"


def is_subgraph(plan: CompiledGraph, node: str) -> bool:
    """Check whether a run goes into a subgraph at a node."""
    entry = plan.nodes.get(node)
    return entry is not None and entry.type == "subgraph" and not node.endswith("/END")


def no_function(run: Run | None) -> str | None:
    """Explain why the next node cannot be stepped into; None when it can be, or when no node comes next."""
    entry = run.plan.nodes.get(run.current or "") if run is not None else None
    if run is None or entry is None or entry.node is None:
        return None
    node = inmost(entry.node)
    if isinstance(node, HandlerNode):
        return None
    if isinstance(node, ToolNode):
        tool = run.plan.tools.get(node.settings.tool or "")
        if tool is not None and (tool.handler is not None or tool.tool is not None):
            return None
    elif not type(node).__module__.startswith("stepgraph."):
        return None
    return f"{entry.name} is not a Python function: only such nodes can be stepped into"


def _refused_by_status(verb: str, run: Run, hints: Hints) -> str | None:
    status = run.status
    if verb == "start_over" or (verb == "go" and status in (RunStatus.PAUSED, RunStatus.ENDED)):
        return None
    is_capped = run.outcome is Outcome.MAX_STEPS
    if verb == "extend":
        return None if is_capped else "the run has not reached its step limit"
    if is_capped:
        return hints(f"the run {_CAPPED}")
    if verb == "retry":
        return None if status is RunStatus.FAILED else "nothing has failed"
    return None if status is RunStatus.READY else hints(f"the run {_STATUS_WORDS[status]}")


def refused_edit(
    verb: str, *, node: bool, edge: bool, marks: bool, copied: bool, hints: Hints = UNMAPPED
) -> str | None:
    """Explain why a key that edits the graph does nothing now; None when it works.

    Args:
        verb: What the key would do.
        node: Whether a node is selected that can be edited.
        edge: Whether an edge is selected.
        marks: Whether nodes are marked.
        copied: Whether nodes were copied.
        hints: Names the keys.
    """
    if verb in _OF_NODES:
        return None if node or (marks and verb in _SEVERAL) else NO_NODE
    if verb == "delete":
        return None if node or edge or marks else "select a node or an edge first"
    if verb == "move_edge":
        return None if edge else hints("select an edge first: {graph.out} selects the edges of the node")
    if verb == "paste":
        reason = "nothing was copied: {workbench.copy} copies, {edit.delete} keeps what it deletes"
        return None if copied else hints(reason)
    return None


def refused_save(file: OpenedGraph, *, is_same: bool) -> str | None:
    """Explain why saving does nothing now; None when it works.

    Args:
        file: The graph file.
        is_same: Whether the file on disk is as it was read.
    """
    return "there is nothing to save" if is_same and not file.is_dirty else None


def refused_turn(verb: str, file: OpenedGraph) -> str | None:
    """Explain why a key that undoes edits or goes to problems does nothing now; None when it works.

    Args:
        verb: What the key would do.
        file: The graph file.
    """
    if verb == "undo":
        return None if file.history.can_undo else "there is nothing to undo"
    if verb == "redo":
        return None if file.history.can_redo else "there is nothing to redo"
    return "nothing is wrong" if verb in {"problem", "fix"} and not file.checked.problems else None
