"""The way that a run has gone."""

from __future__ import annotations

from typing import Any

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.runs.records import StepRecord
from stepgraph_tui.drawing.picture.run_marks import Trail


def _looping() -> tuple[StateGraph, list[StepRecord]]:
    graph = StateGraph("looping", start="try")
    graph.add_node("try", lambda state: {"turn": state.get("turn", 0) + 1})
    graph.add_node("look", lambda state: {})
    graph.add_edge("try", "look")
    graph.add_edge("look", END, when="turn > 1")
    graph.add_edge("look", "try")
    executor = Executor(graph.compile(), MemoryStore())
    return graph, executor.run(executor.start({})).history


def test_a_past_step_knows_only_what_came_before_it() -> None:
    graph, steps = _looping()
    trail = Trail(graph.edges)
    trail.read(steps)
    assert [record.node for record in steps] == ["try", "look", "try", "look"]
    assert [[trail.reached(part, step) for part in ("try", "look", END)] for step in (0, 1, 2, 4)] == [
        [False, False, False],
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert [trail.reached(edge, 2) for edge in range(3)] == [True, False, True]


def test_the_edge_that_a_node_was_left_by_is_the_last_one_of_that_moment() -> None:
    graph, steps = _looping()
    trail = Trail(graph.edges)
    trail.read(steps)
    assert [trail.left_by("look", step) for step in range(5)] == [None, None, 2, 2, 1]


def test_reading_on_adds_what_is_new_and_reading_again_adds_nothing() -> None:
    graph, steps = _looping()
    whole, grown = Trail(graph.edges), Trail(graph.edges)
    whole.read(steps)
    for count in range(len(steps) + 1):
        grown.read(steps[:count])
        grown.read(steps[:count])
    assert [grown.left_by("look", step) for step in range(5)] == [
        whole.left_by("look", step) for step in range(5)
    ]
    assert list(grown.between(0, 4)) == list(whole.between(0, 4)) == ["try", 0, "look", 2, END, 1]
    assert list(grown.between(4, 2)) == [END, 1]


def test_what_was_read_is_not_walked_again() -> None:
    class Watched(list[StepRecord]):
        def __getitem__(self, place: Any) -> Any:
            walked.append(len(self) - place.start)
            return super().__getitem__(place)

    graph, steps = _looping()
    trail, walked = Trail(graph.edges), list[int]()
    for count in (2, 2, 3, 4, 4):
        trail.read(Watched(steps[:count]))
    assert walked == [2, 0, 1, 1, 0]


def test_a_step_that_is_routed_later_gets_its_edge_then() -> None:
    graph = StateGraph("late", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END, when="ready == 1")
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    trail = Trail(graph.edges)
    trail.read(run.history)
    assert (trail.reached("a", 1), trail.reached(0, 1)) == (True, False)
    executor.edit(run.id, {"ready": 1}, by="ana")
    trail.read(executor.retry(run.id).history)
    assert (trail.reached(0, 1), trail.reached(END, 1)) == (True, True)
