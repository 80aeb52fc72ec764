"""What the list of runs reads: what has moved, in the tree as it is; and what a paused run waits for."""

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


def counting() -> Executor:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {"n": state["n"] + 1})
    graph.add_edge("a", "a")
    return Executor(graph.compile(), MemoryStore(), clock=FakeClock())


def told(table: RunTable) -> list[tuple[str, int, int, int]]:
    """Tell of each line which run it is, how deep it stands, what is folded away below it, and its step."""
    return [(each.run.head.id, each.depth, each.hidden, each.run.pointer.step) for each in table.branches]


def test_a_run_that_moves_keeps_its_line_in_a_tree_that_is_folded_as_it_was() -> None:
    executor = counting()
    run = executor.start({"n": 0}, "r-1")
    executor.step(run)
    executor.fork("r-1", new_run_id="f-1")
    executor.start({"n": 0}, "r-2")
    table = RunTable(executor.store)
    table.look()
    table.fold("r-1", folded=True)
    before = told(table)
    executor.step(run)
    executor.step(executor.load("f-1"))
    assert table.look()
    assert sorted(before) == [("r-1", 0, 1, 1), ("r-2", 0, 0, 0)]
    assert told(table) == [(*line[:3], 2) if line[0] == "r-1" else line for line in before]
    table.fold("r-1", folded=False)
    assert ("f-1", 1, 0, 2) in told(table)
    assert not table.look()


def test_a_run_that_moves_is_listed_where_the_filter_asks_for_it_by_now() -> None:
    executor = counting()
    run = executor.start({"n": 0}, "r-1")
    table = RunTable(executor.store)
    table.look()
    table.choose("status:ended")
    assert told(table) == []
    executor.stop("r-1", by="ana")
    assert table.look()
    assert told(table) == [(run.id, 0, 0, 0)]


def test_another_run_of_the_same_name_stands_where_it_belongs() -> None:
    executor = counting()
    executor.step(executor.start({"n": 0}, "r-1"))
    executor.start({"n": 0}, "r-2")
    table = RunTable(executor.store)
    table.look()
    executor.store.delete_runs({"r-2": executor.store.versions()["r-2"]})
    executor.step(executor.fork("r-1", new_run_id="r-2"))
    assert table.look()
    assert told(table) == [("r-1", 0, 0, 1), ("r-2", 1, 0, 2)]
