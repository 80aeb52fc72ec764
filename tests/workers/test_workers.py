"""Workers: runs that are handed over, and all that can happen to who drives them."""

from __future__ import annotations

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from stepgraph import Executor, RunStatus, StateGraph
from stepgraph.extras.postgres.address import read_address
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.workers.queue import WorkerQueue, make_worker_tables
from stepgraph.files import read_graph
from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.views import open_run
from stepgraph.values.errors import StoreError
from tests.cli.calling import Cli
from tests.servers.postgres import PostgresServer

from .processes import LONG, SHORT, WorkerProcess, alive, frozen, handlers, long_silent, until

WAITS = """
import os, signal, threading, time
from pathlib import Path
here = Path(__file__).parent

def begin(state):
    (here / "begun").write_text(str(os.getpid()))
    while not (here / "go").exists():
        time.sleep(0.01)
    return {"begun": True}

def finish(state):
    return {"finished": True}
"""


def hand_over(cli: Cli, file: Path, run_id: str = "r") -> None:
    done = cli("run", "--detach", file, "--run-id", run_id)
    assert (done.code, done.out.strip()) == (0, run_id), done.err


def test_a_worker_that_trusts_nothing_starts_no_server_of_tools(
    url: str, cli: Cli, store: PostgresStore
) -> None:
    started = cli.folder / "started"
    (cli.folder / "home").mkdir()
    server = f'[mcp.files]\ncommand = ["touch", "{started}"]\n'
    (cli.folder / "home" / "settings.toml").write_text(server, encoding="utf-8")
    call = '[state.tool_call]\ndefault = { name = "files/write_file", arguments = {} }\n'
    head = f'format = 1\nname = "g"\nstart = "a"\n{call}[nodes.a]\ntype = "tool"\n'
    hand_over(cli, cli.graph(f'{head}[[edges]]\nfrom = "a"\nto = "END"\n'))
    with WorkerProcess(url, "--name", "w1") as worker:
        worker.until_it_says("run r failed")
    assert "is not one that the graph names" in str(open_run(store, "r").error)
    assert not started.exists()


def test_who_decides_is_told_that_workers_go_on(cli: Cli, store: PostgresStore, tmp_path: Path) -> None:
    ids = asked(store, tmp_path, "theirs", "mine")
    WorkerQueue(store.url).enroll("theirs")
    told = {run_id: cli("approvals", "decide", ids[run_id], "--approve").err for run_id in ids}
    assert "workers continue the run" in told["theirs"]
    assert ("stepgraph runs show theirs" in told["theirs"], "resume" in told["theirs"]) == (True, False)
    assert ("stepgraph resume mine" in told["mine"], "workers" in told["mine"]) == (True, False)


def asked(store: PostgresStore, folder: Path, *runs: str) -> dict[str, str]:
    """Start runs that wait for a person, and give the reviews of each."""
    file = folder / "asks.toml"
    nodes = '[nodes.ask]\ntype = "approval"\nprompt = "Go on?"\n\n[[edges]]\nfrom = "ask"\nto = "END"\n'
    file.write_text(f'format = 1\nname = "asks"\nstart = "ask"\n\n{nodes}')
    executor = Executor(read_graph(file).compile(), store)
    for run_id in runs:
        executor.run(executor.start({}, run_id))
    return {review.run_id: review.id for review in Reviews(store).pending()}


def test_two_that_make_the_tables_of_workers_at_once_do_not_collide(store: PostgresStore, url: str) -> None:
    address = read_address(url)
    options: dict[str, Any] = address.options
    waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 0"
    with (
        psycopg.connect(**options, autocommit=True, row_factory=dict_row) as first,
        psycopg.connect(**options, autocommit=True) as looking,
        ThreadPoolExecutor(1) as threads,
    ):
        first.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(address.schema)))
        with first.transaction():
            make_worker_tables(first, address)
            second = threads.submit(WorkerQueue(url).prepare)
            until(lambda: looking.execute(waits).fetchone() is not None or second.done(), "it waits")
            assert not second.done()
        second.result()
    assert WorkerQueue(url).workers() == []


