"""The executors and the live handle that are kept between two pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.files import agreement
from stepgraph.runs import operations as lifecycle
from stepgraph.runs.executor import Executor
from stepgraph.runs.run import not_ready
from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.stored import runnable, showable

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.run import Run
    from stepgraph.runs.step import Clock
    from stepgraph.stores.base import StateStore, StoredRun
    from stepgraph.values.json_values import Json


class _Bound(NamedTuple):
    executor: Executor
    code: object
    """What its handler modules were when they were imported."""


class Handles:
    """Finds the executor and the handle to drive a run with, and makes them when they are missing or stale.

    An executor is kept for each definition and file: it may hold Python objects, which no store has. When
    the code of its handlers has changed on disk, the next work takes the new code, if that is trusted.

    Args:
        store: Where the runs live.
        clock: What tells the time.
        ids: Makes an id from a prefix.
    """

    def __init__(self, store: StateStore, clock: Clock | None, ids: Callable[[str], str] | None) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._bound: dict[tuple[str, str | None], _Bound] = {}
        self._run: Run | None = None

    def start(self, app: CompiledGraph, values: Mapping[str, Json], run_id: str) -> Run:
        """Create a run of a graph, which is kept for it.

        Raises:
            TrustError: Nobody has trusted the graph's code.
            StateError: Inputs are missing or refused.
            RunExists: There is a run of that id.
        """
        self._run = self._executor(app).start(values, run_id)
        return self._run

    def executor_of(self, stored: StoredRun) -> Executor:
        """What can drive a stored run.

        Raises:
            TrustError: Nobody has trusted the graph's code as it is now.
            GraphError: The graph has parts that only the program which built it has.
        """
        bound = self._bound.get((stored.pointer.definition, stored.head.source))
        app = bound.executor.app if bound is not None else runnable(self._store, stored)
        return self._executor(app)

    def handle_of(self, stored: StoredRun, executor: Executor) -> Run:
        """The kept handle when nobody else has moved the run since, else a fresh one."""
        run = self._run
        current = run is not None and run.id == stored.head.id and run.version == stored.pointer.version
        if run is None or not current or run.plan is not executor.app:
            run = self._run = executor.load(stored.head.id)
        return run

    def keep(self, run: Run | None) -> None:
        """Go on with this handle next time; with none when it can no longer be relied on."""
        self._run = run

    def refuse_unless(self, status: RunStatus, stored: StoredRun, verb: str) -> None:
        """Refuse what the run's status does not allow, before anybody is asked for trust.

        Raises:
            NotReady: It has another status.
        """
        pointer = stored.pointer
        capped = status is RunStatus.FAILED and pointer.outcome is Outcome.MAX_STEPS
        if pointer.status is not status or capped:
            run = lifecycle.load(showable(self._store, stored), self._store, stored.head.id)
            raise not_ready(run, verb)

    def _executor(self, app: CompiledGraph) -> Executor:
        key = (app.definition_hash, str(app.source) if app.source is not None else None)
        code = agreement(app)
        bound = self._bound.get(key)
        if bound is None or bound.executor.app is not app or bound.code != code:
            executor = Executor(app, self._store, clock=self._clock, ids=self._ids)
            bound = self._bound[key] = _Bound(executor, code)
        return bound.executor
