"""What the list of runs says that a paused run waits for."""

from __future__ import annotations

from typing import Any

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.testing import FakeClock
from stepgraph_tui.screens.runs.table import RunTable
from stepgraph_tui.text.run_list import whereabouts


def stands(type_: str, settings: dict[str, Any]) -> str:
    """Run a graph of one node until it pauses, and tell where it stands."""
    graph = StateGraph("g", start="hold")
    graph.declare_node("hold", type_, settings)
    graph.add_edge("hold", END)
    store = MemoryStore()
    executor = Executor(graph.compile(), store, clock=FakeClock())
    run = executor.run(executor.start({}, "r-1"))
    assert run.status == "paused"
    table = RunTable(store)
    return whereabouts(store.load("r-1"), table.awaits(store.load("r-1")))


def test_a_question_is_told_by_its_risk() -> None:
    assert stands("approval", {"prompt": "Go on?", "risk": "high"}) == "hold, high risk"
    assert stands("approval", {"prompt": "Go on?"}) == "hold, unknown risk"


def test_a_wait_is_told_by_its_time() -> None:
    assert stands("wait", {"for": "2h"}).startswith("hold, waits until ")
