"""The way that a run has gone."""

from __future__ import annotations

from collections.abc import Sequence

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.runs.records import StepRecord
from stepgraph_tui.drawing.picture.run_marks import Trail, share


def _looping() -> tuple[StateGraph, Sequence[StepRecord]]:
    graph = StateGraph("looping", start="try")
    graph.add_node("try", lambda state: {"turn": state.get("turn", 0) + 1})
    graph.add_node("look", lambda state: {})
    graph.add_edge("try", "look")
    graph.add_edge("look", END, when="turn > 1")
    graph.add_edge("look", "try")
    executor = Executor(graph.compile(), MemoryStore())
    return graph, executor.run(executor.start({})).history


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
    everything = {"try", "look", END, 0, 1, 2}
    assert set(grown.between(0, 4)) == set(whole.between(0, 4)) == everything
    assert set(grown.between(1, 0)) == {"try", 0}
    assert set(grown.between(1, 2)) == {
        "look",
        1,
        2,
    }  # of the edge that was not taken, too, the share is another


def test_visits_and_edges_are_counted_as_of_any_step() -> None:
    graph, steps = _looping()
    trail = Trail(graph.edges)
    trail.read(steps)
    trail.read(steps)
    assert [trail.times("try", step) for step in range(5)] == [0, 1, 1, 2, 2]
    assert [trail.times(2, step) for step in range(5)] == [0, 0, 1, 1, 1]
    found = [trail.last_at("try", step) for step in range(5)]
    assert [record and record.step for record in found] == [None, 1, 1, 3, 3]


def test_a_share_is_a_fraction_where_there_is_room_and_a_percentage_else() -> None:
    assert [share(2, 3, 5), share(0, 1, 5), share(999, 1_000, 5)] == ["2/3", "0/1", "100%"]


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
