"""What drives the run of a workbench: a thread steps it, over a connection of its own, as keys ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.graphs import END
from stepgraph.values import DefinitionChanged, GraphFileError, NodeFailed, Place, Problem, TrustError

from ...node_debugger import NodeDebugger
from ...text.reviews import wait_text
from ...worker import (
    Abandon,
    Adopt,
    Decide,
    Decided,
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
    Try,
    Work,
    WorkDone,
    WorkFailed,
)
from .break_controller import BreakController
from .design_controller import DefinitionController
from .review_controller import ReviewController
from .run_starter import RunStarter
from .shown_run import ShownRun
from .state_controller import LiveController
from .step_controller import NO_NODE

if TYPE_CHECKING:
    from stepgraph.nodes import SourceLines
    from stepgraph.runs import Run
    from stepgraph.stores import Outage

    from ...context import AppContext
    from ...documents import OpenedGraph
    from ...worker import NodeBegan
    from .surface import Surface


EVERY = 0.1
"""The seconds between two looks at the least: more pictures a second show nobody more."""
_SHARE = 4
"""Looking, and painting what was seen, takes a quarter of the time at most: the nodes need the rest."""


class LookPace:
    """Says when to look again: ten times a second, and less often where a look costs much.

    It goes by time and never by steps, so a fast run is looked at as often as a slow one, and keys are
    answered in between. What a look costs is what the asking thread has worked since, painting included.

    Args:
        now: What tells the time, in seconds.
        worked: For how long the thread that asks has worked, in seconds.
    """

    def __init__(
        self, now: Callable[[], float] = time.monotonic, worked: Callable[[], float] = time.thread_time
    ) -> None:
        self._now, self._worked = now, worked
        self._last: tuple[float, float] | None = None

    def is_due(self) -> bool:
        """Check whether it is time, and if so take it that the look is taken now."""
        now, worked = self._now(), self._worked()
        if self._last is not None:
            passed, cost = now - self._last[0], worked - self._last[1]
            if passed < cost * _SHARE:
                return False
        self._last = now, worked
        return True


class PauseMarks:
    """Marks nodes, and hands the marks to what drives the run.

    Args:
        surface: The screen.
        thread: Drives the run.
    """

    def __init__(self, surface: Surface, thread: SteppingThread) -> None:
        self._surface, self._thread = surface, thread

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that are marked."""
        return self._thread.pause_after

    def toggle(self, node: str) -> None:
        """Mark a node, or take its mark off it."""
        if node == END:
            self._surface.say("a run ends at END: it cannot pause there", "warning")
            return
        self._set(self.nodes ^ {node})
        self._surface.show()
        on = node in self.nodes
        said = "marked: {debug.go} pauses after it" if on else "unmarked: {debug.go} runs on after it"
        self._surface.say(f"{node} is {self._surface.hints(said)}")

    def rename(self, old: str, new: str) -> None:
        """Keep the mark on a node that has another name now."""
        if old in self.nodes:
            self._set(self.nodes - {old} | {new})

    def _set(self, nodes: frozenset[str]) -> None:
        self._thread.pause_after = nodes
        self._surface.keep_place()

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether the key works; where nothing is selected it says so."""
        return True

    def action_toggle(self) -> None:
        """Mark the selected node (in the trace: the step's), or take the mark off it."""
        node = self._surface.pointed_at
        if node is None:
            self._surface.say(NO_NODE, "warning")
        else:
            self.toggle(node)


@dataclass
class ImportAsked(Message):
    """The Python module of the graph is to be imported, again if it was before."""


class RunController:
    """Lets the thread work on the run that is shown, and has what came of it shown.

    Args:
        context: What the app shares.
        file: The graph file that runs are started of.
        surface: The screen: what the stepping thread tells it is to be handed to ``hear``.
    """

    def __init__(self, context: AppContext, file: OpenedGraph, surface: Surface) -> None:
        self.busy = False
        """Whether the thread had work at the last look."""
        self.running: NodeBegan | None = None
        """The node that ran at the last look."""
        self.work: Work | None = None
        """What the thread was given last."""
        self.thread = SteppingThread(
            context.connect,
            surface.post_message,
            clock=context.clock,
            ids=context.ids,
            capture=context.capture,
            answering=context.answering if context.answering is not None else context.connections,
            debugger=NodeDebugger(surface.lend_terminal, context.clock),
        )
        self.shown = ShownRun(context, surface, self)
        """The run as it is read."""
        self.live = LiveController(context, surface, self)
        self.starter = RunStarter(context, file, surface, self)
        self.definition = DefinitionController(file, surface, self)
        self.reviews = ReviewController(context, surface, self)
        self.pauses = PauseMarks(surface, self.thread)
        self.breaks = BreakController(context, file, surface, self)
        self._context = context
        self._surface = surface
        self._file = file
        self._given_at = 0.0  # when the thread was given work, in seconds of the monotonic clock
        self._pace = LookPace()
        self._moves = 0  # of the thread, at the last look
        self._interrupted: Go | Step | None = None  # what came to the review that waits
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
        """Describe what the thread is still doing, and what stops it."""
        if (load := self._import) is not None:
            name = load.ref.file.name
            return self._surface.hints(f"{name} is still being imported: {{debug.stop}} stops waiting for it")
        running = self.thread.running
        what = f"{running.node} is still running" if running is not None else "still busy"
        return f"{what}: {self._surface.hints('{debug.stop} stops after it')}"

    @property
    def _run(self) -> Run | None:
        return self.shown.run

    # The thread

    def submit(self, work: Work) -> bool:
        """Queue work for the thread; refused with a message while it is busy."""
        if not self.thread.submit(work):
            self._surface.say(self.still, "warning")
            return False
        self.work, self.busy, self.breaks.hit = work, True, None
        self._given_at = monotonic()
        self._surface.show()
        self._surface.clear()  # what was said was said of what came before
        return True

    @property
    def is_brief(self) -> bool:
        """Whether the thread only writes something down, which is over in a moment."""
        return self.busy and isinstance(self.work, Load | Start | Decide | SetMode)

    def put_off(self, action: Callable[[], None]) -> bool:
        """Defer an action until the commit is done, or the missing graph is imported.

        Returns:
            Whether it is put off; False where nothing is in its way.
        """
        if not self.busy and self._run is None and self._file.to_import is not None:
            self._then = action
            self._surface.post_message(ImportAsked())
            return True
        if self.is_brief:
            self._then = self._then or action
        return self.is_brief

    def stop_import(self) -> bool:
        """Wait no longer for an import; False where there is none."""
        load = self._import
        if load is not None:
            self.thread.abandon()
            self._surface.post_message(WorkFailed(load, _stopped_waiting(load)))
        return load is not None

    def abandon(self) -> bool:
        """Wait no longer for the node that runs, and fail its visit; False where none of the run does."""
        self.shown.look()
        running, run, work = self.thread.running, self._run, self.work
        if running is None or work is None:
            return False
        if isinstance(work, Try):
            self.thread.abandon()
            self._surface.post_message(WorkFailed(work, NodeFailed(f"node {running.node!r} was abandoned")))
            return True
        if run is None or run.id != running.run_id:
            return False
        self.thread.abandon()
        return self.submit(Abandon(run.id, run.version, monotonic() - running.at))

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
        """Show that the thread waits for the store's server, and when that answers again."""
        if outage.over:
            self._surface.say("the store answers again; the run continues")
        else:
            stops = self._surface.hints("{debug.stop} stops waiting")
            self._surface.say(f"the store {outage.what}; {stops}", "warning")

    def hear(self, message: RunStarted | WorkDone | Decided | WorkFailed | NodeTried | GraphLoaded) -> None:
        """Handle a message of the thread."""
        if isinstance(message, RunStarted):
            self.live.started(message.run_id)
            self.shown.open(message.run_id)
            return
        if isinstance(message, Decided):
            self.reviews.recorded(message)
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
        elif isinstance(message, Decided) and message.goes_on:
            run_id = message.review.run_id
            if self._run is not None and self._run.id == run_id:
                self._go(self._resumed(run_id))
        if then is not None and not (self.busy or hit is not None or isinstance(message, WorkFailed)):
            then()

    def goes_on_by(self, run_id: str) -> str:
        """Name what a decision lets a run do: ``step`` or ``continue``."""
        return "step" if isinstance(self._resumed(run_id), Step) else "continue"

    def sources(self, definition: str) -> Mapping[str | int, SourceLines]:
        """Return the lines of a graph's predicates, by the hash of its definition; none of another graph."""
        file = self._file
        return file.sources if definition == file.checked.definition else {}

    def _resumed(self, run_id: str) -> Go | Step:
        """Return what a decision lets a run do: what the review has interrupted, else continue."""
        work = self._interrupted
        return work if work is not None and work.run_id == run_id else Go(run_id)

    def _go(self, work: Go | Step) -> None:
        """Continue with the run by itself, unless a person is to be asked about its models."""
        if not self.live.asks(partial(self._go, work)):
            self.submit(work)

    def _finish(self, message: WorkDone) -> None:
        run = self._run
        if message.halt == "paused":
            self._interrupt(message.work)
            self._ask()
        elif message.halt == "failed":
            if run is not None and run.current is not None:
                self._surface.select(run.current)
                failed_routing = not isinstance(run.error, NodeFailed)
                self._surface.show_pane("why" if failed_routing else "node", focus=False)
            if (said := _OF_A_FAILURE.get(type(message.work))) is not None:
                self._surface.say(said, "warning")
            if self.live.advice:
                self._surface.say(self.live.advice, "warning")
        elif isinstance(message.work, Adopt):
            self._surface.say("the run uses this version of the file from now on")
        elif isinstance(message.work, SetMode):
            self._surface.say(self.live.told(message.work.mode))
        elif message.halt in {"stopped", "reached", "hit"} and run is not None:
            self._surface.say(f"stopped before {run.current or ''}")
        if message.hit is not None:
            self._surface.say(message.hit.text, "warning")

    def _interrupt(self, work: Work) -> None:
        """Keep what has come to a review, to continue it once that is decided."""
        if isinstance(work, Go):
            self._interrupted = work
        elif isinstance(work, Step | Retry):
            self._interrupted = Step(work.run_id)

    def _ask(self) -> None:
        """Open the review that the run has come to; what waits for a time asks nobody."""
        pending = self.shown.view.pending if self.shown.view is not None else None
        if pending is not None and pending.is_wait:
            self._surface.say(f"{pending.node} {wait_text(pending)}")
        else:
            self.reviews.open()

    async def _ask_for_trust(self, work: Work, then: Callable[[], None] | None) -> None:
        if await self.starter.ask_for_trust(work) and then is not None:
            then()

    def _tell_failure(self, message: WorkFailed, then: Callable[[], None] | None) -> None:
        work, error = message.work, message.error
        if isinstance(error, TrustError):
            self._surface.begin(self._ask_for_trust(work, then))
        elif isinstance(work, Decide):
            self.reviews.refused(error)
        elif isinstance(error, DefinitionChanged) and self.definition.told is not None:
            self._surface.say(f"{self.definition.told}, and adopts it", "warning")
        elif not isinstance(work, Load):  # whoever has it imported tells
            self._surface.tell_error(error)


_OF_A_FAILURE: Mapping[type, str] = {
    Retry: "it was retried, and failed again",
    Abandon: "it was abandoned: what it still returns is thrown away",
}


def _stopped_waiting(work: Load) -> GraphFileError:
    """Show that nothing waits for an import any more."""
    file = work.ref.file
    message = f"you stopped waiting for the import of {file.name}"
    hint = "move the slow work out of its top level; what it started may continue in the background"
    problem = Problem("F013", "error", message, Place(file=str(file)), hint)
    return GraphFileError(message, [problem])
