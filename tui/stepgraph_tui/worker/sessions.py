"""The debug session of the run that is driven, and the executors that are kept between two pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.files import agreement, graph_ref
from stepgraph.files.importing import FileStamp, are_current, neighbours
from stepgraph.files.trust import Covered
from stepgraph.runs.modes import SCRIPTED, RunMode, mode_of
from stepgraph.runs.run import not_ready
from stepgraph.runs.session import DebugSession
from stepgraph.runs.views import view_run
from stepgraph.stores.ledger import Outcome, RunStatus

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.models.watch import CallListener
    from stepgraph.runs.answering import Answering
    from stepgraph.runs.debug.live import LiveBreakpoints
    from stepgraph.runs.executor import Around, Executor
    from stepgraph.runs.step import Clock
    from stepgraph.stores.base import StateStore, StoredRun
    from stepgraph.values.json_values import Json


class Calls(NamedTuple):
    """Who answers the calls of nodes, who hears of them, and who may stop them."""

    answering: Answering
    tell: CallListener
    stopped: Callable[[], bool]


class _Bound(NamedTuple):
    executor: Executor
    code: object
    """What its handler modules were when they were imported."""
    neighbours: Mapping[str, FileStamp]
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
        """Go on with the last session when nobody else has moved its run since, else open one anew.

        Raises:
            TrustError: Nobody has trusted the graph's code as it is now.
            GraphError: The graph has parts that only the program which built it has.
        """
        mode = mode_of(self._store, stored.head.id)
        bound = self._bound.get((stored.pointer.definition, stored.head.source, mode))
        if bound is None or _is_outdated(bound):
            if bound is not None and graph_ref(stored.head.source) is None:
                app = bound.executor.app
            else:  # a Python graph has its functions in itself: where they are others by now, it is, too
                app = self._calls.answering.plan_of(self._store, stored)
            bound = self._bind(app, mode)
        executor = bound.executor
        last, run_id = self._last, stored.head.id
        if (
            last is None
            or last.executor is not executor
            or (last.run.id, last.run.version) != (run_id, stored.pointer.version)
        ):
            last = self._last = DebugSession(executor, executor.load(run_id), self._breakpoints)
        return last

    def forget(self) -> None:
        """Open the next session anew: what is known of the run can no longer be relied on."""
        self._last = None

    def _executor(self, app: CompiledGraph, mode: RunMode) -> Executor:
        bound = self._bound.get(_key(app, mode))
        if bound is None or bound.executor.app is not app or _is_outdated(bound):
            bound = self._bind(app, mode)
        return bound.executor

    def _bind(self, app: CompiledGraph, mode: RunMode) -> _Bound:
        """Make an executor, and keep it with what its modules are now."""
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
        bound = self._bound[_key(app, mode)] = _Bound(executor, code.agreement, neighbours(code.sources))
        return bound


def _key(app: CompiledGraph, mode: RunMode) -> tuple[str, str | None, RunMode]:
    return app.definition_hash, str(app.source) if app.source is not None else None, mode


def _is_outdated(bound: _Bound) -> bool:
    """Tell whether a module that the graph names was edited since it was imported, or one beside it."""
    return not are_current(bound.neighbours) or agreement(bound.executor.app) != bound.code
