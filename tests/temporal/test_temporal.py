"""Runs that Temporal drives: every test has its real server, and workers that are killed as machines die."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from base64 import b64decode
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph.stores.opening import open_store
from stepgraph.values.errors import AlreadyDecided
from tests.cli.calling import REFUND
from tests.examples import ALL
from tests.servers.postgres import PostgresServer
from tests.workers.processes import LONG, SHORT, WorkerProcess, alive, frozen, handlers, until

from .driving import HISTORIES, Crew, TemporalServer, kill_all
from .show import give

pytestmark = [pytest.mark.crash, pytest.mark.slow]

WAITS = """
import os, time
from pathlib import Path
here = Path(__file__).parent

def begin(state):
    with (here / "begun").open("a") as file:
        print(os.getpid(), file=file)
    while not (here / "go").exists():
        time.sleep(0.01)
    return {"begun": True}

def finish(state):
    return {"finished": True}
"""


class Waiting:
    """A graph whose first node waits until it may go on, and writes down how often it has begun."""

    def __init__(self, folder: Path, timeout: str = "") -> None:
        self.file = handlers(folder, WAITS, "begin", "finish", timeout=timeout)
        self._begun = folder / "begun"
        self._go = folder / "go"

    @property
    def begun(self) -> list[int]:
        """The processes in which it has begun."""
        return [int(pid) for pid in self._begun.read_text().split()] if self._begun.exists() else []

    def until_begun(self, times: int = 1) -> None:
        """Wait until it has begun so often."""
        until(lambda: len(self.begun) >= times, "it has begun")

    def go(self) -> None:
        """Let it go on."""
        self._go.touch()


def test_a_run_outlives_the_death_of_everything_while_it_waits(
    own_temporal: TemporalServer, tmp_path: Path
) -> None:
    crew = Crew(own_temporal, tmp_path, "refunds")
    with crew.worker("--name", "w1") as worker:
        crew.hand_over(REFUND, "refund")
        crew.until("refund", "paused")
        assert "workers  continue it once its review is decided" in crew("runs", "show", "refund").out
        review = crew.review()
        shown = own_temporal.workflow("refund")["workflowExecutionInfo"]["searchAttributes"]["indexedFields"]
        values = {name: json.loads(b64decode(value["data"])) for name, value in shown.items()}
        assert {name: value for name, value in values.items() if name.startswith("Stepgraph")} == {
            "StepgraphGraph": "refund-triage",
            "StepgraphStatus": "paused",
            "StepgraphNode": "review",
            "StepgraphReview": review,
        }
        kill_all(worker)
        own_temporal.kill()
    decided = crew("approvals", "decide", review, "--approve", "--as", "Ana")
    assert decided.code == 0, decided.err
    own_temporal.start()
    with crew.worker("--name", "w2"):
        crew.until("refund", "ended")
        assert own_temporal.ended("refund") == "COMPLETED"
    assert crew.stands("refund") == ("ended", 7)
    own_temporal.keep_history("refund")


def test_a_decision_continues_a_run_at_once_and_lists_say_who_drives_it(crew: Crew) -> None:
    with crew.worker("--name", "w1"):
        crew.hand_over(REFUND, "decided")
        crew.until("decided", "paused")
        told = crew("approvals", "decide", crew.review(), "--approve").err
        assert "workers continue the run" in told
        crew.until("decided", "ended")


def test_a_stop_ends_the_node_that_runs(crew: Crew, tmp_path: Path) -> None:
    waits = Waiting(tmp_path / "g")
    with crew.worker("--name", "w1", lease=LONG) as worker:
        crew.hand_over(waits.file, "stopped")
        waits.until_begun()
        listed = crew("runs").out
        assert "running on worker w1" in listed
        refused = crew("resume", "stopped", "--trust")
        assert (refused.code, "worker w1 is at run 'stopped'" in refused.err) == (3, True), refused
        assert crew("runs", "stop", "stopped", "--as", "Ana").code == 0
        until(lambda: not alive(waits.begun[0]), "the process of its node is gone")
        assert crew.server.ended("stopped") == "COMPLETED"
        assert crew.stands("stopped") == ("ended", 0)
        crew.server.keep_history("stopped")
        crew.hand_over(REFUND, "next")  # the worker goes on
        crew.until("next", "paused")
        assert worker.process.poll() is None


def test_another_worker_takes_over_from_one_that_died(crew: Crew, tmp_path: Path) -> None:
    waits = Waiting(tmp_path / "g")
    with crew.worker("--name", "w1", lease=SHORT) as first:
        crew.hand_over(waits.file, "orphan")
        waits.until_begun()
        kill_all(first)
        with crew.worker("--name", "w2", lease=SHORT):
            waits.until_begun(2)
            waits.go()
            crew.until("orphan", "ended")
    assert (crew.stands("orphan"), len(waits.begun)) == (("ended", 2), 2)


def test_one_that_slept_past_its_lease_records_nothing(crew: Crew, tmp_path: Path) -> None:
    waits = Waiting(tmp_path / "g")
    with (
        crew.worker("--name", "w1", lease=SHORT) as first,
        crew.worker("--name", "w2", lease=SHORT) as second,
    ):
        crew.hand_over(waits.file, "slept")
        waits.until_begun()
        sleeper = first if waits.begun[0] in first.children() else second
        with frozen(sleeper.process):
            until(lambda: not alive(waits.begun[0]), "its node ends by itself")
            waits.until_begun(2)
            waits.go()
            crew.until("slept", "ended")
        sleeper.until_it_says("was dropped")
    assert (crew.stands("slept"), len(waits.begun)) == (("ended", 2), 2)


def test_people_decide_while_temporal_is_away(own_temporal: TemporalServer, tmp_path: Path) -> None:
    crew = Crew(own_temporal, tmp_path, "away")
    with crew.worker("--name", "w1"):
        crew.hand_over(REFUND, "away")
        crew.until("away", "paused")
        own_temporal.kill()
        assert crew("approvals", "decide", crew.review(), "--approve").code == 0
        own_temporal.start()
        crew.until("away", "ended")
    assert crew.stands("away") == ("ended", 7)


def test_a_failure_of_a_node_is_a_result_and_is_retried_when_somebody_asks(
    crew: Crew, tmp_path: Path
) -> None:
    code = """
