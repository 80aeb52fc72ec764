"""What one step costs by where a run lives and who drives it: the same graph everywhere, in one run."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from stepgraph import Executor
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.extras.workers.queue import WorkerQueue
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph.stores.base import StateStore
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite.store import SqliteStore
from tests.servers import postgres, redis
from tests.temporal import driving
from tests.workers.processes import WorkerProcess, until

from .measure import ROOT, Timed, take_turns
from .table import Line
from .workers import SETTINGS, STEPS, scripted_ring

_ROUNDS = 5


def lines() -> list[Line]:
    """A step in memory, SQLite, Redis and PostgreSQL, and by workers of the queue and of Temporal."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    app, contenders = scripted_ring(), dict[str, Timed]()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder)))
        stores: dict[str, StateStore] = {"memory": MemoryStore(), "SQLite": SqliteStore(place / "a.db")}
        try:
            server = stack.enter_context(redis.running_server({"appendfsync": "always"}, str(folder)))
            stores["Redis"] = RedisStore(server.url())
            database = stack.enter_context(postgres.running_server(SETTINGS, str(folder)))
            stores["PostgreSQL"] = PostgresStore(database.fresh_url())
            queued, handed = database.fresh_url(), database.fresh_url()
            queue = stack.enter_context(_queue(app, queued))
            temporal = stack.enter_context(driving.running_server())
            crew = driving.Crew(temporal, place, "bench", handed)
            driven = stack.enter_context(_temporal(app, crew))
        except LookupError as error:
            print(f"left out: {error}", file=sys.stderr)
            return []
        for name, store in stores.items():
            stack.callback(store.close)
            contenders[f"in {name}"] = _here(app, store)
        contenders |= {"by a worker of the queue": queue, "by a worker of Temporal": driven}
        rounds = take_turns(contenders, _ROUNDS)
    return [
        Line(f"a step {name}", rounds.median(name), "s", None, rounds.ratio(name, "in memory"))
        for name in rounds.costs
    ]


def _here(app: CompiledGraph, store: StateStore) -> Timed:
    """Drive a run in this process."""
    executor = Executor(app, store)

    def work() -> float:
        run = executor.start({})
        began = time.perf_counter()
        executor.run(run)
        return (time.perf_counter() - began) / STEPS

    return work


@contextmanager
def _queue(app: CompiledGraph, url: str) -> Iterator[Timed]:
    """Hand a run to one worker of the queue."""
    with PostgresStore(url) as store, WorkerProcess(url):
        queue = WorkerQueue(url)
        queue.prepare()
        until(lambda: len(queue.workers()) == 1, "it is there")
        yield _handed(app, store, queue.enroll)


@contextmanager
def _temporal(app: CompiledGraph, crew: driving.Crew) -> Iterator[Timed]:
    """Hand a run to one worker of Temporal."""
    with PostgresStore(crew.url) as store, crew.worker() as worker:
        worker.until_it_says("waits for runs")
        yield _handed(app, store, crew.enroll)


def _handed(app: CompiledGraph, store: StateStore, enroll: Callable[[str], object]) -> Timed:
    """Hand a run over, and see by the times of its rows how long its steps took: without handing over."""
    count = iter(range(1000))

    def work() -> float:
        run_id = f"r{next(count)}"
        operations.start(app, store, {}, run_id, time.time())
        enroll(run_id)
        until(lambda: store.load(run_id).pointer.status is RunStatus.ENDED, "it ends")
        records = list(open_run(store, run_id).history)
        return (records[-1].started_at - records[0].started_at) / (STEPS - 1)

    return work
