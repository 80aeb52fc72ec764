"""The loop doctor: what a run went round last, at any moment of it, and what was asked each time."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Executor, StateGraph, StateStore
from stepgraph.expressions.explain import MISSING
from stepgraph.runs.loop_doctor import LoopDiagnosis, diagnose, last_loop
from stepgraph.runs.loops import LOOK_BACK
from stepgraph.runs.run import Run
from stepgraph.stores.memory import MemoryStore
from tests.examples import examples


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


def test_a_run_that_is_still_in_its_loop_is_told_with_the_values_that_its_edges_asked(
    store: StateStore,
) -> None:
    found = looked(ran(drafts(), 6, store))
    assert (found.cycle, found.rounds, found.first, found.last, found.left) == (
        ("write", "check"), 3, 1, 6, None,
    )  # fmt: skip
    assert found.visits == {"write": 3, "check": 3}
    assert found.changed == {"score": 3, "tries": 2}
    assert found.unchanged == ("topic",)
    (choice,) = found.choices
    assert (choice.node, choice.steps, choice.count) == ("check", (2, 4, 6), 2)
    assert choice.kept is not None
    assert choice.kept.number == 2
    good, _ = choice.edges
    assert good.verdicts == {2: "false", 4: "false", 6: "false"}
    assert {part.text: part.values for part in good.operands} == {"score": {2: 5, 4: 6, 6: 7}}


def test_a_loop_that_was_left_is_told_with_the_way_out_and_what_was_asked_only_then() -> None:
    run = ran(drafts(), 9)
    assert run.status == "ended"
    found = looked(run)
    assert (found.last, found.left) == (8, ("check", "publish"))
    (choice,) = found.choices
    assert choice.kept is None
    assert {part.text: part.values for part in choice.edges[0].operands}["tries"] == {8: 4}


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


def test_of_a_long_run_only_the_last_steps_are_read() -> None:
    run = ran(drafts(max_steps=2_000), 1_000, score=0, tries=-10_000)
    found = looked(run)
    assert found.is_cut
    assert found.rounds == LOOK_BACK // 2
    assert found.last == 1_000
    assert found.visits == {"write": 500, "check": 500}

    steps = run.history
    asked: list[object] = []

    class Steps(Sequence[object]):
        def __len__(self) -> int:
            return len(steps)

        def __getitem__(self, index: object) -> object:  # type: ignore[override]
            asked.append(index)
            return steps[index]  # type: ignore[call-overload]

    diagnose(run, Steps())  # type: ignore[arg-type]
    assert asked == [slice(-LOOK_BACK, None, None)]


NODES = st.lists(st.sampled_from("abc"), max_size=24)


@given(NODES)
@examples(200)
def test_what_was_gone_round_is_a_shortest_cycle_and_ends_as_late_as_any(nodes: list[str]) -> None:
    found = last_loop(nodes)
    repeating = [
        (end, period)
        for end in range(len(nodes) + 1)
        for period in range(1, end // 2 + 1)
        if nodes[end - period : end] == nodes[end - 2 * period : end - period]
    ]
    if found is None:
        assert len(set(nodes)) == len(nodes)
        return
    round_ = nodes[found.start : found.start + found.period]
    if not repeating:
        assert found.rounds == 1
        assert nodes[found.end - 1] == round_[0]
        return
    assert nodes[found.start : found.end] == round_ * found.rounds
    assert found.rounds > 1
    assert (found.end, found.period) == min(repeating, key=lambda each: (-each[0], each[1]))
    assert nodes[max(0, found.start - found.period) : found.start] != round_