from pathlib import Path
def work(state):
    if not Path(__file__).with_name("mended").exists():
        raise ValueError(f"the till is closed: {state['token']}")
    return {"worked": True}
"""
    file = handlers(tmp_path / "g", code, "work")
    file.write_text(f'{file.read_text()}[state.token]\ndefault = "hunter2"\nsecret = true\n')
    with crew.worker("--name", "w1") as worker:
        crew.hand_over(file, "failed")
        worker.until_it_says("run failed failed")
        assert crew.server.ended("failed") == "FAILED"
        history = json.dumps(crew.server.ask("workflow", "show", "--workflow-id", "failed"))
        assert ("the till is closed" in history, "hunter2" in history) == (True, False)
        crew.server.keep_history("failed")
        file.with_name("mended").touch()
        again = crew("retry", "failed", "--detach")
        assert again.code == 0, again.err
        crew.until("failed", "ended")
        assert crew.server.ended("failed") == "COMPLETED"


def test_a_node_that_takes_too_long_or_ends_its_process_fails(crew: Crew, tmp_path: Path) -> None:
    waits = Waiting(tmp_path / "g", timeout="0.1s")
    dies = handlers(tmp_path / "d", "import os\ndef work(state):\n    os._exit(3)\n", "work")
    with crew.worker("--name", "w1", "--processes", "2"):
        crew.hand_over(waits.file, "late")
        crew.hand_over(dies, "dies")
        crew.until("late", "failed")
        crew.until("dies", "failed")
    with open_store(crew.url) as store:
        assert "its timeout of 0.1 s was over" in str(open_run(store, "late").error)
        assert "its process ended while it ran: exit code 3" in str(open_run(store, "dies").error)
    assert len(waits.begun) == 1


def test_a_worker_that_is_asked_to_stop_leaves_after_its_node(crew: Crew, tmp_path: Path) -> None:
    waits = Waiting(tmp_path / "g")
    with crew.worker("--name", "w1", lease=LONG) as worker:
        crew.hand_over(waits.file, "left")
        waits.until_begun()
        worker.signal(signal.SIGTERM)
        worker.until_it_says("leaving after the current node")
        waits.go()
        assert worker.ends() == 0
    assert crew.stands("left") == ("ready", 1)
    with crew.worker("--name", "w2"):
        crew.until("left", "ended")
    assert len(waits.begun) == 1


def test_a_run_is_taken_back_while_no_worker_is_at_it(crew: Crew) -> None:
    crew.hand_over(REFUND, "mine")
    told = crew("resume", "mine", "--detach", "--engine", crew.engine, "--queue", "other").err
    assert f"stepgraph runs show mine --engine '{crew.engine.partition('?')[0]}?queue=other'" in told
    assert "no worker is there yet" in crew("resume", "mine", "--detach").err
    taken = crew("resume", "mine", "--trust")
    assert "taken from the workers" in taken.err
    assert crew.stands("mine")[0] == "paused"
    assert crew.server.status("mine") == "TERMINATED"


def test_a_workflow_that_is_cancelled_gives_its_run_back(crew: Crew) -> None:
    with crew.worker("--name", "w1"):
        crew.hand_over(REFUND, "cancelled")
        crew.until("cancelled", "paused")
        crew.server.ask("workflow", "cancel", "--workflow-id", "cancelled")
        assert crew.server.ended("cancelled") == "CANCELED"
        assert "stepgraph resume cancelled" in crew("approvals", "decide", crew.review(), "--approve").err


def asking(folder: Path, terms: str) -> Path:
    """A graph that asks a person, and ends."""
    file = folder / "asks.toml"
    ask = f'[nodes.ask]\ntype = "approval"\nprompt = "Go on?"\n{terms}\n'
    edge = '[[edges]]\nfrom = "ask"\nto = "END"\n'
    file.write_text(f'format = 1\nname = "asks"\nstart = "ask"\n{ask}{edge}')
    return file


def test_a_deadline_that_nobody_keeps_is_applied(crew: Crew, tmp_path: Path) -> None:
    file = asking(tmp_path, 'deadline = "2s"\non_timeout = "approve_unsafe"')
    with crew.worker("--name", "w1"):
        crew.hand_over(file, "overdue")
        crew.until("overdue", "ended")


def test_of_a_decision_and_a_deadline_at_the_same_moment_one_counts(crew: Crew, tmp_path: Path) -> None:
    file, runs = asking(tmp_path, 'deadline = "5s"\non_timeout = "reject"'), ["a", "b", "c"]
    with crew.worker("--name", "w1"), open_store(crew.url) as store:
        for run_id in runs:
            crew.hand_over(file, f"close-{run_id}")
            crew.until(f"close-{run_id}", "paused")
        for review in sorted(Reviews(store).pending(), key=lambda review: review.deadline or 0):
            until(lambda due=(review.deadline or 0) - 0.002: time.time() >= due, "it is due")  # type: ignore[misc]
            with suppress(AlreadyDecided):
                Reviews(store).decide(review.id, Decision.approve(by="ana"))
        for run_id in runs:
            crew.until(f"close-{run_id}", "ended")
            assert len([*store.rows(f"close-{run_id}", kinds=("decision",))]) == 1


def test_of_two_that_drive_a_run_the_ledger_takes_the_first_step_and_the_other_says_so(
    crew: Crew, tmp_path: Path
) -> None:
    waits = Waiting(tmp_path / "g")
    with crew.worker("--name", "w1", lease=LONG) as worker:
        crew.hand_over(waits.file, "twice")
        waits.until_begun()
        with open_store(crew.url) as store:
            run = open_run(store, "twice")
            operations.edit(run, {"by": "somebody else"}, "Ana", "", time.time())
        waits.go()
        worker.until_it_says("was moved by somebody else")
        crew.until("twice", "ended")
    assert crew.stands("twice") == ("ended", 2)


def test_code_that_nobody_has_trusted_waits_and_says_so(crew: Crew, tmp_path: Path) -> None:
    file = handlers(tmp_path / "g", "def work(state):\n    return {}\n", "work")
    crew.hand_over(file, "untrusted")
    with crew.worker("--name", "w1", trusts=False) as careful:
        careful.until_it_says("cannot run here")
        until(lambda: "trusted yet" in crew("runs", "show", "untrusted").out, "what keeps it is shown")
    assert crew.stands("untrusted") == ("ready", 0)


REPLAY = """
import asyncio, sys
from pathlib import Path
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer
from stepgraph.extras.temporal.worker import RUNNER
from stepgraph.extras.temporal.workflow import RunWorkflow

