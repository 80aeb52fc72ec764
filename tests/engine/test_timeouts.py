"""Timeouts of nodes: what takes too long has failed, and what can be interrupted is."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, GraphError, RunStatus, State, StateGraph, StateStore
from stepgraph.graphs.parts import NodeEntry, to_document
from stepgraph.runs.run import Run
from stepgraph.testing import FakeClock
from tests.cli.calling import COMMAND


def graph_of(work: Callable[[State], dict[str, object]], timeout: str | float | None) -> StateGraph:
    graph = StateGraph("timed", start="work")
    graph.add_node("work", work, timeout=timeout)
    graph.add_edge("work", END)
    return graph


def run_in_thread(executor: Executor) -> Run:
    """Run where no signal can interrupt, as the app does."""
    runs: list[Run] = []
    thread = threading.Thread(target=lambda: runs.append(executor.run(executor.start({}))))
    thread.start()
    thread.join()
    return runs[0]


# acceptance 130
@pytest.mark.parametrize(
    ("takes", "status"), [(29, "ended"), (30, "ended"), (31, "failed"), (4000, "failed")]
)
def test_what_comes_back_too_late_is_not_merged(store: StateStore, takes: float, status: str) -> None:
    clock = FakeClock()

    def work(state: State) -> dict[str, object]:
        clock.advance(takes)
        return {"done": True}

    executor = Executor(graph_of(work, "30s").compile(), store, clock=clock)
    run = run_in_thread(executor)
    assert run.status == status
    assert run.values == ({"done": True} if status == "ended" else {})
    if status == "failed":
        assert "node 'work' failed on visit 1: its timeout of 30 s was over: it came back after" in str(
            run.error
        )
        assert [attempt.node for attempt in run.attempts] == ["work"]
        takes = 1
        assert executor.retry(run.id).status is RunStatus.ENDED


PROGRAM = """
import signal, threading
from stepgraph import END, Executor, StateGraph

def work(state):
    try:
        threading.Event().wait()  # for ever
    except Exception:  # which the interruption is not
        print("held out")
    return {}

graph = StateGraph("timed", start="work")
graph.add_node("work", work, timeout=0.05)
graph.add_edge("work", END)
executor = Executor(graph.compile())
print(executor.run(executor.start({})).error.message)
print(signal.getsignal(signal.SIGALRM) is signal.SIG_DFL, signal.getitimer(signal.ITIMER_REAL))
"""


# acceptance 130
def test_a_node_in_the_main_thread_is_interrupted() -> None:  # in a process whose alarm is free
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [
        "node 'work' failed on visit 1: its timeout of 0.05 s was over: it was interrupted",
        "True (0.0, 0.0)",
    ]


def test_a_signal_that_the_program_uses_is_left_alone() -> None:
    def heard(*_: object) -> None:
        pass

    seen = []

    def work(state: State) -> dict[str, object]:
        seen.append(signal.getsignal(signal.SIGALRM))
        return {}

    before = signal.signal(signal.SIGALRM, heard)
    try:
        executor = Executor(graph_of(work, 60).compile())
        assert executor.run(executor.start({})).status is RunStatus.ENDED
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [heard]


def test_an_error_of_the_nodes_own_is_told_also_when_it_is_late() -> None:
    clock = FakeClock()

    def work(state: State) -> dict[str, object]:
        clock.advance(100)
        raise LookupError("no such order")

    executor = Executor(graph_of(work, 1).compile(), clock=clock)
    run = executor.run(executor.start({}))
    assert "raised LookupError on visit 1: no such order" in str(run.error)


def test_a_node_reads_how_much_time_is_left() -> None:
    clock, seen = FakeClock(), list[float | None]()

    def work(state: State) -> dict[str, object]:
        seen.append(state.time_left)
        clock.advance(10)
        seen.append(state.time_left)
        return {}

    for timeout in ("30s", None):
        executor = Executor(graph_of(work, timeout).compile(), clock=clock)
        executor.run(executor.start({}))
    assert seen == [30, 20, None, None]


@pytest.mark.parametrize(
    "timeout",
    ["", "s", "30", "0", "-3s", "0s", "3 weeks", "1e3s", "3651d", "9" * 50 + "s", 0, -1, True, [], 0.0009,
     float("nan"), float("inf"), 10**400, -(10**400), 1e12],
)  # fmt: skip
def test_what_is_no_timeout_is_refused(timeout: Any) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        _ = NodeEntry("n", None, timeout=timeout).seconds
    with pytest.raises(GraphError) as caught:
        graph_of(lambda state: {}, timeout).compile()
    (problem,) = caught.value.problems
    assert problem.code == "G006"
    assert "the timeout of node" in problem.message
    assert '"30s"' in problem.hint


def test_the_definition_has_the_timeout_as_it_was_written() -> None:
    for given, written in ((30, "30s"), ("90m", "90m"), (0.25, "0.25s"), (5400, "90m"), (0.001, "0.001s")):
        document = to_document(graph_of(lambda state: {}, given))
        assert NodeEntry("n", None, timeout=written).seconds == NodeEntry("n", None, timeout=given).seconds
        assert document["nodes"] == {"work": {"type": "python", "timeout": written}}


FILE = """
format = 1
name = "timed"
start = "work"

[nodes.work]
type = "handler"
handler = "timed_work:work"
timeout = "{}"

[[edges]]
from = "work"
to = "END"
"""


# acceptance 130
def test_the_command_line_interrupts_a_node_that_hangs(tmp_path: Path) -> None:
    (tmp_path / "timed.toml").write_text(FILE.format("0.1s"))
    (tmp_path / "timed_work.py").write_text("import time\ndef work(state):\n    time.sleep(3600)\n")
    command = [*COMMAND, "run", "timed.toml", "--trust", "--store", "runs.db"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "its timeout of 0.1 s was over: it was interrupted" in ended.stderr


def test_a_file_keeps_its_timeout_and_says_what_is_wrong_with_one(tmp_path: Path) -> None:
    file = tmp_path / "timed.toml"
    file.write_text(FILE.format("90m"))
    graph = StateGraph.from_file(file)
    assert graph.nodes["work"].timeout == "90m"
    graph.to_file(file)
    assert 'timeout = "90m"' in file.read_text()
    file.write_text(FILE.format("3 weeks"))
    with pytest.raises(GraphError) as caught:
        StateGraph.from_file(file).compile()
    (problem,) = caught.value.problems
    assert (problem.code, problem.place.line) == ("G006", 9)