def test_a_queue_of_a_newer_procrastinate_is_refused(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerQueue(url).prepare()
    db = store.backend.link.connection()
    for named in ("99.01.00_50_post_later.sql", "99.0.0"):
        db.execute("UPDATE worker_schema SET procrastinate = $1", (named,))
        with pytest.raises(StoreError, match="of a newer procrastinate") as caught:
            WorkerQueue(url).prepare()
        assert "pip install -U procrastinate" in caught.value.hint
    db.execute("UPDATE worker_schema SET procrastinate = $1", (metadata.version("procrastinate"),))
    WorkerQueue(url).prepare()  # as those say that were made before migrations were counted


ENDS = """
import os, signal
from pathlib import Path

def begin(state):
    mark = Path(__file__).with_name(f"{state.run_id}.mark")
    if not mark.exists():
        mark.touch()
        if state.run_id == "exits":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
    return {"key": state.idempotency_key}
"""


def test_an_import_that_ends_its_process_leaves_the_run_as_it_is(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", f"import os; os._exit(3)\n{ENDS}", "begin")
    with WorkerProcess(url, "--trust") as worker:
        hand_over(cli, file, "imports")
        says = "importing its graph's code ended the process: exit code 3"
        worker.until_it_says(f"run imports cannot run here, and waits for a worker that can run it: {says}")
        run = open_run(store, "imports")
        assert (run.status, run.attempts) == (RunStatus.READY, [])
        assert says in cli("runs", "show", "imports").out
        handlers(tmp_path / "g", "def begin(state):\n    return {}\n", "begin")
        worker.until_it_says("run imports ended after 1 step")


# acceptance 130
def test_a_node_that_holds_out_against_its_timeout_is_ended_with_all_it_has_started(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    stubborn = """
import subprocess, sys, threading
from pathlib import Path

def begin(state):
    child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    Path(__file__).with_name("child").write_text(str(child.pid))
    while True:
        try:
            threading.Event().wait()
        except BaseException:
            pass
"""
    hand_over(cli, handlers(tmp_path / "g", stubborn, "begin", timeout="0.2s"))
    with WorkerProcess(url, "--trust") as worker:
        worker.until_it_says(
            "run r failed after 0 steps: its timeout of 0.2 s was over: its process was ended"
        )
        assert "its timeout of 0.2 s was over" in str(open_run(store, "r").error)
        child = int((tmp_path / "g/child").read_text())
        until(lambda: not alive(child), "what it has started is gone")
        assert cli("retry", "r", "--detach").code == 0
        worker.until_it_says("run r failed after 0 steps: its timeout of 0.2 s was over")
        assert len(open_run(store, "r").attempts) == 2
        (tmp_path / "g/work.py").write_text("def begin(state):\n    return {}\n")
        hand_over(cli, tmp_path / "g/work.toml", "next")  # in a process that has read what is there now
        worker.until_it_says("run next ended after 1 step")


def test_a_worker_that_is_asked_twice_leaves_at_once(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust") as worker:
        until((tmp_path / "g/begun").exists, "the node has begun")
        worker.signal(signal.SIGINT)
        worker.until_it_says("leaving after the current node")
        worker.signal(signal.SIGINT)
        assert worker.ends() == 0
    pid = int((tmp_path / "g/begun").read_text())
    until(lambda: not alive(pid), "its process is gone")
    assert (open_run(store, "r").status, open_run(store, "r").step) == (RunStatus.READY, 0)
    (tmp_path / "g/go").touch()
    with WorkerProcess(url, "--trust") as worker:
        worker.until_it_says("run r is taken over")
        worker.until_it_says("run r ended after 2 steps")


def test_a_run_that_is_stopped_ends_its_node_at_once(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust") as worker:
        until((tmp_path / "g/begun").exists, "the node has begun")
        assert cli("runs", "stop", "r").code == 0
        worker.until_it_says("run r was dropped")
        worker.until_it_says("run r ended after 0 steps")
        pid = int((tmp_path / "g/begun").read_text())
        assert not alive(pid)
    assert (open_run(store, "r").status, WorkerQueue(url).runs()["r"].job) == (RunStatus.ENDED, None)


# acceptance 129
def test_a_worker_that_is_killed_is_followed_by_another(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust", "--name", "first", lease=LONG) as first:
        until((tmp_path / "g/begun").exists, "the node has begun")
        pid = int((tmp_path / "g/begun").read_text())
        first.process.kill()
        until(lambda: not alive(pid), "its node's process is gone with it")
        long_silent(url, "first")
        with WorkerProcess(url, "--trust", lease=LONG) as second:
            second.until_it_says("run r is taken over: worker first is gone")
            (tmp_path / "g/go").touch()
            second.until_it_says("run r ended after 2 steps")
    run = open_run(store, "r")
    assert ([step.node for step in run.history], run.attempts) == (["begin", "finish"], [])


def test_a_worker_that_stands_still_does_not_drive_what_others_have_taken_over(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust", "--name", "first", lease=SHORT) as first:
        until((tmp_path / "g/begun").exists, "the node has begun")
        pid = int((tmp_path / "g/begun").read_text())
        with frozen(first.process):
            until(lambda: not alive(pid), "its node is ended by its own process, while it stands still")
            long_silent(url, "first")
            with WorkerProcess(url, "--trust", "--name", "second", lease=LONG) as second:
                second.until_it_says("run r is taken over: worker first is gone")
        first.until_it_says("run r was dropped")


def test_a_run_is_driven_by_workers_or_by_somebody_else(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", WAITS, "begin", "finish")
    hand_over(cli, file)
    with WorkerProcess(url, "--trust", "--name", "w1") as worker:
        until((tmp_path / "g/begun").exists, "the node has begun")
        done = cli("step", "r", "--trust")
        assert done.code == 3
        assert "worker w1 is at run 'r'; nothing was changed" in done.err
        assert "running on worker w1" in cli("runs").out
        shown = cli("runs", "show", "r").out
        assert "workers  running on worker w1" in shown
        told = cli("doctor").out
        assert re.search(r"w1 \(.*, process \d+, runs 1 at once\): at r\n", told)
        worker.signal(signal.SIGTERM)
        worker.until_it_says("leaving after the current node")
        (tmp_path / "g/go").touch()
        assert worker.ends() == 0
    (described,) = cli("runs", "--json").json
    assert described["workers"] == {"job": "todo", "worker": None, "wait": 0.0, "trouble": ""}
    done = cli("resume", "r", "--trust")
    assert done.code == 0, done.err
    assert "run r is taken from the workers; --detach hands it over again" in done.err
    assert (store.load("r").pointer.status, WorkerQueue(url).runs()) == (RunStatus.ENDED, {})


@pytest.mark.parametrize("words", [("worker",), ("run", "--detach", "{file}"), ("resume", "r", "--detach")])
def test_workers_need_a_store_that_all_can_reach(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    file = handlers(tmp_path / "g", WAITS, "begin")
    done = cli(*(word.format(file=file) for word in words), "--store", tmp_path / "runs.db")
    assert done.code == 1
    assert "workers need a store on PostgreSQL" in done.err
    assert "postgresql://" in done.err


def test_a_worker_says_what_is_wrong_with_its_server(cli: Cli, postgres_server: PostgresServer) -> None:
    done = cli("worker", "--store", postgres_server.url("nowhere"))
    assert done.code == 1
    assert 'is not there: database "nowhere" does not exist' in done.err
    done = cli("worker", "--lease", "0.1", "--store", postgres_server.url())
    assert done.code == 2
    done = cli("worker", "--processes", "0", "--store", postgres_server.url())
    assert done.code == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "g.toml", "--detach", "--break", "fail"), "workers take no --break"),
        (("run", "g.toml", "--detach", "--watch", "n"), "workers take no --watch"),
        (("resume", "r", "--detach", "--until", "a"), "workers take no --until"),
        (("resume", "r", "--detach", "--adopt"), "workers take no --adopt"),
        (("retry", "r", "--detach", "--once"), "workers take no --once"),
    ],
)
def test_what_only_somebody_who_looks_on_can_have_is_refused(
    cli: Cli, words: tuple[str, ...], says: str
) -> None:
    if words[0] == "retry":
        graph = StateGraph("fails", start="a")
        graph.declare_node("a", "router", {"key": "n", "threshold": 1, "high": "h", "low": "l"})
        graph.add_edge("a", "a")
        graph.to_file(cli.folder / "g.toml")
        assert cli("run", cli.folder / "g.toml", "--run-id", "r").code == 1
    done = cli(*words)
    assert (done.code, says in done.err) == (1, True)
