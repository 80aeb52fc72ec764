"""What drives the run of a workbench: a thread steps it, over a connection of its own, as keys ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import DefinitionChanged, GraphFileError, NodeFailed, TrustError
from stepgraph.values.problems import Place, Problem
from stepgraph_tui import cli_equivalents
from stepgraph_tui.node_debugger import NodeDebugger
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.terms import wait_text
from stepgraph_tui.worker import (
    Adopt,
    Decide,
    Decided,
    Extend,
    Go,
    GraphLoaded,
    Load,
    NodeTried,
    Retry,
    RunStarted,
    SetMode,
    Start,
    Step,
    SteppingThread,
    Work,
    WorkDone,
    WorkFailed,
)

from .availability import NO_NODE, is_subgraph, no_function, no_such_step, refused_run
from .break_controller import BreakController
from .definition_controller import DefinitionController
from .live_controller import LiveController
from .look_pace import LookPace
from .pause_marks import PauseMarks
from .review_controller import ReviewController
from .run_starter import RunStarter
from .shown_run import ShownRun

if TYPE_CHECKING:
    from stepgraph.runs.run import Run
    from stepgraph.stores.outages import Outage
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import OpenedGraph
    from stepgraph_tui.run_view import RunView
    from stepgraph_tui.worker import NodeBegan

    from .surface import Surface


@dataclass
class ImportAsked(Message):
    """The Python module of the graph is to be imported, again if it was before."""


class RunController:
    """Lets the thread work on the run that is shown, and has what came of it shown.

    Args:
        context: What the app shares.
        file: The graph file that runs are started of.
        surface: The screen.
        post: Takes what the stepping thread tells, which is to be handed to ``hear``.
        keep: Keeps what is to be found again when the file is opened the next time.
    """

    def __init__(
        self,
        context: AppContext,
        file: OpenedGraph,
        surface: Surface,
        post: Callable[[Message], object],
        keep: Callable[[], object],
    ) -> None:
        self.busy = False
        """Whether the thread had work at the last look."""
        self.running: NodeBegan | None = None
        """The node that ran at the last look."""
        self.work: Work | None = None
        """What the thread was given last."""
        self.thread = SteppingThread(
            context.connect,
            post,
            clock=context.clock,
            ids=context.ids,
            capture=context.capture,
            answering=context.answering if context.answering is not None else context.connections,
            debugger=NodeDebugger(surface.lend_terminal, context.clock),
        )
        self.shown = ShownRun(
            context,
            surface,
            keep,
            lambda: self.definition.told,
            lambda: self.busy,
            lambda definition: file.sources if definition == file.definition else {},
        )
        """The run as it is read."""

        def view() -> RunView | None:
            return self.shown.view

        self.live = LiveController(
            context,
            surface,
            self.shown,
            self.submit,
            lambda: self.busy,
            lambda: self.starter.compiled(),
            lambda values: self.starter.start(values),
        )
        self.starter = RunStarter(context, file, surface, self.submit, view, self.live.before_start)
        self.definition = DefinitionController(file, surface, self.submit, view)
        self.reviews = ReviewController(context, surface, self.shown, self.submit)
        self.pauses = PauseMarks(surface, self.thread, keep)
        self.breaks = BreakController(context, file, surface, self.thread, view)
        self._context = context
        self._surface = surface
        self._file, self._post = file, post
        self._given_at = 0.0  # when the thread was given work, in seconds of the monotonic clock
        self._pace = LookPace()
        self._moves = 0  # of the thread, at the last look
        self._then: Callable[[], None] | None = None  # what a key asked for while the run was being started

    @property
    def seconds(self) -> float:
        """For how long the node has run."""
        return monotonic() - self.running.at if self.running is not None else 0.0

    @property
    def _import(self) -> Load | None:
        """The import of the graph's module that the thread is at; None where it is at no import."""
        return self.work if self.busy and isinstance(self.work, Load) else None

    @property
    def is_importing(self) -> bool:
        """Whether the thread imports the module of the graph."""
        return self._import is not None

    @property
    def importing(self) -> float | None:
        """For how many seconds the module of the graph has been imported; None where it is not."""
        return monotonic() - self._given_at if self.is_importing else None

    @property
    def still(self) -> str:
        """Say what the thread is still at, and what stops it."""
        if (load := self._import) is not None:
            name = visible(load.ref.file.name)
            return self._surface.hints(f"{name} is still being imported: {{debug.stop}} stops waiting for it")
        running = self.thread.running
        what = f"{visible(running.node)} is still running" if running is not None else "still busy"
        return f"{what}: {self._surface.hints('{debug.stop} stops after it')}"

    @property
    def _run(self) -> Run | None:
        return self.shown.run

    # The thread

    def submit(self, work: Work) -> bool:
        """Give the thread work; refused with a word while it has some."""
        if not self.thread.submit(work):
            self._surface.say(self.still, "warning")
            return False
        self.work, self.busy, self.breaks.hit = work, True, None
        self._given_at = monotonic()
        self._surface.show()
        self._surface.clear()  # what was said was said of what came before
        return True

    def tick(self) -> bool:
        """Look at what the thread does, as often as the screen has time for it.

        Returns:
            False where nothing was to be seen but that time passes.
        """
        moved = self._moves != self.thread.moves
        if not moved and self.busy == self.thread.busy and self.running == self.thread.running:
            return False
        if self._pace.is_due():
            self._look_at_thread(moved)
        return True

    def _look_at_thread(self, moved: bool) -> None:
        self.busy, self._moves = self.thread.busy, self.thread.moves
        if not self.busy:
            self.running = None
        elif self.thread.running is not None:  # between two nodes the one before is as good as any
            self.running = self.thread.running
        if not (moved and self.shown.look()):
            self._surface.show()

    def tell_outage(self, outage: Outage) -> None:
        """Tell that the thread waits for the store's server, and when that answers again."""
        if outage.over:
            self._surface.say("the store answers again; the run goes on")
        else:
            stops = self._surface.hints("{debug.stop} stops waiting")
            self._surface.say(f"the store {visible(outage.what)}; {stops}", "warning")

    def hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Take what the thread tells."""
        if isinstance(message, RunStarted):
            self.live.started(message.run_id)
            self.shown.open(message.run_id)
            return
        if isinstance(message, Decided):
            self.reviews.recorded(message.review, workers_go_on=message.workers_go_on)
        else:
            self._surface.clear()  # what was said was said while it worked
        hit = message.hit if isinstance(message, WorkDone) else None
        self.breaks.hit = hit
        self._look_at_thread(not isinstance(message, NodeTried | GraphLoaded))
        then, self._then = self._then, None
        if isinstance(message, WorkDone):
            self._finish(message)
        elif isinstance(message, WorkFailed):
            self._tell_failure(message, then)
        elif isinstance(message, Decided) and message.review.decision is not None:
            run_id = message.review.run_id
            continues = self._context.settings.auto_continue and not message.workers_go_on
            if continues and self._run is not None and self._run.id == run_id:
                self._go(Go(run_id))
        if then is not None and not (self.busy or hit is not None or isinstance(message, WorkFailed)):
            then()

    def _go(self, work: Go) -> None:
        """Go on with the run by itself, unless a person is to be asked about its models."""
        if not self.live.asks(partial(self._go, work)):
            self.submit(work)

    def _finish(self, message: WorkDone) -> None:
        run = self._run
        if message.halt == "paused":
            self._ask()
        elif message.halt == "failed":
            if run is not None and run.current is not None:
                self._surface.select(run.current)
                failed_routing = not isinstance(run.error, NodeFailed)
                self._surface.show_pane("why" if failed_routing else "node", focus=False)
            if isinstance(message.work, Retry):
                self._surface.say("it was tried again, but failed again", "warning")
            if self.live.advice:
                self._surface.say(self.live.advice, "warning")
        elif isinstance(message.work, Adopt):
            self._surface.say("the run goes by the file as it is here from now on")
        elif isinstance(message.work, SetMode):
            self._surface.say(self.live.told(message.work.mode))
        elif message.halt in {"stopped", "reached", "hit"} and run is not None:
            self._surface.say(f"stopped before {visible(run.current or '')}")
        if message.hit is not None:
            self._surface.say(message.hit.text, "warning")

    def _ask(self) -> None:
        """Open the review that the run has come to; what waits for a time asks nobody."""
        pending = self.shown.view.pending if self.shown.view is not None else None
        if pending is not None and pending.is_wait:
            self._surface.say(f"{visible(pending.node)} {wait_text(pending)}")
        else:
            self.reviews.open()

    def _tell_failure(self, message: WorkFailed, then: Callable[[], None] | None) -> None:
        work, error = message.work, message.error
        if isinstance(error, TrustError):
            self.starter.ask_for_trust(work, then)
        elif isinstance(work, Decide):
            self.reviews.refused(error)
        elif isinstance(error, DefinitionChanged) and self.definition.told is not None:
            self._surface.say(f"{self.definition.told}, and adopts it", "warning")
        elif not isinstance(work, Load):  # whoever has it imported tells
            self._surface.tell_error(error)

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether a key works; where it does not, it is not offered, or there is a reason."""
        if verb == "view":
            return no_such_step(self.shown.moment, earlier=arguments == (-1,)) or True
        if arguments == (True,):  # step into: the node that comes next, or the one that has failed
            refused = no_function(self._run)
            if refused and not self._inside_of_next():
                return refused
            verb = "retry" if self._has_failed_node else verb
        running = self.thread.running
        node = running.node if running is not None else None
        if self._is_brief and verb in {"step", "go", "to_here"}:
            return True  # it is put off for that moment
        pending = self.shown.view.pending if self.shown.view is not None else None
        hints = self._surface.hints
        refused = refused_run(verb, self._run, busy=self.busy, running=node, pending=pending, hints=hints)
        return refused or True

    @property
    def _is_brief(self) -> bool:
        """Whether the thread only writes something down, which is over in a moment."""
        return self.busy and isinstance(self.work, Load | Start | Decide | SetMode)

    def _waits(self, action: Callable[[], None]) -> bool:
        """Do it later: once the thread has written something down, or once models may be asked."""
        if self._is_put_off(action):
            return True
        run = self._run
        return run is not None and run.status is not RunStatus.ENDED and self.live.asks(action)

    def _is_put_off(self, action: Callable[[], None]) -> bool:
        """Do it once the thread has written something down, or imported the graph that is not there yet."""
        if not self.busy and self._run is None and self._file.to_import is not None:
            self._then = action
            self._post(ImportAsked())
            return True
        if self._is_brief:
            self._then = self._then or action
        return self._is_brief

    def action_step(self, into: bool = False) -> None:
        """Run exactly one node, ``into`` its function in the debugger; without a run, ask for the inputs.

        What is stepped into may have failed: that is where a debugger is wanted most.
        """
        if self._waits(partial(self.action_step, into)):
            return
        if self._run is None:
            self.starter.ask(then=partial(self.action_step, into) if into else None)
        elif into and self._is_live() and self._goes_inside(self._run):
            return
        elif into and self._has_failed_node:
            self.action_retry(into)
        elif self._is_live() and self.submit(Step(self._run.id, into and not no_function(self._run))):
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
        run, view = self._run, self.shown.view
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
        run, view, inside = self._run, self.shown.view, self._surface.inside
        around = view.plan.around(run.current or "") if run is not None and view is not None else ()
        if run is None or not around:
            self._surface.say("the run is not inside of a subgraph")
            return
        leaves = f"{around[-1]}/END"
        if inside == around[-1]:
            self._surface.draw_inside(inside.rpartition("/")[0])
        if run.current == leaves:
            self.action_step()
        elif self._is_live() and run.status is RunStatus.READY and self.submit(Go(run.id, until=leaves)):
            self._surface.note(
                cli_equivalents.resume(run.id, self._context.address, leaves, self.pauses.nodes)
            )

    def action_go(self) -> None:
        """Run on, or begin a run."""
        if self._waits(self.action_go):
            return
        if self._run is None or self._run.status is RunStatus.ENDED:
            self.starter.ask()
        elif self._is_live() and self.submit(Go(self._run.id)):
            self._surface.note(
                cli_equivalents.resume(
                    self._run.id,
                    self._context.address,
                    after=self.pauses.nodes,
                    kept=bool(self.breaks.entries),
                )
            )

    def action_to_here(self) -> None:
        """Run on until the selected node comes next."""
        node = self._surface.selected
        if self._waits(self.action_to_here):
            return
        if node is None or self._run is None:
            self._surface.say(NO_NODE, "warning")
        elif self._is_live() and self.submit(Go(self._run.id, until=node)):
            self._surface.note(
                cli_equivalents.resume(
                    self._run.id,
                    self._context.address,
                    node,
                    self.pauses.nodes,
                    kept=bool(self.breaks.entries),
                )
            )

    def action_stop(self) -> None:
        """Stop after the node that runs now; wait no longer for an import."""
        if (load := self._import) is not None:
            self.thread.abandon()
            self._post(WorkFailed(load, _stopped_waiting(load)))
            return
        calls = self.thread.calls
        self.thread.stop()
        in_call = calls is not None and calls.now is not None
        self._surface.say("stops in the middle of the call" if in_call else "stops after this node")

    @property
    def _has_failed_node(self) -> bool:
        """Whether a node has failed, rather than its routing or the run at its cap."""
        run = self._run
        return run is not None and run.status is RunStatus.FAILED and isinstance(run.error, NodeFailed)

    def action_retry(self, into: bool = False) -> None:
        """Try the failed part again, a node ``into`` its function in the debugger."""
        if self._waits(partial(self.action_retry, into)):
            return
        if self._run is not None and self._is_live() and self.submit(Retry(self._run.id, into)):
            self._surface.note(cli_equivalents.retry(self._run.id, self._context.address))

    def action_extend(self) -> None:
        """Ask how many more steps a run may take that reached its cap."""
        run = self._run
        if run is None or not self._is_live():
            return
        from stepgraph_tui.dialogs.extend_form import ExtendForm
        from stepgraph_tui.dialogs.forms import FormDialog

        self._surface.ask(FormDialog(ExtendForm(run)), self.extend)

    def extend(self, steps: int | None) -> None:
        """Allow the run more steps; None where nobody wants that."""
        run = self._run
        if run is not None and steps is not None and self.submit(Extend(run.id, steps)):
            self._surface.note(cli_equivalents.extend(run.id, steps, self._context.address))

    def action_start_over(self) -> None:
        """Start a new run with the same inputs; where one is unfinished they can be changed first."""
        view = self.shown.view
        if view is None:
            return
        if view.run.status is RunStatus.ENDED:
            self.starter.start(dict(view.inputs))
        else:
            self.starter.ask(f"Start over; run {view.run.id} is kept")

    def action_view(self, by: int) -> None:
        """View the step before or after the one that is viewed."""
        self.shown.walk(by)

    def action_ask(self) -> None:
        """Ask for the inputs of a run of the graph as it is here."""
        if self._is_put_off(self.action_ask):
            return
        if self.busy:
            self._surface.say(self.still, "warning")
        else:
            self.starter.ask()

    def _is_live(self) -> bool:
        """Steps are taken where the run stands, as it was seen to stand: else the key only goes there."""
        if not self.busy and self.shown.look():
            self.shown.go_live()
            self._surface.say("the run changed elsewhere: look, then press again to run it", "warning")
            return False
        if self.shown.go_live():
            self._surface.say("back at the latest step; press again to run it", "warning")
            return False
        return True


def _stopped_waiting(work: Load) -> GraphFileError:
    """Say that nobody waits for an import any more."""
    file = work.ref.file
    message = f"you stopped waiting for the import of {file.name}"
    hint = "mend what takes so long at the top of it; what it has begun may go on in the background"
    problem = Problem("F013", "error", message, Place(file=str(file)), hint)
    return GraphFileError(message, [problem])
