"""What drives the run of a workbench: a thread steps it, over a connection of its own, as keys ask."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.values import GraphError, GraphFileError, NodeFailed, Place, Problem, StoreError

from ...node_debugger import NodeDebugger
from ...worker import (
    Abandon,
    Decide,
    Go,
    Load,
    Retry,
    SetMode,
    Start,
    Step,
    SteppingThread,
    Try,
    Work,
    WorkFailed,
)
from .shown_run import ShownRun

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph.stores import Outage

    from ...context import AppContext
    from ...documents import OpenedGraph
    from ...worker import Halted, NodeBegan
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
        """Check whether it is time; if so, the next look is counted from now."""
        now, worked = self._now(), self._worked()
        if self._last is not None:
            passed, cost = now - self._last[0], worked - self._last[1]
            if passed < cost * _SHARE:
                return False
        self._last = now, worked
        return True


@dataclass
class ImportAsked(Message):
    """The Python module of the graph is to be imported, again if it was before."""


class RunController:
    """Lets the thread work on the run that is shown.

    Args:
        context: What the app shares.
        file: The graph file that runs are started of.
        surface: The screen, which the stepping thread sends its messages to.
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
        self.shown = ShownRun(context, surface, file, self.thread)
        """The run as it is read."""
        self.hit: Halted | None = None
        """The breakpoint at which the run halts, until it goes on."""
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
        self.work, self.busy, self.hit = work, True, None
        self._given_at = monotonic()
        self._surface.show_work()
        self._surface.clear()  # the last message is about what came before
        return True

    @property
    def is_brief(self) -> bool:
        """Whether the thread only writes something down, which is over in a moment."""
        return self.busy and isinstance(self.work, Load | Start | Decide | SetMode)

    def take_deferred(self) -> Callable[[], None] | None:
        """Return what was put off, once."""
        then, self._then = self._then, None
        return then

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
            self.look_at_thread(moved)
        return True

    def look_at_thread(self, moved: bool) -> None:
        """Take over what the thread is at, and show the run where it has moved."""
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

    def goes_on_by(self, run_id: str) -> str:
        """Name what a decision lets a run do: ``step`` or ``continue``."""
        return "step" if isinstance(self.resumed(run_id), Step) else "continue"

    def resumed(self, run_id: str) -> Go | Step:
        """Return what a decision lets a run do: what the review has interrupted, else continue."""
        work = self._interrupted
        return work if work is not None and work.run_id == run_id else Go(run_id)

    def interrupt(self, work: Work) -> None:
        """Keep what has come to a review, to continue it once that is decided."""
        if isinstance(work, Go):
            self._interrupted = work
        elif isinstance(work, Step | Retry):
            self._interrupted = Step(work.run_id)

    # The graph of new runs

    def compiled(self) -> CompiledGraph | None:
        """Compile the graph of a new run: the file as it is now, or without one that of the run shown.

        None when it cannot run; its problems are then on the screen.
        """
        try:
            is_there = self._file.path is not None or self._file.checked.graph is not None
            app = self._file.compiled() if is_there else self._from_store()
        except (GraphError, GraphFileError, StoreError) as error:
            self._surface.say(error.message, "error")
            app = None
        self._surface.show()
        if self._file.checked.errors:
            self._surface.show_pane("problems")
        return app

    def _from_store(self) -> CompiledGraph:
        shown = self.shown.view
        if shown is None:
            raise GraphFileError("there is no graph to start a run of")
        from stepgraph.runs import runnable_plan

        return runnable_plan(self._context.store, self._context.store.load(shown.run.id))


def _stopped_waiting(work: Load) -> GraphFileError:
    """Build the error of an import that nobody waits for any more."""
    file = work.ref.file
    message = f"you stopped waiting for the import of {file.name}"
    hint = "move the slow work out of its top level; what it started may continue in the background"
    problem = Problem("F013", "error", message, Place(file=str(file)), hint)
    return GraphFileError(message, [problem])
