"""Debuggers in node code: where they begin and end, who gets the terminal, and what a run keeps of it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.runs import own_trace
from stepgraph.runs.run import Run
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import NodeFailed, StepgraphError
from stepgraph_tui.node_debugger import NodeDebugger, breakpoints_answered
from tests.app import recording_debugger
from tests.app.recording_debugger import SEEN

HERE = "tests.app.recording_debugger"


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The debugger of the tests, and the tracing of whoever measures coverage put back."""
    monkeypatch.setenv("PYTHONBREAKPOINT", f"{HERE}.begin")
    SEEN.clear()
    before = sys.gettrace()
    yield
    sys.settrace(before)


class Lender:
    """Has a terminal to lend, or none."""

    def __init__(self, refusal: str = "") -> None:
        self.said: list[str] = []
        self._refusal = refusal

    @contextmanager
    def __call__(self) -> Iterator[None]:
        if self._refusal:
            raise StepgraphError(self._refusal)
        self.said.append("lent")
        yield
        self.said.append("back")


def helper(value: int) -> int:
    value *= 2
    return value


def plain(state: Any) -> dict[str, Any]:
    first = helper(1)
    return {"first": first}


def breaks(state: Any) -> dict[str, Any]:
    first = 1
    breakpoint()
    second = first + 1
    return {"second": second}


def breaks_below(state: Any) -> dict[str, Any]:
    inner()
    return {"below": True}


def inner() -> None:
    breakpoint()
    helper(2)


def breaks_last(state: Any) -> dict[str, Any]:
    return {"hook": sys.breakpointhook()}


class HandClock:
    """A clock that goes when it is told to."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        return self.now


def run_of(
    function: Callable[..., Any], lender: Lender, *, into: bool, clock: HandClock | None = None
) -> Run:
    """Step the one node of a graph as the worker does."""
    graph = StateGraph("g", start="a")
    graph.add_node("a", function)
    graph.add_edge("a", END)
    debugger = NodeDebugger(lender, clock or HandClock())
    executor = Executor(
        graph.compile(),
        MemoryStore(),
        clock=debugger,
        around=lambda run_id, node, step: debugger.during(run_id, node, step),
    )
    run = executor.start({}, "r-1")
    with breakpoints_answered():
        if not into:
            executor.step(run)
            return run
        called = executor.function_of("a")
        assert called is not None
        with debugger.stepping_into(called):
            executor.step(run)
    return run


def test_a_breakpoint_stops_at_the_next_line_of_the_node_and_of_nothing_of_ours() -> None:
    lender = Lender()
    run = run_of(breaks, lender, into=False)
    assert SEEN == [("line", "breaks", 3), ("line", "breaks", 4), ("return", "breaks", 4)]
    assert lender.said == ["lent", "back"]
    assert run.values == {"second": 2}


def test_a_breakpoint_below_the_node_ends_with_the_node() -> None:
    run_of(breaks_below, Lender(), into=False)
    assert SEEN[0] == ("line", "inner", 2)
    assert SEEN[-1] == ("return", "breaks_below", 2)


def test_a_breakpoint_on_the_last_line_ends_with_the_function() -> None:
    lender = Lender()
    run = run_of(breaks_last, lender, into=False)
    assert {name for _, name, _ in SEEN} <= {"breaks_last"}
    assert run.values == {}
    assert lender.said == ["lent", "back"]


@pytest.mark.parametrize("name", ["nowhere.set_trace", f"{HERE}.nothing", "nothing", "..x"])
def test_a_debugger_that_is_not_there_is_said_before_anything_runs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", name)
    with pytest.raises(StepgraphError, match="is not there"):
        run_of(plain, Lender(), into=True)


def test_in_another_thread_a_breakpoint_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def node(state: Any) -> dict[str, Any]:
        thread = threading.Thread(target=breakpoint)
        thread.start()
        thread.join()
        return {}

    assert run_of(node, Lender(), into=False).status is RunStatus.ENDED
    assert "only the thread that runs a node" in capsys.readouterr().err


def test_what_has_no_lines_cannot_be_stepped_into() -> None:
    with pytest.raises(StepgraphError, match="not written in Python"):
        run_of(dict, Lender(), into=True)


def test_the_hook_and_the_tracing_are_as_they_were() -> None:
    hook, trace = sys.breakpointhook, sys.gettrace()
    run_of(plain, Lender(), into=True)
    assert sys.breakpointhook is hook
    assert sys.gettrace() is trace
    assert recording_debugger.SEEN


def fails(state: Any) -> dict[str, Any]:
    divisor = 0
    return {"never": divides(divisor)}


def divides(divisor: int) -> float:
    return 1 / divisor


def test_a_failure_is_looked_at_from_where_the_code_of_the_node_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "tests.app.recording_debugger.begin")
    SEEN.clear()
    lender = Lender()
    run = run_of(fails, lender, into=False)
    assert run.error is not None
    assert run.error.__cause__ is not None
    trace = own_trace(run.error.__cause__)

    assert trace is not None
    NodeDebugger(lender, HandClock()).examine(trace, "r-1", "a")

    assert [name for what, name, _ in SEEN if what == "post-mortem"] == ["fails", "divides"]
    assert lender.said == ["lent", "back"]
    assert "node a of run r-1 has failed: this is where" in capsys.readouterr().out


def test_a_failure_of_another_process_has_no_frames() -> None:
    assert own_trace(NodeFailed("node 'a' failed")) is None
