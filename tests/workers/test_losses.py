"""A store that loses steps under who drives its runs: they stop, and no node is run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import RunStatus, State, StateGraph
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.runs.executor import Executor
from stepgraph.runs.views import open_run
from stepgraph.values.errors import CommitsLost
from stepgraph.values.json_values import Json
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import error_body, status_of
from tests.cli.calling import Cli
from tests.servers.redis import RedisServer

from .processes import LONG, WorkerProcess, handlers, until
from .test_workers import hand_over

LOST = "run 'r' is at version 1 and was at 2: the store has lost what it had recorded"
WORK = """
import time
from pathlib import Path
from typing import Any
here = Path(__file__).parent

def first(state):
    with (here / "first").open("a") as file:
        file.write("x")
    return {}

def second(state):
    (here / "begun").touch()
    while not (here / "go").exists():
        time.sleep(0.01)
    return {}
"""


def test_a_worker_whose_store_has_lost_a_step_fails_the_run(
    cli: Cli, url: str, store: PostgresStore, tmp_path: Path
) -> None:
    folder = tmp_path / "g"
    hand_over(cli, handlers(folder, WORK, "first", "second"))
    db = store.backend.link.connection()
    db.execute("CREATE TABLE before AS SELECT * FROM runs")
    with WorkerProcess(url, "--trust", lease=LONG) as worker:
        until((folder / "begun").exists, "the second node runs")
        with db.transaction():
            db.execute("DELETE FROM ledger WHERE id & 4294967295 > 1")
            db.execute("DELETE FROM runs")
            db.execute("INSERT INTO runs SELECT * FROM before")
            db.execute("UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL")
        (folder / "go").touch()
        worker.until_it_says(f"run r failed after 0 steps: {LOST}")
    run = open_run(store, "r")
    assert (run.status, run.current, run.step) == (RunStatus.FAILED, "first", 0)
    assert run.error is not None
    assert run.error.message == f"node 'first' failed on visit 1: {LOST}"
    assert (folder / "first").read_text() == "x"


def test_a_server_whose_store_has_lost_a_step_fails_the_run(redis_server: RedisServer) -> None:
    ran: list[str] = []

    def first(state: State) -> dict[str, Json]:
        ran.append("first")
        return {}

    def second(state: State) -> dict[str, Json]:
        ran.append("second")
        client.flushall()
        for key, value in before.items():
            client.restore(key, 0, value)
        return {}

    graph = StateGraph("loses", start="first")
    graph.add_node("first", first)
    graph.add_node("second", second)
    graph.add_edge("first", "second")
    graph.add_edge("second", "END")
    app = graph.compile()
    with RedisStore(redis_server.url()) as store, redis_server.client() as client:
        Executor(app, store).start({}, "r")
        before: Any = {key: client.dump(key) for key in client.scan_iter()}
        driver = ThreadDriver(store, {app.definition_hash: app}, lambda *_: None)
        with pytest.raises(CommitsLost, match=LOST) as caught:
            driver.drive("r").result()
        driver.close()
        run = open_run(store, "r")
        assert (run.status, run.current, ran) == (RunStatus.FAILED, "first", ["first", "second"])
    assert status_of(caught.value) == 409
    assert error_body(caught.value)["code"] == "S008"
