"""The stepping thread, and the work that it can be given."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepgraph.runs import NO_LIMITS, SCRIPTED, RunMode, SpendingLimits
from stepgraph.runs.debug import LiveBreakpoints
from stepgraph.stores import ServerStore
from stepgraph.values import StepgraphError, error_detail

from ..store_look import release
from .calls import Progress, StoreWaits, WorkFailed
from .capture import Capture

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.expressions import Changes
    from stepgraph.files import GraphRef
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Decision
    from stepgraph.runs import Answering, Clock
    from stepgraph.runs.debug import Breakpoint
    from stepgraph.stores import Outage, StateStore
    from stepgraph.values import Json

    from ..node_debugger import NodeDebugger
    from .calls import NodeBegan, VisitCalls
    from .worker import Worker


class SteppingThread:
    """Runs nodes, one at a time, in a daemon thread that owns the executor and its store connection.

    A plain thread, for nothing may wait for a node that hangs: the process ends without it.

    Args:
        connect: Opens the thread's store connection; called in the thread, at the first work. The thread
            closes it, unless it is a store in memory, which others share.
        post: Tells the app; called from threads.
        clock: What tells the time; the standard ``time`` module when None.
        ids: Makes an id from a prefix; random ones when None.
        capture: Takes what node code prints; it is left alone when None.
        answering: The models and tools that nodes may call; there are none when None.
        debugger: Gets a debugger in node code the terminal; there is none for it when None.
    """

    def __init__(
        self,
        connect: Callable[[], StateStore],
        post: Callable[[Message], object],
        *,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        capture: Capture | None = None,
        answering: Answering | None = None,
        debugger: NodeDebugger | None = None,
    ) -> None:
        self.idle = threading.Event()
        """Set while nothing is being done and all is reported; tests wait for it."""
        self.breakpoints = LiveBreakpoints()
        """Where a continued run halts; they may be replaced at any time, also while it runs."""
        self._connect = connect
        self._to_app = post
        self._clock = clock
        self._ids = ids
        self._capture = capture if capture is not None else Capture(prints=False)
        self._answering = answering
        self._debugger = debugger
        self._progress = Progress()
        self._own = threading.local()  # the worker of each thread: an abandoned one keeps its own
        self._lock = threading.Lock()
        self._busy = False
        self._closed = False
        self._stop = threading.Event()
        self._stop_call = threading.Event()  # only a person does that: leaving records nothing
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self.idle.set()
        self._start_thread()

    @property
    def busy(self) -> bool:
        """Whether it has work."""
        return self._busy

    @property
    def pause_after(self) -> frozenset[str]:
        """The nodes after which a continued run halts in any case; they are breakpoints like any other."""
        return frozenset(each.node for each in self.breakpoints.items if _pauses(each))

    @pause_after.setter
    def pause_after(self, nodes: frozenset[str]) -> None:
        from stepgraph.runs.debug import Breakpoint

        kept = [each for each in self.breakpoints.items if not _pauses(each)]
        self.breakpoints.items = (*kept, *(Breakpoint("after", node) for node in sorted(nodes)))

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Take the breakpoints that are kept by their ids; the nodes to pause after stay."""
        items = self.breakpoints.items
        self.breakpoints.items = (*breakpoints, *(each for each in items if not each.id))

    @property
    def running(self) -> NodeBegan | None:
        """The node that runs now, if one does."""
        return self._progress.running

    @property
    def calls(self) -> VisitCalls | None:
        """The calls to models and tools of the node that runs; None while none runs."""
        calls = self._progress.calls
        return calls() if calls is not None and self._progress.running is not None else None

    @property
    def moves(self) -> int:
        """How often it has moved a run on in the store; whoever looks sees by it whether there is news."""
        return self._progress.moves

    def submit(self, work: Work) -> bool:
        """Queue work.

        Returns:
            False when it has some already, or is closed: nothing was taken.
        """
        with self._lock:
            if self._busy or self._closed:
                return False
            self._busy = True
            self.idle.clear()
            self._stop.clear()
            self._stop_call.clear()
            self._queue.put(work)
            return True

    def stop(self) -> None:
        """Stop in the middle of the call that lasts, else after the node that runs now."""
        self._stop.set()
        self._stop_call.set()

    def abandon(self) -> None:
        """Leave the work to itself and be idle: it reports nothing any more, whenever it ends.

        Nobody can end a thread from outside. What it would still record is refused once its run has moved on.
        """
        with self._lock:
            if self._busy and not self._closed:
                self._queue.put(None)
                self._queue = queue.SimpleQueue()
                self._progress = Progress()  # the other thread writes to its own
                self._start_thread()
                self._busy = False
                self.idle.set()

    def _start_thread(self) -> None:
        run, name = self._run, "stepgraph-stepping"
        threading.Thread(target=run, args=(self._queue,), name=name, daemon=True).start()

    def close(self) -> None:
        """Accept no more work, and report nothing more. A node that runs is left to itself.

        Its step is recorded when it ends before the process does.
        """
        with self._lock:
            if not self._closed:
                self._closed = True
                self._stop.set()
                self._queue.put(None)

    def _run(self, own: queue.SimpleQueue[Work | None]) -> None:
        """Run one piece of work after the other; this is the thread."""
        while (work := own.get()) is not None:
            last = self._outcome(work)
            self._capture.flush()
            with self._lock:
                if own is not self._queue:
                    continue  # it was abandoned, and so is what came of it
                self._busy = False  # who hears the last message may answer it with more work
            self._post(last)
            with self._lock:
                if not self._busy:
                    self.idle.set()
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is not None:
            release(worker.store)

    def _outcome(self, work: Work) -> Message:
        """Run the work. This is the one boundary that no error passes: the thread outlives them all."""
        try:
            return self._worker_now().perform(work)
        except StepgraphError as error:
            failure = error
        except (
            BaseException
        ) as error:  # a bug, of ours or of a store's; SystemExit would end the thread unseen
            failure = StepgraphError(
                f"this is a bug in Stepgraph: {type(error).__name__}{error_detail(error)}",
                hint="please report it",
            )
            failure.__cause__ = error
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is not None:
            worker.forget()
        return WorkFailed(work, failure)

    def _worker_now(self) -> Worker:
        worker: Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            from .worker import Worker

            store = self._connect()
            if isinstance(store, ServerStore):
                store.on_outage = self._wait_for_store
            worker = self._own.worker = Worker(
                store,
                self._progress,
                self._post,
                self._stop.is_set,
                self._stop_call.is_set,
                self.breakpoints,
                self._capture,
                clock=self._clock,
                ids=self._ids,
                answering=self._answering,
                debugger=self._debugger,
            )
        return worker

    def _wait_for_store(self, outage: Outage) -> bool:
        """Report that the store's server does not answer, and wait for it until the thread is stopped."""
        self._post(StoreWaits(outage))
        return not self._stop.is_set()

    def _post(self, message: Message) -> None:
        if self._closed:
            return
        try:
            self._to_app(message)
        except RuntimeError:  # the app ended between the question and the post, and its loop with it
            return


