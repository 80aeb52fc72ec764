"""The keys that move a run: step, go on, stop, try again, start over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import NodeFailed
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible
from stepgraph_tui.worker import Extend, Go, Retry, Step

from .availability import NO_NODE, is_subgraph, no_function, no_such_step, refused_run

if TYPE_CHECKING:
    from stepgraph.runs.run import Run
    from stepgraph_tui.context import AppContext

    from .run_controller import RunController
    from .surface import Surface


class StepController:
    """Gives the thread work on the run that is shown, as keys ask for it.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the thread, and the run.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context, self._surface, self._runs = context, surface, runs

    @property
    def _run(self) -> Run | None:
        return self._runs.shown.run

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether a key works; where it does not, it is not offered, or there is a reason."""
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
        """Do it later: once the thread has written something down, or once models may be asked."""
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
            self._runs.starter.ask(then=partial(self.action_step, into) if into else None)
        elif into and self._is_live() and self._goes_inside(self._run):
            return
        elif into and self._has_failed_node:
            self.action_retry(into)
        elif self._is_live() and self._runs.submit(Step(self._run.id, into and not no_function(self._run))):
            self._surface.note(cli_equivalents.step(self._run.id, self._context.address))

    def _goes_inside(self, run: Run) -> bool:
        """Draw the inside of the subgraph at which the run stands; True where that is all there is to do."""
        node = self._inside_of_next()
        if not node:
            return False
        self._surface.draw_inside(node)
        if node == run.current:  # and now it goes in
            return False
        self._surface.say(f"this is the inside of {visible(node)}")
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
        """Run on, or begin a run."""
        if self._waits(self.action_go):
            return
        if self._run is None or self._run.status is RunStatus.ENDED:
            self._runs.starter.ask()
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
            self._surface.note(cli_equivalents.resume(run.id, self._context.address, until, after, kept=kept))

    def action_stop(self) -> None:
        """Stop after the node that runs now; wait no longer for an import."""
        if self._runs.stop_import():
            return
        calls = self._runs.thread.calls
        self._runs.thread.stop()
        in_call = calls is not None and calls.now is not None
        self._surface.say("stops in the middle of the call" if in_call else "stops after this node")

    @property
    def _has_failed_node(self) -> bool:
        """Whether a node has failed, rather than its routing or the run at its step limit."""
        run = self._run
        return run is not None and run.status is RunStatus.FAILED and isinstance(run.error, NodeFailed)

    def action_retry(self, into: bool = False) -> None:
        """Try the failed part again, a node ``into`` its function in the debugger."""
        if self._waits(partial(self.action_retry, into)):
            return
        if self._run is not None and self._is_live() and self._runs.submit(Retry(self._run.id, into)):
            self._surface.note(cli_equivalents.retry(self._run.id, self._context.address))

    def action_extend(self) -> None:
        """Ask how many more steps a run may take that reached its step limit."""
        run = self._run
        if run is None or not self._is_live():
            return
        from stepgraph_tui.dialogs.extend_form import ExtendForm
        from stepgraph_tui.dialogs.forms import FormDialog

        self._surface.ask(FormDialog(ExtendForm(run)), self.extend)

    def extend(self, steps: int | None) -> None:
        """Allow the run more steps; None where nobody wants that."""
        run = self._run
        if run is not None and steps is not None and self._runs.submit(Extend(run.id, steps)):
            self._surface.note(cli_equivalents.extend(run.id, steps, self._context.address))

    def action_start_over(self) -> None:
        """Start a new run with the same inputs; where one is unfinished they can be changed first."""
        view = self._runs.shown.view
        if view is None:
            return
        if view.run.status is RunStatus.ENDED:
            self._runs.starter.start(dict(view.inputs))
        else:
            self._runs.starter.ask(f"Start over; run {view.run.id} is kept")

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
            self._runs.starter.ask()

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
