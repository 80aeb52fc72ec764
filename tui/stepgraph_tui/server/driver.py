"""Who drives runs: threads of this process, each run by one of them at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from stepgraph.files import graph_ref
from stepgraph.runs import Answering, Executor, fail_lost, mode_of, runnable_plan
from stepgraph.stores import RunStatus, is_driven
from stepgraph.values import CommitsLost

from .guard import RequestRefused

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.stores import StateStore, StoredRun

THREADS = 8
"""How many runs are driven at once."""
WAITING = 1_000
"""How many runs may wait for a thread; more are refused, and nothing of them is started."""


async def settled(future: Future[None], seconds: float) -> None:
    """Wait until a run pauses or ends, at most ``seconds``; what went wrong stays in its future."""
    waiter = asyncio.wrap_future(future)
    waiter.add_done_callback(lambda each: each.cancelled() or each.exception())  # else asyncio logs it
    await asyncio.wait([waiter], timeout=seconds)


class RunDriver(Protocol):
    """Drives runs that are ready: here, or by telling a queue of them."""

    def refuse_if_full(self) -> None:
        """Refuse more work before anything of it is recorded.

        Raises:
            RequestRefused: No more runs are taken on now.
        """
        ...

    def check(self, stored: StoredRun) -> None:
        """Refuse a run that could not be driven.

        Raises:
            StepgraphError: Its graph is not trusted, has changed in its Python module, or has parts that
                only another program has.
        """
        ...

    def drive(self, run_id: str) -> Future[None]:
        """Continue a run; the future is done when it stands still, or somebody else has taken it on."""
        ...

    def drives(self, run_id: str) -> bool:
        """Check whether the run goes on in this process now."""
        ...

    def stop(self) -> None:
        """Ask all runs to stop after the node that runs; does not wait."""
        ...

    def close(self) -> None:
        """Wait until the nodes that run are done."""
        ...


class _Drive:
    """A run that goes on, and whether it was asked for again meanwhile."""

    def __init__(self) -> None:
        self.future: Future[None] = Future()
        self.again = False


class ThreadDriver:
    """Drives runs in threads of this process.

    Args:
        store: Where the runs live.
        graphs: The graphs that are compiled already, by the hash of their definition.
        failed: Told why a run was left where it is: an ordinary conflict, or an error that nobody expected.
        threads: How many runs go on at once.
        answering: The models and tools that runs may call; none when None.
    """

    def __init__(
        self,
        store: StateStore,
        graphs: Mapping[str, CompiledGraph],
        failed: Callable[[str, BaseException], object],
        threads: int = THREADS,
        answering: Answering | None = None,
    ) -> None:
        self._answering = Answering() if answering is None else answering
        self._store = store
        self._graphs = graphs
        self._failed = failed
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="stepgraph-run")
        self._lock = threading.Lock()
        self._drives: dict[str, _Drive] = {}
        self._stopping = threading.Event()

    def refuse_if_full(self) -> None:
        """Refuse more work while too much waits, and once the server stops."""
        if self._stopping.is_set():
            raise RequestRefused(503, "the server is stopping", "ask again when it is back")
        if len(self._drives) >= WAITING:
            raise RequestRefused(
                503, f"{WAITING:,} runs wait already", "ask again in a moment", {"Retry-After": "5"}
            )

    def check(self, stored: StoredRun) -> None:
        """Refuse a run whose graph cannot run here; workers drive theirs wherever they are."""
        if not is_driven(self._store, stored.head.id):
            self._executor(stored).load(stored.head.id)

    def drive(self, run_id: str) -> Future[None]:
        """Continue a run in a thread; one that is already running is checked once more at its end."""
        with self._lock:
            drive = self._drives.get(run_id)
            if drive is not None:
                drive.again = True
                return drive.future
            drive = self._drives[run_id] = _Drive()
            try:
                self._pool.submit(self._work, run_id, drive)
            except RuntimeError:  # the pool takes nothing any more: the server stops, and the run stays ready
                del self._drives[run_id]
                drive.future.set_result(None)
            return drive.future

    def drives(self, run_id: str) -> bool:
        """Check whether the run goes on in this process now."""
        return run_id in self._drives

    @property
    def stopping(self) -> bool:
        """Whether nothing more is to be begun."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ask all runs to stop after the node that runs."""
        self._stopping.set()

    def close(self) -> None:
        """Wait until the nodes that run are done; runs that wait for a thread stay ready."""
        self.stop()
        self._pool.shutdown()

    def _work(self, run_id: str, drive: _Drive) -> None:
        error: BaseException | None = None
        while True:
            try:
                self._go_on(run_id)
            except Exception as raised:  # whatever it is belongs to whoever waits for this run
                error = raised
            with self._lock:
                if error is None and drive.again and not self._stopping.is_set():
                    drive.again = False
                    continue
                del self._drives[run_id]
            break
        if error is None:
            drive.future.set_result(None)
            return
        self._failed(f"run {run_id!r} does not go on here", error)  # often nobody waits for the future
        drive.future.set_exception(error)

    def _go_on(self, run_id: str) -> None:
        stored = self._store.load(run_id)
        if stored.pointer.status is not RunStatus.READY or self._stopping.is_set():
            return
        if is_driven(self._store, run_id):  # they have it from who made it ready
            return
        executor = self._executor(stored)
        run = executor.load(run_id)
        try:
            deque(executor.iterate(run, stop=self._stopping.is_set), maxlen=0)
        except CommitsLost as lost:
            fail_lost(self._store, run_id, lost, time.time())
            raise

    def _executor(self, stored: StoredRun) -> Executor:
        plan = self._graphs.get(stored.pointer.definition)
        source = plan.source if plan is not None else None
        if graph_ref(source) is not None and stored.head.source != str(source):
            plan = None  # a definition does not tell the Python of one module from that of another
        if plan is None:
            plan = runnable_plan(self._store, stored)
        return self._answering.executor(plan, self._store, mode_of(self._store, stored.head.id))