def _pauses(breakpoint: Breakpoint) -> bool:
    """Check whether it halts after a node, whatever the state and whoever drives."""
    plain = breakpoint.when is None and breakpoint.log is None and not breakpoint.is_counted
    return plain and breakpoint.kind == "after" and breakpoint.enabled and not breakpoint.id


@dataclass(frozen=True, slots=True)
class Start:
    """Create a run, ready at its first node. Nothing runs yet."""

    app: CompiledGraph
    values: Mapping[str, Json]
    run_id: str | None = None
    by: str = ""
    """Who starts it."""
    mode: RunMode = SCRIPTED
    """Who answers in it."""
    limits: SpendingLimits = NO_LIMITS
    """How much it may spend, where that is not what its graph says."""


@dataclass(frozen=True, slots=True)
class Step:
    """Run exactly one node."""

    run_id: str
    into: bool = False
    """Whether its Python function is opened in the debugger, at the terminal."""


@dataclass(frozen=True, slots=True)
class Go:
    """Run on until the end, a pause, a failure, a mark, or until somebody asks to stop."""

    run_id: str
    until: str | None = None
    """Stop also when this node comes next."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try the failed part of a run again, once."""

    run_id: str
    into: bool = False
    """Whether the Python function of the failed node is opened in the debugger, at the terminal."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """Fail the visit of a node that does not come back. What it still returns finds the run moved on."""

    run_id: str
    version: int
    """The version of the run at which the node began; one that was moved on since is left as it is."""
    seconds: float
    """For how long the node had run."""


@dataclass(frozen=True, slots=True)
class Extend:
    """Allow a run more steps. Nothing runs."""

    run_id: str
    steps: int


@dataclass(frozen=True, slots=True)
class Adopt:
    """Move a run to another version of its graph. Nothing runs."""

    run_id: str
    app: CompiledGraph


@dataclass(frozen=True, slots=True)
class EditState:
    """Change the state of a run between two steps. A review that waits is withdrawn, and asked again."""

    run_id: str
    version: int
    """The version of the run that the person looked at; a run that was moved on since is left as it is."""
    changes: Changes
    by: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SetMode:
    """Change a run's mode. Nothing runs."""

    run_id: str
    mode: RunMode
    by: str
    limits: SpendingLimits = NO_LIMITS
    """How much it may spend; what is None stays as it was."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Fork a past step into a new run. Nothing runs."""

    run_id: str
    at: int | None
    """The step; None where the run stands."""
    values: Mapping[str, Json]
    """Keys to set at once; None takes one away."""
    by: str = ""
    new_id: str | None = None


@dataclass(frozen=True, slots=True)
class Decide:
    """Record a person's decision. Nothing runs."""

    run_id: str
    review: str
    decision: Decision
    expect_hash: str
    goes_on: bool = False
    """Whether the run is to continue once it is decided."""


@dataclass(frozen=True, slots=True)
class Try:
    """Run one node with a state of one's choice. There is no run of it, and nothing is recorded."""

    app: CompiledGraph
    node: str
    values: Mapping[str, Json]
    """The state, over the declared defaults; None takes a default away."""
    step: int = 1
    """The number of the step that it is taken for."""
    visit: int = 1
    visits: Mapping[str, int] = field(default_factory=dict)
    """How often each other node was visited before."""
    previous_output: str | None = None
    """What the node put out on the visit before."""
    last_output: str = ""
    """What the node before it put out."""
    decision: Decision | None = None
    """What a person decides where the node asks."""
    live: bool = False
    """Whether models are asked, also by a node that has scripted replies."""


@dataclass(frozen=True, slots=True)
class Load:
    """Import a Python module and take the graph that it has under a name. No node runs."""

    ref: GraphRef


Work = Load | Start | Step | Go | Retry | Abandon | Extend | Adopt | EditState | SetMode | Fork | Decide | Try
