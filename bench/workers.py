"""How many steps a second workers take together, on a server of its own that keeps what it acknowledges."""

from __future__ import annotations

import sys
import time

from stepgraph import END, StateGraph
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.workers.queue import WorkerQueue
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs import operations
from stepgraph.stores.ledger import RunStatus
from tests.servers.postgres import PostgresServer, running_server
from tests.workers.processes import WorkerProcess, until

from .measure import ROOT
from .table import Line

_RUNS = 40
STEPS = 50
SETTINGS = {"fsync": "on", "full_page_writes": "on"}


def lines() -> list[Line]:
    """A step of many runs, by one, two and four workers; nothing where there is no server."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    try:
        with running_server(SETTINGS, str(folder)) as server:
            return [_line(server, workers) for workers in (1, 2, 4)]
    except LookupError as error:
        print(f"left out: {error}", file=sys.stderr)
        return []


def _line(server: PostgresServer, workers: int) -> Line:
    url = server.fresh_url()
    took = _seconds(url, workers) / (_RUNS * STEPS)
    noun = "worker" if workers == 1 else "workers"
    return Line(f"a step by {workers} {noun}, {_RUNS} runs of {STEPS} steps ({1 / took:,.0f}/s)", took, "s")


def _seconds(url: str, workers: int) -> float:
    app = scripted_ring()
    crew = [WorkerProcess(url) for _ in range(workers)]
    try:
        with PostgresStore(url) as store:
            queue = WorkerQueue(url)
            queue.prepare()
            for number in range(_RUNS):
                operations.start(app, store, {}, f"r{number}", time.time())
            until(lambda: len(queue.workers()) == workers, "all are there")
            began = time.perf_counter()
            for number in range(_RUNS):
                queue.enroll(f"r{number}")
            until(lambda: len(store.runs(RunStatus.ENDED)) == _RUNS, "all runs end")
            return time.perf_counter() - began
    finally:
        for worker in crew:
            worker.__exit__(None, None, None)


def scripted_ring() -> CompiledGraph:
    """Two nodes in a ring, with what a store can hold: workers know no objects of this program."""
    graph = StateGraph("ring", start="ask", max_steps=STEPS)
    for node in ("ask", "answer"):
        graph.declare_node(node, "llm", {"prompt": "again", "replies": ["yes"], "output": node})
    graph.add_edge("ask", "answer", when='ask == "yes"')
    graph.add_edge("ask", END)
    graph.add_edge("answer", "ask")
    return graph.compile()
