"""Timeouts of nodes: what takes too long has failed, and what can be interrupted is."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph import END, Executor, GraphError, RunStatus, State, StateGraph, StateStore
from stepgraph.graphs.definition import to_document
from stepgraph.runs.run import Run
from stepgraph.testing import FakeClock
from stepgraph.values.durations import LONGEST, seconds_of, span_text


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
        assert "node 'work' failed on visit 1: its timeout of 30s was over: it came back after" in str(
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
print(executor.run(executor.start({})).error)
print(signal.getsignal(signal.SIGALRM) is signal.SIG_DFL, signal.getitimer(signal.ITIMER_REAL))
"""


# acceptance 130
def test_a_node_in_the_main_thread_is_interrupted() -> None:  # in a process whose alarm is free
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [
        "node 'work' failed on visit 1: its timeout of 50ms was over: it was interrupted",
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
    ("span", "seconds"),
    [
        ("30s", 30), ("1h30m", 5400), ("2d", 172_800), ("250ms", 0.25), ("1.5s", 1.5), (" 5 m ", 300),
        (10, 10), (0.5, 0.5), ("3650d", LONGEST),
    ],
)  # fmt: skip
def test_spans_are_read(span: object, seconds: float) -> None:
    assert seconds_of(span) == seconds


@pytest.mark.parametrize(
    "span",
    ["", "s", "30", "-3s", "0s", "3 weeks", "1e3s", "٣s", "3651d", "9" * 50 + "s", 0, -1, True, None, [],
     float("nan"), float("inf"), 10**400, -(10**400)],
)  # fmt: skip
def test_what_is_no_span_is_refused(span: object) -> None:
    with pytest.raises(ValueError, match=r"^which is "):
        seconds_of(span)
    if span is not None:
        with pytest.raises(GraphError) as caught:
            graph_of(lambda state: {}, span).compile()  # type: ignore[arg-type]
        (problem,) = caught.value.problems
        assert problem.code == "G006"
        assert "the timeout of node" in problem.message
        assert '"1h30m"' in problem.hint


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.05, "50ms"),
        (2.5, "2.5s"),
        (45, "45s"),
        (59.99, "60s"),
        (60, "1m"),
        (5400, "1h30m"),
        (90_061, "1d1h"),
    ],
)
def test_spans_are_written(seconds: float, text: str) -> None:
    assert span_text(seconds) == text


def test_the_definition_has_the_timeout_as_it_was_written() -> None:
    for given, written in ((30, "30s"), ("1h30m", "1h30m"), (0.25, "0.25s")):
        document = to_document(graph_of(lambda state: {}, given))
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
    (tmp_path / "timed.toml").write_text(FILE.format("100ms"))
    (tmp_path / "timed_work.py").write_text("import time\ndef work(state):\n    time.sleep(3600)\n")
    command = [sys.executable, "-m", "stepgraph_tui", "run", "timed.toml", "--trust", "--store", "runs.db"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "its timeout of 100ms was over: it was interrupted" in ended.stderr


def test_a_file_keeps_its_timeout_and_says_what_is_wrong_with_one(tmp_path: Path) -> None:
    file = tmp_path / "timed.toml"
    file.write_text(FILE.format("1h30m"))
    graph = StateGraph.from_file(file)
    assert graph.nodes["work"].timeout == "1h30m"
    graph.to_file(file)
    assert 'timeout = "1h30m"' in file.read_text()
    file.write_text(FILE.format("3 weeks"))
    with pytest.raises(GraphError) as caught:
        StateGraph.from_file(file).compile()
    (problem,) = caught.value.problems
    assert (problem.code, problem.place.line) == ("G006", 9)
