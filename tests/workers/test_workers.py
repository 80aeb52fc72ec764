"""Workers: runs that are handed over, and all that can happen to who drives them."""

from __future__ import annotations

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from stepgraph import Executor, RunStatus, StateGraph
from stepgraph.files import read_graph
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.runs.views import open_run
from stepgraph.stores.postgres.address import read_address
from stepgraph.stores.postgres.store import PostgresStore
from stepgraph.values.errors import StoreError
from stepgraph.workers import schema
from stepgraph.workers.queue import WorkerQueue
from stepgraph.workers.schema import make_worker_tables
from stepgraph_tui.server.driver import ThreadDriver
from tests.cli.calling import Cli
from tests.hostile_folder import HostileFolder
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


def test_a_run_is_handed_over_and_goes_on_when_somebody_decides(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", WAITS, "begin", "finish")
    text = file.read_text().replace('[nodes.begin]\ntype = "handler"', '[nodes.begin]\ntype = "approval"')
    file.write_text(text.replace('handler = "work:begin"', 'prompt = "Begin?"'))
    hand_over(cli, file)
    queue = WorkerQueue(url)
    assert queue.runs()["r"].words == "waits for a worker"
    with WorkerProcess(url, "--trust", "--name", "w1") as worker:
        worker.until_it_says("run r paused after 0 steps")
        until(lambda: queue.runs()["r"].words == "", "a paused run takes no worker")
        (review,) = Reviews(store).pending()
        Reviews(store).decide(review.id, Decision.approve(by="ana"))
        worker.until_it_says("run r ended after 2 steps")
    assert open_run(store, "r").values["finished"] is True


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


def test_python_of_the_folder_where_a_worker_is_started_never_runs(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hostile = HostileFolder(tmp_path / "cloned")
    hand_over(
        cli,
        handlers(tmp_path / "g", "import beside\n\ndef begin(state):\n    return beside.news()\n", "begin"),
    )
    (tmp_path / "g/beside.py").write_text(
        "import elsewhere\n\ndef news():\n    return {'by': elsewhere.NAME}\n"
    )
    (tmp_path / "own").mkdir()
    (tmp_path / "own/elsewhere.py").write_text("NAME = 'a folder of PYTHONPATH'\n")
    with WorkerProcess(url, "--trust", folder=hostile.path, PYTHONPATH=str(tmp_path / "own")) as worker:
        worker.until_it_says("run r ended after 1 step")
    assert open_run(store, "r").values["by"] == "a folder of PYTHONPATH"
    assert hostile.ran() == []


def test_a_run_that_waits_for_a_time_takes_no_worker_and_goes_on_by_itself(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", WAITS, "begin", "finish")
    text = file.read_text().replace('[nodes.begin]\ntype = "handler"', '[nodes.begin]\ntype = "wait"')
    file.write_text(text.replace('handler = "work:begin"', 'for = "1s"'))
    hand_over(cli, file)
    with WorkerProcess(url, "--trust", "--name", "w1") as worker:
        worker.until_it_says("run r paused after 0 steps")
        worker.until_it_says("run r ended after 2 steps")
    assert open_run(store, "r").values["finished"] is True
    assert [row.kind for row in store.rows("r")] == ["start", "review", "decision", "step", "step"]


IN_PYTHON = """
from stepgraph import END, StateGraph

graph = StateGraph("mine", start="work")
graph.add_node("work", lambda state: {"ran": "HERE"})
graph.add_edge("work", END)
"""


def test_a_graph_in_a_module_runs_where_the_worker_has_the_module(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "mine.py").write_text(IN_PYTHON.replace("HERE", place), encoding="utf-8")
    name = tmp_path / "here" / "mine.py:graph"
    assert cli("check", name, "--trust").code == 0
    hand_over(cli, name, "r-1")
    with WorkerProcess(url, "--graphs", str(tmp_path / "there"), "--name", "w1") as worker:
        worker.until_it_says("is Python code that you have not trusted yet")
    assert open_run(store, "r-1").step == 0
    with WorkerProcess(url, "--trust", "--graphs", str(tmp_path / "there"), "--name", "w2") as worker:
        worker.until_it_says("run r-1 ended after 1 step")
    assert open_run(store, "r-1").values == {"ran": "there"}


def test_who_decides_is_told_that_workers_go_on(cli: Cli, store: PostgresStore, tmp_path: Path) -> None:
    ids = asked(store, tmp_path, "theirs", "mine")
    WorkerQueue(store.url).enroll("theirs")
    told = {run_id: cli("approvals", "decide", ids[run_id], "--approve").err for run_id in ids}
    assert "workers go on with the run" in told["theirs"]
    assert ("stepgraph runs show theirs" in told["theirs"], "resume" in told["theirs"]) == (True, False)
    assert ("stepgraph resume mine" in told["mine"], "workers" in told["mine"]) == (True, False)


def test_who_decides_several_is_told_which_runs_workers_go_on_with(
    cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    ids = asked(store, tmp_path, "theirs", "mine")
    WorkerQueue(store.url).enroll("theirs")
    told = cli("approvals", "decide", *ids.values(), "--reject").err
    assert "workers go on with 1 run; see how it goes with:" in told
    assert "resume mine" in told
    assert "resume theirs" not in told


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


def of_older_procrastinate(url: str, monkeypatch: pytest.MonkeyPatch, upto: str) -> None:
    """Make the tables of workers as a machine has made them that had an older procrastinate."""
    older = [path for path in schema._migrations() if path.name < upto]
    assert schema.migrations_since(older[-1].name), "it is an older one"
    address = read_address(url)
    with psycopg.connect(**address.options, autocommit=True) as connection:
        connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(address.schema)))
        for path in older:
            connection.execute(path.read_text().encode())
    with monkeypatch.context() as patched:
        patched.setattr(schema, "_migrations", lambda: older)
        patched.setattr("procrastinate.schema.SchemaManager.get_schema", lambda: "")
        WorkerQueue(url).prepare()


def kept(store: PostgresStore) -> tuple[str, bool]:
    """Tell what is kept of the queue's version, and whether it has what came with 3.4."""
    db = store._link.connection()
    ((named,),) = db.execute("SELECT procrastinate FROM worker_schema").fetchall()
    functions = "SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"
    return named, ("procrastinate_retry_job_v2",) in db.execute(functions).fetchall()


@pytest.mark.parametrize("upto", ["03.04", "03.04.00_50", "03.03", "03.02.00_50"])
def test_the_queue_of_an_older_procrastinate_is_carried_forward(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch, upto: str
) -> None:
    of_older_procrastinate(url, monkeypatch, upto)
    assert kept(store) == (kept(store)[0], upto == "03.04.00_50")
    with ThreadPoolExecutor(3) as threads:  # several workers that were upgraded at once
        for done in [threads.submit(WorkerQueue(url).prepare) for _ in range(3)]:
            done.result()
    newest = schema._migrations()[-1].name
    assert kept(store) == (newest, True)
    WorkerQueue(url).prepare()
    assert kept(store) == (newest, True)


def test_a_run_that_waited_in_it_is_driven_after_the_upgrade(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_older_procrastinate(url, monkeypatch, "03.04")
    with monkeypatch.context() as patched:
        patched.setattr(schema, "_migrations", lambda: [Path(kept(store)[0])])
        hand_over(cli, handlers(tmp_path / "g", "def begin(state):\n    return {}\n", "begin"))
    assert kept(store)[1] is False
    with WorkerProcess(url, "--trust") as worker:
        worker.until_it_says("run r ended after 1 step")
    assert kept(store)[1] is True


def test_a_queue_of_a_newer_procrastinate_is_refused(
    url: str, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerQueue(url).prepare()
    db = store._link.connection()
    for named in ("99.01.00_50_post_later.sql", "99.0.0"):
        db.execute("UPDATE worker_schema SET procrastinate = $1", (named,))
        with pytest.raises(StoreError, match="of a newer procrastinate") as caught:
            WorkerQueue(url).prepare()
        assert "pip install -U procrastinate" in caught.value.hint
    db.execute("UPDATE worker_schema SET procrastinate = $1", (metadata.version("procrastinate"),))
    WorkerQueue(url).prepare()  # as those say that were made before migrations were counted


def test_what_makes_a_run_ready_hands_it_to_the_workers_in_the_same_transaction(
    url: str, store: PostgresStore
) -> None:
    graph = StateGraph("capped", start="a", max_steps=1)
    graph.declare_node("a", "approval", {"prompt": "Again?"})
    graph.add_edge("a", "a")
    executor = Executor(graph.compile(), store)
    queue = WorkerQueue(url)
    queue.prepare()
    ours, theirs = executor.start({}, "ours"), executor.start({}, "theirs")
    queue.enroll("theirs")
    queue.enroll("theirs")  # again: nothing more
    for run in (ours, theirs):
        executor.run(run)
        executor.decide(run.id, Decision.approve(by="ana"))
    assert {id_: run.job for id_, run in queue.runs().items()} == {"theirs": "todo"}
    assert (queue.withdraw("theirs"), queue.withdraw("ours")) == (True, False)
    assert queue.runs() == {}
    executor.run(executor.load("theirs"))
    queue.enroll("theirs")
    assert queue.runs()["theirs"].job is None  # it has ended, at its cap
    executor.extend("theirs", 3)
    assert queue.runs()["theirs"].job == "todo"
    executor.stop("theirs", by="ana")
    assert queue.runs()["theirs"].job is None
    store.delete_runs({"theirs": store.load("theirs").pointer.version})
    assert queue.runs() == {}


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


def test_a_node_that_ends_its_process_has_failed_and_can_be_retried(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", ENDS, "begin")
    with WorkerProcess(url, "--trust") as worker:
        for run_id, says in (("exits", "exit code 3"), ("dies", "signal 9 (Killed)")):
            hand_over(cli, file, run_id)
            says = f"its process ended while it ran: {says}"
            worker.until_it_says(f"run {run_id} failed after 0 steps: {says}")
            run = open_run(store, run_id)
            assert run.status is RunStatus.FAILED
            assert run.error is not None
            assert run.error.message == f"node 'begin' failed on visit 1: {says}"
        done = cli("retry", "dies", "--detach")
        assert done.code == 0, done.err
        worker.until_it_says("run dies ended after 1 step")
    run = open_run(store, "dies")
    assert (run.values, len(run.attempts)) == ({"key": "dies:1"}, 1)


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


LEFT_BEHIND = """
import os, signal, subprocess, threading
from pathlib import Path
left = Path(__file__).with_name("left")

def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

def begin(state):
    if left.exists():
        return {"running": [pid for pid in map(int, left.read_text().split()) if running(pid)]}
    with left.open("a") as file:
        print(os.getpid(), file=file, flush=True)
        for command in ("exec sleep 4711", "trap '' TERM; exec sleep 4711", "sleep 4711 & echo $!"):
            subprocess.Popen(["sh", "-c", f"echo $$; {command}"], stdout=file)
        THEN
    while len(left.read_text().split()) < 5:
        pass
    END
"""


APART = 'subprocess.Popen(["sh", "-c", "echo $$; exec sleep 4711"], stdout=file, start_new_session=True)'
TOOL = """
        from stepgraph.models.watch import CallWatch
        from stepgraph.tools.running import run_program
        command = ["sh", "-c", f"echo $$ >> {left}; exec sleep 4711"]
        more = {"name": "t", "env": os.environ, "folder": left.parent, "stdin": None, "limit": 99}
        run = lambda: run_program(command, seconds=99, watch=CallWatch(None), **more)
        threading.Thread(target=run, daemon=True).start()
"""
DIES = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.mark.parametrize(
    ("then", "end", "timeout"),
    [(APART, "threading.Event().wait()", "1s"), (TOOL, DIES, "")],
    ids=["interrupted", "killed"],
)
def test_what_a_node_has_started_is_gone_before_a_retry_begins(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path, then: str, end: str, timeout: str
) -> None:
    code = LEFT_BEHIND.replace("THEN", then).replace("END", end)
    hand_over(cli, handlers(tmp_path / "g", code, "begin", timeout=timeout))
    with WorkerProcess(url, "--trust", lease=LONG) as worker:
        try:
            until(lambda: store.load("r").pointer.status is RunStatus.FAILED, "it has failed")
            assert cli("retry", "r", "--detach").code == 0
            worker.until_it_says("run r ended after 1 step")
        finally:
            for pid in map(int, (tmp_path / "g/left").read_text().split()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    assert open_run(store, "r").values == {"running": []}


DIES_LATE = """
import os, sys, time
from pathlib import Path
here = Path(__file__).parent
hand = sys.modules["__main__"]
send = hand.send

def says_nothing(answers, message):
    if isinstance(message, hand.JobOutcome):
        (here / "late").touch()
        while not (here / "go").exists():
            time.sleep(0.01)
        os._exit(9)
    send(answers, message)

def begin(state):
    if not (here / "late").exists():
        hand.send = says_nothing
    return {"begun": True}
"""
LATE = "its process ended before it said so: exit code 9"


def test_a_run_whose_process_ends_behind_its_last_step_is_told_as_it_is(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", DIES_LATE, "begin"))
    (tmp_path / "g/go").touch()
    with WorkerProcess(url, "--trust", lease=LONG) as worker:
        worker.until_it_says(f"run r ended after 1 step: {LATE}")
    assert (open_run(store, "r").status, open_run(store, "r").attempts) == (RunStatus.ENDED, [])


def test_a_run_that_is_decided_before_its_process_ends_goes_on(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", DIES_LATE, "begin", "ask")
    text = file.read_text().replace('[nodes.ask]\ntype = "handler"', '[nodes.ask]\ntype = "approval"')
    file.write_text(text.replace('handler = "work:ask"', 'prompt = "Go on?"'))
    hand_over(cli, file)
    with WorkerProcess(url, "--trust", lease=LONG) as worker:
        until((tmp_path / "g/late").exists, "it has paused, and nobody was told")
        (review,) = Reviews(store).pending()
        Reviews(store).decide(review.id, Decision.approve(by="ana"))
        (tmp_path / "g/go").touch()
        worker.until_it_says(f"run r left ready after 1 step: {LATE}")
        worker.until_it_says("run r ended after 1 step")
    assert (open_run(store, "r").status, open_run(store, "r").attempts) == (RunStatus.ENDED, [])


def test_a_worker_that_lacks_the_code_says_so_and_leaves_the_run_to_others(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "here", WAITS, "begin", "finish")
    hand_over(cli, file)
    (tmp_path / "here").rename(tmp_path / "there")
    (tmp_path / "there/go").touch()
    queue = WorkerQueue(url)
    with WorkerProcess(url, "--trust", "--name", "lacking") as lacking:
        line = lacking.until_it_says("run r cannot run here")
        assert "there is no module 'work': neither in " + str(tmp_path / "here") in line
        until(lambda: queue.runs()["r"].trouble, "it is told everybody")
        assert queue.runs()["r"].trouble.startswith("worker lacking: there is no module 'work'")
        assert store.load("r").pointer.status is RunStatus.READY
    with WorkerProcess(url, "--name", "wary", "--graphs", str(tmp_path / "there")) as wary:
        line = wary.until_it_says("run r cannot run here")
        assert "names Python code that you have not trusted yet" in line
        until(lambda: "wary" in queue.runs()["r"].trouble, "it is told everybody")
        files = f"{tmp_path / 'there/work.toml'}, {tmp_path / 'there/work.py'}"
        for told in (cli("runs", "show", "r").out, cli("doctor").out):
            assert files in told  # on one line, as all that is told there
            assert "\\n" not in told
    with WorkerProcess(url, "--trust", "--graphs", str(tmp_path / "there")) as able:
        able.until_it_says("run r ended after 2 steps")
    assert queue.runs()["r"].trouble == ""
    assert "workers  drove it to its end" in cli("runs", "show", "r").out


def test_a_worker_that_is_asked_to_stop_finishes_its_node(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust") as worker:
        until((tmp_path / "g/begun").exists, "the node has begun")
        worker.signal(signal.SIGTERM)
        worker.until_it_says("leaving after the current node")
        (tmp_path / "g/go").touch()
        assert worker.ends() == 0
    run = open_run(store, "r")
    assert (run.status, run.current, run.step) == (RunStatus.READY, "finish", 1)
    assert WorkerQueue(url).runs()["r"].words == "waits for a worker"
    with WorkerProcess(url, "--trust") as worker:
        worker.until_it_says("run r ended after 1 step")


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


def test_a_worker_that_is_heard_of_keeps_its_run(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    hand_over(cli, handlers(tmp_path / "g", WAITS, "begin", "finish"))
    with WorkerProcess(url, "--trust", "--name", "first", lease=LONG) as first:
        until((tmp_path / "g/begun").exists, "the node has begun")
        with WorkerProcess(url, "--trust", "--name", "second", lease=LONG) as second:
            hand_over(cli, handlers(tmp_path / "other", "def begin(state):\n    return {}\n", "begin"), "q")
            second.until_it_says("run q ended after 1 step")  # it has looked around before that
            (tmp_path / "g/go").touch()
            first.until_it_says("run r ended after 2 steps")
            assert "taken over" not in "".join(second.said)


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


def test_a_run_that_everybody_has_forgotten_is_found(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    file = handlers(tmp_path / "g", WAITS, "begin", "finish")
    (tmp_path / "g/go").touch()
    hand_over(cli, file)
    with WorkerQueue(url)._connected() as connection:
        connection.execute("DELETE FROM procrastinate_jobs")
    assert WorkerQueue(url).runs()["r"].job is None
    with WorkerProcess(url, "--trust") as worker:
        worker.until_it_says("run r ended after 2 steps")


def test_a_worker_with_several_processes_advances_as_many_runs(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    meeting = """
import os, time
from pathlib import Path

def begin(state):
    here = Path(__file__).parent
    (here / f"{state.run_id}.here").touch()
    while len(list(here.glob("*.here"))) < 2:  # until the other one is there as well
        time.sleep(0.01)
    return {}
"""
    file = handlers(tmp_path / "g", meeting, "begin")
    hand_over(cli, file, "r")
    hand_over(cli, file, "s")
    with WorkerProcess(url, "--trust", "--processes", "2", "--name", "both") as worker:
        worker.until_it_says("ended after 1 step")
        worker.until_it_says("ended after 1 step")
        (living,) = WorkerQueue(url).workers()
        assert (living.name, living.processes, living.pid) == ("both", 2, worker.process.pid)
        worker.signal(signal.SIGTERM)
        assert worker.ends() == 0
    assert WorkerQueue(url).workers() == []


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


def test_the_rest_server_leaves_to_workers_what_is_theirs(url: str, store: PostgresStore) -> None:
    graph = StateGraph("asks", start="a")
    graph.declare_node("a", "approval", {"prompt": "Again?"})
    graph.add_edge("a", "END")
    app, queue = graph.compile(), WorkerQueue(url)
    queue.prepare()
    driver = ThreadDriver(store, {app.definition_hash: app}, lambda *_: None)
    for run_id in ("ours", "theirs"):
        Executor(app, store).start({}, run_id)
    queue.enroll("theirs")
    for run_id in ("ours", "theirs"):
        driver.drive(run_id).result()
    driver.close()
    statuses = [store.load(run_id).pointer.status for run_id in ("ours", "theirs")]
    assert statuses == [RunStatus.PAUSED, RunStatus.READY]


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
