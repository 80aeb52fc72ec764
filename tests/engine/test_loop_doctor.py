"""The loop doctor: what a run went round last, at any moment of it, and what was asked each time."""

from __future__ import annotations

from stepgraph import END, Executor, StateGraph, StateStore
from stepgraph.expressions.explaining import MISSING
from stepgraph.runs.loops import LoopDiagnosis, diagnose
from stepgraph.runs.run import Run
from stepgraph.stores.memory import MemoryStore


def drafts(**settings: object) -> StateGraph:
    graph = StateGraph("drafts", start="write", **settings)  # type: ignore[arg-type]
    graph.add_node("write", lambda state: {"tries": state.get("tries", 0) + 1, "topic": "refunds"})
    graph.add_node("check", lambda state: {"score": 4 + state["tries"]})
    graph.add_node("publish", lambda state: {"done": True})
    graph.add_edge("write", "check")
    graph.add_edge("check", "publish", when="score >= 8 and tries > 2", label="good")
    graph.add_edge("check", "write")
    graph.add_edge("publish", END)
    return graph


def ran(graph: StateGraph, steps: int, store: StateStore | None = None, **values: object) -> Run:
    executor = Executor(graph.compile(), store if store is not None else MemoryStore())
    run = executor.start(values)
    for _ in range(steps):
        executor.step(run)
    return executor.load(run.id)


def looked(run: Run) -> LoopDiagnosis:
    found = diagnose(run, run.history)
    assert found is not None
    return found


def test_a_run_without_a_loop_has_none() -> None:
    graph = StateGraph("line", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    for steps in (0, 1, 2):
        run = ran(graph, steps)
        assert diagnose(run, run.history) is None


def test_a_node_that_came_back_once_is_a_loop_of_one_round() -> None:
    found = looked(ran(drafts(), 3))
    assert (found.cycle, found.rounds, found.first, found.last, found.left) == (
        ("write", "check"), 1, 1, 3, None,
    )  # fmt: skip


def test_a_loop_without_any_choice_says_so_by_having_none() -> None:
    graph = StateGraph("endless", start="a", max_steps=9)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a")
    found = looked(ran(graph, 9))
    assert (found.cycle, found.choices, found.left) == (("a",), (), None)


def test_a_missing_value_and_a_condition_that_fails_are_told_apart_from_false() -> None:
    graph = StateGraph("odd", start="a", max_steps=9)
    graph.add_node("a", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_edge("a", END, when="gone is not None and n > 100")
    graph.add_edge("a", END, when="n >= 3 and gone > 1")
    graph.add_edge("a", "a")
    run = ran(graph, 3)
    assert run.status == "failed"
    (choice,) = looked(run).choices
    assert choice.edges[0].verdicts == {1: "false", 2: "false", 3: "false"}
    assert [part.values for part in choice.edges[0].operands if part.text == "gone"] == [
        {1: MISSING, 2: MISSING, 3: MISSING}
    ]
    assert choice.edges[1].verdicts == {1: "false", 2: "false", 3: "failed"}
