"""The keys that move a run: step, go on, stop, try again, start over; and the loop doctor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.stores import Outcome, RunStatus
from stepgraph.values import NodeFailed, StepgraphError

from ...cli_equivalents import Equivalents
from ...worker import Extend, Go, NodeBegan, Retry, Step
from .refusals import NO_NODE, NO_RUN, is_subgraph, no_function, no_such_step, refused_run

if TYPE_CHECKING:
    from stepgraph.runs import Run

    from ...context import AppContext
    from .review_controller import ReviewController
    from .run_controller import RunController
    from .run_starter import RunStarter
    from .surface import Surface


class StepController:
    """Gives the thread work on the run that is shown, as keys ask for it.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the thread, and the run.
        starter: Starts runs.
        reviews: Opens the review that a run waits for.
    """

    def __init__(
        self,
        context: AppContext,
        surface: Surface,
        runs: RunController,
        starter: RunStarter,
        reviews: ReviewController,
    ) -> None:
        self._context, self._surface, self._runs = context, surface, runs
        self._starter, self._reviews = starter, reviews
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
        return run is not None and run.status is not RunStatus.ENDED and self._starter.live.asks(action)

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
        if await self._starter.ask() and into:
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
            self._reviews.action_open()
            return
        if self._waits(self.action_go):
            return
        if self._run is None or self._run.status is RunStatus.ENDED:
            self._surface.begin(self._starter.ask())
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
            after, kept = self._runs.thread.pause_after, bool(self._runs.thread.breakpoints.items)
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
            await self._starter.start(dict(view.inputs))
        else:
            await self._starter.ask(f"Start over; run {view.run.id} is kept")

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
            self._surface.begin(self._starter.ask())

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


class LoopController:
    """Shows why a run goes round and round, at any moment of it.

    Args:
        surface: The screen.
        runs: The run.
        steps: Allows it more steps.
    """

    def __init__(self, surface: Surface, runs: RunController, steps: StepController) -> None:
        self._surface = surface
        self._runs, self._steps = runs, steps

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether there is anything to look at: a node that came back."""
        view = self._runs.shown.view
        if view is None:
            return self._surface.hints(NO_RUN)
        came_back = len(view.steps) > len(view.plan.nodes) or any(n > 1 for n in view.run.visits.values())
        return came_back or "no node has come back yet: there is no loop"

    async def action_show(self) -> None:
        """Show what the run goes round."""
        from stepgraph_tui.dialogs.run_pages import LoopPage
        from stepgraph_tui.text.loops import NOTHING
        from stepgraph_tui.view.loops import loop_of

        view = self._runs.shown.view
        if view is None:
            return
        run = view.run
        try:
            loop = loop_of(run, view.mask, view.steps)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        if loop is None:
            self._surface.say(NOTHING)
            return
        is_capped = run.outcome is Outcome.MAX_STEPS and not self._runs.busy
        more = run.plan.settings.max_steps if is_capped else 0
        self._steps.extend(await self._surface.ask(LoopPage(loop, self._surface.copy, more)))
