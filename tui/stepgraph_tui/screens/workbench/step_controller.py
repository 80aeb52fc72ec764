"""The keys that move a run: step, go on, stop, try again, start over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.nodes import HandlerNode, ToolNode, inmost
from stepgraph.stores import Outcome, RunStatus
from stepgraph.values import NodeFailed

from ...cli_equivalents import Equivalents
from ...commands.command import Wording
from ...commands.hints import UNMAPPED, Hints
from ...text.reviews import wait_text
from ...worker import Extend, Go, NodeBegan, Retry, Step

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Review
    from stepgraph.runs import Run

    from ...commands import Command
    from ...context import AppContext
    from ...documents import OpenedGraph
    from ...run_view import RunSnapshot
    from .run_controller import RunController
    from .surface import Surface


_STANDING = {
    RunStatus.PAUSED: "waits for a person: {debug.go} opens the review",
    RunStatus.FAILED: "has failed: {debug.retry} retries it",
    RunStatus.ENDED: "has ended: {debug.start_over} starts over",
}
_SEVERAL = frozenset({"cut", "duplicate"})
"""What is done with the marked nodes, too."""
_OF_NODES = frozenset({"connect", "rename", "change_type", "mark", "set_start"}) | _SEVERAL
NO_NODE = "select a node in the graph first"
"""What is said of a key that is for nodes."""
_NO_RUN = "there is no run yet: {debug.go} starts one"
STILL_RUNS = "a node is still running: {debug.stop} stops after it"
"""What is said of a key that has to wait."""
_PAST = "past steps cannot be edited"
_CAPPED = "stopped at its step limit: {debug.extend} allows more steps"


_NAMED: dict[str, dict[RunStatus | None, Wording]] = {
    "debug.go": {
        RunStatus.READY: Wording("Continue", "Continue until something stops it"),
        RunStatus.PAUSED: Wording("Review", "Open the run's pending review", footer=1),
        RunStatus.ENDED: Wording("Run again", "Start another run; asks for inputs first"),
        None: Wording("Run", "Start a run; asks for inputs first"),
    },
}
_NAMED_IN_DESIGN = {
    "graph.enter": Wording("Edit", "Edit the node or edge in a form"),
}


_OF_PYTHON = {
    "workbench.editor": Wording("Editor", "Open the module in $EDITOR at the selection", footer=5),
    "workbench.export": Wording("Export", "Export the run or the graph", footer=6),
}
"""What there is to do with a graph in Python that is not edited here, or that has failed."""


def wording(
    command: Command, *, designing: bool, status: RunStatus | None, is_python: bool = False
) -> Wording:
    """Describe what a command does now.

    Args:
        command: The command.
        designing: Whether the graph is designed, rather than a run of it debugged.
        status: How the run stands; None without one.
        is_python: Whether the graph is in a Python module.
    """
    mends = status is RunStatus.FAILED and command.id == "workbench.editor"
    if is_python and (designing or mends) and command.id in _OF_PYTHON:
        return _OF_PYTHON[command.id]
    if designing and command.id in _NAMED_IN_DESIGN:
        return _NAMED_IN_DESIGN[command.id]
    return _NAMED.get(command.id, {}).get(status, command.wording)


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
        return None if verb in {"step", "go"} else hints(_NO_RUN)
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
        return hints(_NO_RUN)
    if busy:
        return hints(f"the state is edited between steps, and {STILL_RUNS}")
    if not moment.live and moment.view.run.status is RunStatus.ENDED:
        return hints(f"{_PAST}: {{debug.fork}} forks here, and lets you edit the state first")
    if not moment.live:
        return hints(f"{_PAST}: {{workbench.back}} returns to the latest step, {{debug.fork}} forks")
    if moment.view.run.status is RunStatus.ENDED:
        said = "the run has ended: view an earlier step ({debug.earlier}), then {debug.fork} forks there"
        return hints(said)
    return None


def refused_fork(moment: RunSnapshot | None, *, busy: bool, hints: Hints = UNMAPPED) -> str | None:
    """Explain why the run cannot go on from the step that is viewed; None when it can.

    Args:
        moment: What is shown of the run.
        busy: Whether the stepping thread has work.
        hints: Names the keys.
    """
    if moment is None:
        return hints(_NO_RUN)
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
    return None if status is RunStatus.READY else hints(f"the run {_STANDING[status]}")


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
        said = "nothing was copied: {workbench.copy} copies, {edit.delete} keeps what it deletes"
        return None if copied else hints(said)
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


class StepController:
    """Gives the thread work on the run that is shown, as keys ask for it.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the thread, and the run.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context, self._surface, self._runs = context, surface, runs
        self._asked_to_stop: NodeBegan | None = None  # the node after which a person wants the run to stop

    @property
    def _run(self) -> Run | None:
        return self._runs.shown.run

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works; where it does not, it is not offered, or there is a reason."""
        if verb == "view":
            return no_such_step(self._runs.shown.moment, earlier=arguments == (-1,)) or True
        if arguments == (True,):  # step into: the node that comes next, or the one that has failed
            refused = no_function(self._run)
            if refused and not self._inside_of_next():
                return refused
            verb = "retry" if self._has_failed_node else verb
        if self._runs.is_brief and verb in {"step", "go", "to_here"}:
            return True  # it is put off for that moment
        running, view = self._runs.thread.running, self._runs.shown.view
        refused = refused_run(
            verb,
            self._run,
            busy=self._runs.busy,
            running=running.node if running is not None else None,
            pending=view.pending if view is not None else None,
            hints=self._surface.hints,
        )
        return refused or True

    def _waits(self, action: Callable[[], None]) -> bool:
        """Defer an action until the commit is done or live calls are allowed."""
        if self._runs.put_off(action):
            return True
        run = self._run
        return run is not None and run.status is not RunStatus.ENDED and self._runs.live.asks(action)

    def action_step(self, into: bool = False) -> None:
        """Run exactly one node, ``into`` its function in the debugger; without a run, ask for the inputs.

        What is stepped into may have failed: that is where a debugger is wanted most.
        """
        if self._waits(partial(self.action_step, into)):
            return
        if self._run is None:
            self._surface.begin(self._start(into))
        elif into and self._is_live() and self._goes_inside(self._run):
            return
        elif into and self._has_failed_node:
            self.action_retry(into)
        elif self._is_live() and self._runs.submit(Step(self._run.id, into and not no_function(self._run))):
            self._surface.note(Equivalents(self._context.address).step(self._run.id))

    async def _start(self, into: bool) -> None:
        if await self._runs.starter.ask() and into:
            self.action_step(into)

    def _goes_inside(self, run: Run) -> bool:
        """Draw the inside of the subgraph at which the run stands; True where that is all there is to do."""
        node = self._inside_of_next()
        if not node:
            return False
        self._surface.draw_inside(node)
        if node == run.current:  # and now it goes in
            return False
        self._surface.say(f"this is the inside of {node}")
        return True

    def _inside_of_next(self) -> str:
        """Name the subgraph that could be drawn from inside, the next node or what it is in; else nothing."""
        run, view = self._run, self._runs.shown.view
        node = run.current if run is not None else None
        if view is None or node is None:
            return ""
        if is_subgraph(view.plan, node):
            return node
        around = view.plan.around(node)
        return around[-1] if around and around[-1] != self._surface.inside else ""

    def action_step_out(self) -> None:
        """Run on until the subgraph that the run is in has come to its end; draw the graph around it."""
        if self._waits(self.action_step_out):
            return
        run, view, inside = self._run, self._runs.shown.view, self._surface.inside
        around = view.plan.around(run.current or "") if run is not None and view is not None else ()
        if run is None or not around:
            self._surface.say("the run is not inside of a subgraph")
            return
        leaves = f"{around[-1]}/END"
        if inside == around[-1]:
            self._surface.draw_inside(inside.rpartition("/")[0])
        if run.current == leaves:
            self.action_step()
        elif self._is_live() and run.status is RunStatus.READY:
            self._go(run, until=leaves)

    def action_go(self) -> None:
        """Run on, or begin a run; a run that waits for a person goes on with the review."""
        if self._run is not None and self._run.status is RunStatus.PAUSED and not self._runs.busy:
            self._runs.reviews.action_open()
            return
        if self._waits(self.action_go):
            return
        if self._run is None or self._run.status is RunStatus.ENDED:
            self._surface.begin(self._runs.starter.ask())
        elif self._is_live():
            self._go(self._run)

    def action_to_here(self) -> None:
        """Run on until the selected node comes next."""
        node = self._surface.selected
        if self._waits(self.action_to_here):
            return
        if node is None or self._run is None:
            self._surface.say(NO_NODE, "warning")
        elif self._is_live():
            self._go(self._run, until=node)

    def _go(self, run: Run, until: str | None = None) -> None:
        """Run on, and note the command that does the same."""
        if self._runs.submit(Go(run.id, until)):
            after, kept = self._runs.pauses.nodes, bool(self._runs.breaks.entries)
            self._surface.note(Equivalents(self._context.address).resume(run.id, until, after, kept=kept))

    def action_stop(self) -> None:
        """Stop after the node that runs now, asked again abandon it; wait no longer for an import."""
        if self._runs.stop_import():
            return
        running, asked = self._runs.thread.running, self._asked_to_stop
        if running is not None and running == asked and self._runs.abandon():
            return
        self._asked_to_stop = running
        calls = self._runs.thread.calls
        self._runs.thread.stop()
        in_call = calls is not None and calls.now is not None
        stops = "stops in the middle of the call" if in_call else "stops after this node"
        again = "; {debug.stop} again abandons it" if running is not None else ""
        self._surface.say(self._surface.hints(stops + again))

    @property
    def _has_failed_node(self) -> bool:
        """Whether a node has failed, rather than its routing or the run at its step limit."""
        run = self._run
        return run is not None and run.status is RunStatus.FAILED and isinstance(run.error, NodeFailed)

    def action_retry(self, into: bool = False) -> None:
        """Try the failed part again, a node ``into`` its function in the debugger."""
        if self._waits(partial(self.action_retry, into)):
            return
        submitted = self._run is not None and self._is_live() and self._runs.submit(Retry(self._run.id, into))
        if submitted and self._run is not None and not into:  # no command opens a debugger
            self._surface.note(Equivalents(self._context.address).retry(self._run.id))

    async def action_extend(self) -> None:
        """Ask how many more steps a run may take that reached its step limit."""
        run = self._run
        if run is None or not self._is_live():
            return
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import ExtendForm

        self.extend(await self._surface.ask(FormDialog(ExtendForm(run))))

    def extend(self, steps: int | None) -> None:
        """Allow the run more steps; None where nobody wants that."""
        run = self._run
        if run is not None and steps is not None and self._runs.submit(Extend(run.id, steps)):
            self._surface.note(Equivalents(self._context.address).extend(run.id, steps))

    async def action_start_over(self) -> None:
        """Start a new run with the same inputs; where one is unfinished they can be changed first."""
        view = self._runs.shown.view
        if view is None:
            return
        if view.run.status is RunStatus.ENDED:
            await self._runs.starter.start(dict(view.inputs))
        else:
            await self._runs.starter.ask(f"Start over; run {view.run.id} is kept")

    def action_view(self, by: int) -> None:
        """View the step before or after the one that is viewed."""
        self._runs.shown.walk(by)

    def action_ask(self) -> None:
        """Ask for the inputs of a run of the graph as it is here."""
        if self._runs.put_off(self.action_ask):
            return
        if self._runs.busy:
            self._surface.say(self._runs.still, "warning")
        else:
            self._surface.begin(self._runs.starter.ask())

    def _is_live(self) -> bool:
        """Steps are taken where the run stands, as it was seen to stand: else the key only goes there."""
        if not self._runs.busy and self._runs.shown.look():
            self._runs.shown.go_live()
            self._surface.say("the run changed elsewhere: look, then press again to run it", "warning")
            return False
        if self._runs.shown.go_live():
            self._surface.say("back at the latest step; press again to run it", "warning")
            return False
        return True