replayer = Replayer(workflows=[RunWorkflow], workflow_runner=RUNNER)
for name in sys.argv[1:]:
    history = WorkflowHistory.from_json(Path(name).stem, Path(name).read_text("utf-8"))
    asyncio.run(replayer.replay_workflow(history))
    print(len(history.events))
"""


@pytest.mark.skipif(find_spec("temporalio") is None, reason="temporalio is not installed")
def test_workflows_of_before_are_replayed() -> None:
    files = sorted(HISTORIES.glob("*.json"))
    command = [sys.executable, "-W", "error", "-c", REPLAY, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (len(files), len(done.stdout.split())) == (3, 3), done.stderr


def test_a_run_of_one_engine_is_not_handed_to_the_other(
    temporal: TemporalServer, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    crew = Crew(temporal, tmp_path, "both", postgres_server.fresh_url())
    crew.hand_over(REFUND, "queued", "--engine", "queue")
    refused = crew("resume", "queued", "--detach")
    assert (refused.code, "the queue drives run 'queued' already" in refused.err) == (3, True), refused
    crew.hand_over(REFUND, "temporals")
    with WorkerProcess(crew.url, "--trust", "--engine", "queue") as queue, crew.worker("--name", "w1"):
        queue.until_it_says("run queued paused")
        crew.until("temporals", "paused")
        for review in json.loads(crew("approvals", "--json").out):
            assert crew("approvals", "decide", review["id"], "--approve").code == 0
        crew.until("queued", "ended")
        crew.until("temporals", "ended")
        assert not [line for line in queue.said if "temporals" in line]


def test_nothing_is_lost_or_doubled_while_workers_and_the_server_die(
    own_temporal: TemporalServer, tmp_path: Path
) -> None:
    runs, workers, blows = (20, 3, 20) if ALL else (6, 2, 4)
    result, counts = give(Crew(own_temporal, tmp_path, "show"), runs, workers, blows, seed=3)
    assert (min(counts.values()), sum(counts.values())) == (blows // 4, blows)
    assert result.overlaps == []
    assert len({each.key for each in result.executions}) == 2 * runs
