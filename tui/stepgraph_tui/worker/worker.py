"""Doing the work: what each piece of it means, without a thought of threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.expressions import updated
from stepgraph.files import Covered, FileStamp, agreement, are_current, graph_ref, neighbors
from stepgraph.reviews import Reviews
from stepgraph.runs import (
    SCRIPTED,
    Answering,
    DebugSession,
    RunMode,
    edit,
    extend,
    fail_visit,
    fork,
    load,
    mode_of,
    not_ready,
    open_run,
    own_trace,
    random_id,
    set_limits,
    set_mode,
    try_node,
    view_run,
)
from stepgraph.stores import Outcome, RunStatus, conflict, is_driven, take_over
from stepgraph.values import Conflict, NodeFailed, NotReady, StepgraphError

from ..graph_with_code import GraphWithCode
from .calls import CallFollower, Decided, GraphLoaded, HitTeller, NodeBegan, NodeTried, RunStarted, WorkDone
from .thread import (
    Abandon,
    Adopt,
    Decide,
    EditState,
    Extend,
    Fork,
    Go,
    Load,
    Retry,
    SetMode,
    Start,
    Step,
    Try,
    Work,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from textual.message import Message

    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import CallListener
    from stepgraph.runs import Around, Clock, Executor, Halt
    from stepgraph.runs.debug import LiveBreakpoints
    from stepgraph.stores import StateStore, StoredRun
    from stepgraph.values import Json

    from ..node_debugger import NodeDebugger
    from .calls import Progress
    from .capture import NodeOutput


class Calls(NamedTuple):
    """Who answers the calls of nodes, who hears of them, and who may stop them."""

    answering: Answering
    tell: CallListener
    stopped: Callable[[], bool]


class _Bound(NamedTuple):
    executor: Executor
    code: object
    """What its handler modules were when they were imported."""
    neighbors: Mapping[str, FileStamp]
    """What they have imported of their folder, as it was then."""


class Sessions:
    """Opens sessions on the runs of one store, and keeps what the next piece of work can go on with.

    An executor is kept for each definition, file and mode: it may hold Python objects, which no store has.
    When the code of its handlers has changed on disk, the next work takes the new code, if that is trusted.

    Args:
        store: Where the runs live.
        breakpoints: Where a continued run halts, as they are at any moment.
        clock: What tells the time.
        ids: Makes an id from a prefix.
        around: What the executors enter around each node.
        calls: Who answers the calls of nodes, and hears of them.
    """

    def __init__(
        self,
        store: StateStore,
        breakpoints: LiveBreakpoints,
        clock: Clock,
        ids: Callable[[str], str],
        around: Around,
        calls: Calls,
    ) -> None:
        self._store = store
        self._breakpoints = breakpoints
        self._clock = clock
        self._ids = ids
        self._around = around
        self._calls = calls
        self._bound: dict[tuple[str, str | None, RunMode], _Bound] = {}
        self._last: DebugSession | None = None

    def start(
        self,
        app: CompiledGraph,
        values: Mapping[str, Json],
        run_id: str,
        by: str = "",
        mode: RunMode = SCRIPTED,
    ) -> DebugSession:
        """Create a run of a graph, which is kept for it, and open a session on it.

        Args:
            app: The graph.
            values: The inputs.
            run_id: Its id.
            by: Who starts it.
            mode: Who answers in it.

        Raises:
            TrustError: Nobody has trusted the graph's code.
            StateError: Inputs are missing or refused.
            RunExists: There is a run of that id.
        """
        executor = self._executor(app, mode)
        run = executor.start(values, run_id, by=by)
        last = self._last = DebugSession(executor, run, self._breakpoints)
        return last

    def refuse_unless(self, status: RunStatus, stored: StoredRun, verb: str) -> None:
        """Refuse what the run's status does not allow, before anybody is asked for trust.

        Raises:
            NotReady: It has another status.
        """
        pointer = stored.pointer
        capped = status is RunStatus.FAILED and pointer.outcome is Outcome.MAX_STEPS
        if pointer.status is not status or capped:
            raise not_ready(view_run(self._store, stored), verb)

    def open(self, stored: StoredRun) -> DebugSession:
        """Continue with the last session when nobody else has moved its run since, else open one again.

        Raises:
            TrustError: Nobody has trusted the graph's code as it is now.
            GraphError: The graph has parts that only the program which built it has.
        """
        last, run_id = self._last, stored.head.id
        is_here = last is not None and (last.run.id, last.run.version) == (run_id, stored.pointer.version)
        # what says the mode is a row: to look for it in a long run takes longer than a step
        mode = last.executor.mode if last is not None and is_here else mode_of(self._store, run_id)
        bound = self._bound.get((stored.pointer.definition, stored.head.source, mode))
        if bound is None or _is_outdated(bound):
            if bound is not None and graph_ref(stored.head.source) is None:
                app = bound.executor.app
            else:  # a Python graph has its functions in itself: where they are others by now, it is, too
                app = self._calls.answering.plan_of(self._store, stored)
            bound = self._bind(app, mode)
        executor = bound.executor
        if last is None or not is_here or last.executor is not executor:
            last = self._last = DebugSession(executor, executor.load(run_id), self._breakpoints)
        return last

    def forget(self) -> None:
        """Open the next session again: what is known of the run can no longer be relied on."""
        self._last = None

    def _executor(self, app: CompiledGraph, mode: RunMode) -> Executor:
        bound = self._bound.get(_key(app, mode))
        if bound is None or bound.executor.app is not app or _is_outdated(bound):
            bound = self._bind(app, mode)
        return bound.executor

    def _bind(self, app: CompiledGraph, mode: RunMode) -> _Bound:
        """Build an executor, and keep it with what its modules are now."""
        code = Covered.read(app)
        calls = self._calls
        executor = calls.answering.executor(
            app,
            self._store,
            mode,
            tell=calls.tell,
            stopped=calls.stopped,
            clock=self._clock,
            ids=self._ids,
            around=self._around,
        )
        bound = self._bound[_key(app, mode)] = _Bound(executor, code.agreement, neighbors(code.sources))
        return bound


def _key(app: CompiledGraph, mode: RunMode) -> tuple[str, str | None, RunMode]:
    return app.definition_hash, str(app.source) if app.source is not None else None, mode


def _is_outdated(bound: _Bound) -> bool:
    """Check whether a module that the graph names was edited since it was imported, or one beside it."""
    return not are_current(bound.neighbors) or agreement(bound.executor.app) != bound.code


class Worker:
    """Starts, moves, edits, forks and decides runs of one store, and tries nodes beside them.

    Args:
        store: Where the runs live.
        progress: Where it writes down every node and every step.
        post: Tells the app at once.
        stopped: Whether somebody asked to stop.
        call_stopped: Whether somebody asked to stop in the middle of a call.
        breakpoints: Where a continued run halts; they may change at any moment.
        capture: Takes what node code prints, and what models say.
        clock: What tells the time.
        ids: Makes an id from a prefix.
        answering: The models and tools that nodes may call; there are none when None.
        debugger: Gets a debugger in node code the terminal.
    """

    def __init__(
        self,
        store: StateStore,
        progress: Progress,
        post: Callable[[Message], object],
        stopped: Callable[[], bool],
        call_stopped: Callable[[], bool],
        breakpoints: LiveBreakpoints,
        capture: NodeOutput,
        *,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        answering: Answering | None = None,
        debugger: NodeDebugger | None = None,
    ) -> None:
        self.store = store
        self._progress = progress
        self._post = post
        self._stopped, self._call_stopped = stopped, call_stopped
        self._clock: Clock = clock if clock is not None else time
        self._ids = ids if ids is not None else random_id
        self._capture = capture
        self._hits = HitTeller(post)
        self._debugger = debugger
        self._examined: tuple[str, int] | None = None  # the failure that somebody has looked at last
        self._measures: Clock = debugger if debugger is not None else self._clock
        self._calls = CallFollower(capture, post)
        self._answering = answering if answering is not None else Answering()
        self._sessions = Sessions(
            store,
            breakpoints,
            self._measures,
            self._ids,
            self._reporting,
            Calls(self._answering, self._calls.hear, call_stopped),
        )
        self._plan: CompiledGraph | None = None  # of the node that runs
        progress.calls = lambda: self._calls.visit

    def perform(self, work: Work) -> WorkDone | Decided | NodeTried | GraphLoaded:
        """Run a piece of work.

        Returns:
            What there is to tell at the end.

        Raises:
            StepgraphError: It cannot be done.
        """
        match work:
            case Load() | Try():
                return self._load(work) if isinstance(work, Load) else self._try(work)
            case Start():
                return self._start(work)
            case Decide():
                return self._decide(work)
            case Extend() | Adopt() | SetMode():
                return self._change_rules(work)
            case EditState():
                return WorkDone(work, work.run_id, self._edit(work))
            case Fork():
                return self._fork(work)
            case Retry() | Abandon():
                return self._retry(work) if isinstance(work, Retry) else self._abandon(work)
            case Step():
                return self._step(work)
            case Go():
                return self._go(work)

    def forget(self) -> None:
        """Forget what was known of the run: something went wrong."""
        self._sessions.forget()

    def _load(self, work: Load) -> GraphLoaded:
        with self._captured("", 0, work.ref.file.name):
            return GraphLoaded(work, GraphWithCode.load(work.ref))

    def _start(self, work: Start) -> WorkDone:
        run_id = self._ids("r") if work.run_id is None else work.run_id
        with self._captured(run_id, 1, work.app.start):
            session = self._sessions.start(work.app, work.values, run_id, work.by, work.mode)
        set_limits(session.run, work.limits, work.by, self._clock.time())
        self._post(RunStarted(run_id))
        self._plan = work.app
        session.arrive()  # a breakpoint before the first node
        return WorkDone(work, run_id, "done", self._hits.tell(session))

    def _abandon(self, work: Abandon) -> WorkDone:
        stored = self.store.load(work.run_id)
        if stored.pointer.version != work.version:  # it came back after all
            return WorkDone(work, work.run_id, "done")
        reason = NodeFailed("it was abandoned", hint="a timeout of the node would end it by itself")
        fail_visit(view_run(self.store, stored), reason, self._clock.time() - work.seconds, work.seconds)
        self._progress.moves += 1
        return WorkDone(work, work.run_id, "failed")

    def _step(self, work: Step) -> WorkDone:
        session = self._session(work.run_id, RunStatus.READY, "step")
        with self._stepping(session, work.into):
            session.step()
        self._progress.moves += 1
        return WorkDone(work, work.run_id, session.halt, self._hits.tell(session))

    def _stepping(self, session: DebugSession, into: bool) -> AbstractContextManager[None]:
        if not into:
            return nullcontext()
        node = session.run.current or ""
        function = session.executor.function_of(node)
        if function is None or self._debugger is None:
            hint = "step it; its settings are in the Node tab"
            raise NotReady(
                f"node {node!r} is not a Python function, so there is nothing to step into", hint=hint
            )
        return self._debugger.stepping_into(function)

    def _go(self, work: Go) -> WorkDone:
        session = self._session(work.run_id, RunStatus.READY, "continue")
        until = () if work.until is None else (work.until,)
        hit = None
        for _ in session.go(until=until, stop=self._stopped):
            self._progress.moves += 1
            hit = self._hits.tell(session) if session.hits else None
        return WorkDone(work, work.run_id, session.halt, hit)

    def _retry(self, work: Retry) -> WorkDone:
        session = self._session(work.run_id, RunStatus.FAILED, "retry")
        if work.into and self._examine(session):
            return WorkDone(work, work.run_id, "done")
        with self._stepping(session, work.into):
            session.retry()
        self._progress.moves += 1
        return WorkDone(work, work.run_id, session.halt, self._hits.tell(session))

    def _examine(self, session: DebugSession) -> bool:
        """Open the debugger where the node of a run has failed; once, for the next time it is tried again.

        Returns:
            Whether there was something to look at: a failure in Python code, in this process.
        """
        run = session.run
        cause = run.error.__cause__ if run.error is not None else None
        trace, failure = own_trace(cause) if cause is not None else None, (run.id, run.version)
        if trace is None or self._debugger is None or self._examined == failure:
            return False
        self._examined = failure
        self._debugger.examine(trace, run.id, run.current or "")
        return True

    def _decide(self, work: Decide) -> Decided:
        theirs = False
        with suppress(StepgraphError):  # the decision waits for a store that is down; this need not
            theirs = is_driven(self.store, work.run_id)
        reviews = Reviews(self.store, self._clock.time)
        review = reviews.decide(work.review, work.decision, expect_hash=work.expect_hash)
        return Decided(review, theirs, work.goes_on)

    def _edit(self, work: EditState) -> Halt:
        """Record an edit of the run that was looked at; where a review waited, its node asks again."""
        stored = self.store.load(work.run_id)
        if stored.pointer.version != work.version:
            raise conflict(work.run_id, work.version, stored.pointer.version)
        waits = stored.pointer.status is RunStatus.PAUSED
        asks = waits and not is_driven(self.store, work.run_id)  # else a worker has the node ask again
        session = self._open(stored) if asks else None  # before anything is withdrawn: it may ask for trust
        run = session.run if session is not None else view_run(self.store, stored)
        edit(run, updated(run.values, work.changes), work.by, work.comment, self._clock.time(), "app")
        self._progress.moves += 1
        if session is None:
            return "done"
        try:
            session.step()
        except Conflict:  # the edit is recorded, and somebody else has had the node ask again
            self.forget()
            return "done"
        self._progress.moves += 1
        return session.halt

    def _change_rules(self, work: Extend | Adopt | SetMode) -> WorkDone:
        """Change what a run follows: its step limit, its graph, or who answers in it; nothing runs."""
        if isinstance(work, Adopt):
            load(work.app, self.store, work.run_id, adopt=True, now=self._clock.time())
        elif isinstance(work, SetMode):
            run = open_run(self.store, work.run_id)
            set_mode(run, work.mode, work.by, self._clock.time())
            set_limits(run, work.limits, work.by, self._clock.time())
        else:
            extend(open_run(self.store, work.run_id), work.steps, self._clock.time())
        return WorkDone(work, work.run_id, "done")

    def _fork(self, work: Fork) -> WorkDone:
        new_id = self._ids("r") if work.new_id is None else work.new_id
        run = open_run(self.store, work.run_id)
        fork(run, at=work.at, values=work.values, new_id=new_id, now=self._clock.time(), by=work.by)
        self._post(RunStarted(new_id))
        return WorkDone(work, new_id, "done")

    def _try(self, work: Try) -> NodeTried:
        name, mode, self._plan = self._ids("try"), RunMode(work.live), work.app
        with self._reporting(name, work.node, work.step):
            tried = try_node(
                work.app,
                work.node,
                work.values,
                step=work.step,
                visit=work.visit,
                visits=work.visits,
                previous_output=work.previous_output,
                last_output=work.last_output,
                decision=work.decision,
                tools=self._answering.tools,
                models=self._answering.models_in(mode),
                live=work.live,
                calls=self._answering.rules(self.store, mode, self._calls.hear, self._call_stopped),
                clock=self._measures,
                ids=lambda _: name,
            )
        return NodeTried(work, tried)

    def _session(self, run_id: str, status: RunStatus, verb: str) -> DebugSession:
        stored = self.store.load(run_id)
        self._sessions.refuse_unless(status, stored, verb)
        session = self._open(stored)  # before it is taken from anybody: it may ask for trust
        if take_over(self.store, run_id):  # workers drive it: not both of us
            session = self._open(self.store.load(run_id))
        return session

    def _open(self, stored: StoredRun) -> DebugSession:
        run_id, pointer = stored.head.id, stored.pointer
        with self._captured(run_id, pointer.step + 1, pointer.current or ""):  # imports may print
            session = self._sessions.open(stored)
        self._plan = session.run.plan
        return session

    @contextmanager
    def _reporting(self, run_id: str, node: str, step: int) -> Iterator[None]:
        """Report which node runs, for as long as it runs, and take what it prints."""
        self._calls.begin_visit(hides=self._writes_a_secret(node))
        self._progress.running = NodeBegan(run_id, node, step, time.monotonic())
        try:
            with self._captured(run_id, step, node), self._debugged(run_id, step, node):
                yield
        finally:
            self._progress.running = None

    def _writes_a_secret(self, node: str) -> bool:
        """Check whether what a model says to a node may become a secret, which nobody could hide in time."""
        entry = self._plan.nodes.get(node) if self._plan is not None else None
        secret = (
            {name for name, key in self._plan.keys.items() if key.secret} if self._plan is not None else ()
        )
        writes = entry.facts.writes if entry is not None else None
        return bool(secret) if writes is None else not writes.isdisjoint(secret)

    def _debugged(self, run_id: str, step: int, node: str) -> AbstractContextManager[None]:
        return nullcontext() if self._debugger is None else self._debugger.during(run_id, node, step)

    def _captured(self, run_id: str, step: int, node: str) -> AbstractContextManager[None]:
        return self._capture.during(run_id, step, node, self._post)
