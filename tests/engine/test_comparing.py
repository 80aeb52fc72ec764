"""Where two runs part."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Executor, Run, RunStatus, StateGraph
from stepgraph.runs.comparing import compare_runs
from stepgraph.testing import FakeClock, sequential_ids


def work(state: Any) -> dict[str, Any]:
    return {"n": state["n"] + 1, "log": [f"visit {state['n']}"], "same": [1, 2, 3] * 60}


def executor() -> Executor:
    graph = StateGraph("walk", start="work", max_steps=200)
    graph.add_key("n", default=0)
    graph.add_key("turn", default=4)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("work", work)
    graph.add_node("left", lambda state: {"went": "left"})
    graph.add_node("right", lambda state: {"went": "right"})
    graph.add_edge("work", "left", when="n >= turn")
    graph.add_edge("work", "right", when="n >= 9")
    graph.add_edge("work", "work")
    graph.add_edge("left", END)
    graph.add_edge("right", END)
    return Executor(graph.compile(), clock=FakeClock(), ids=sequential_ids())


def compared(left: Run, right: Run) -> tuple[int, list[str | None], list[str], list[str]]:
    found = compare_runs(left, right)
    return (
        found.shared,
        [None if step is None else step.next for step in found.first],
        found.inputs,
        found.state,
    )


def test_the_same_run_twice_differs_nowhere() -> None:
    engine = executor()
    left, right = (engine.run(engine.start({})) for _ in range(2))
    assert compared(left, right) == (5, [None, None], [], [])
    assert compare_runs(left, right).is_same


def test_an_input_makes_them_part_where_an_edge_reads_it() -> None:
    engine = executor()
    left, right = (engine.run(engine.start({"turn": turn})) for turn in (3, 5))
    assert compared(left, right) == (2, ["left", "work"], ["turn"], ["n", "turn", "log"])
    assert not compare_runs(left, right).is_same


def test_a_fork_parts_where_it_was_changed() -> None:
    engine = executor()
    run = engine.run(engine.start({}))
    fork = engine.run(engine.fork(run.id, at=2, values={"turn": 99}))
    assert compared(run, fork) == (3, ["left", "work"], [], ["n", "turn", "log", "went"])


def test_what_did_not_go_on_has_no_step() -> None:
    engine = executor()
    run = engine.run(engine.start({}))
    short = engine.start({})
    engine.step(short)
    found = compare_runs(run, short)
    assert found.shared == 1
    assert found.first[0] is not None
    assert found.first[0].step == 2
    assert found.first[1] is None


def test_a_step_that_writes_something_else_is_where_they_part() -> None:
    engine = executor()
    left, right = engine.start({}), engine.start({})
    engine.step(left)
    engine.step(right)
    right = engine.edit(right.id, {"n": 2}, by="ana")
    left, right = engine.load(left.id), engine.load(right.id)
    engine.step(left)
    engine.step(right)
    found = compare_runs(left, right)
    assert (found.shared, found.inputs) == (1, [])
    assert [key for key in found.state if key != "log"] == ["n"]


def test_edits_that_only_one_has_are_told_up_to_where_they_part() -> None:
    engine = executor()
    run = engine.start({})
    engine.step(run)
    run = engine.edit(run.id, {"note": "of both"}, by="ana")
    fork = engine.fork(run.id)
    alone = engine.fork(run.id, at=1, values={"note": "of one", "log": ["anew"]})
    engine.run(run)
    found = compare_runs(engine.load(run.id), engine.run(fork))
    assert (found.is_same, found.edits) == (True, ([], []))
    found = compare_runs(engine.load(run.id), engine.run(alone))
    assert (found.shared, found.state) == (5, ["log", "note"])  # both appended the same
    ours, theirs = found.edits
    assert [row.updates for row in (*ours, *theirs)] == [
        {"note": "of both"},
        {"note": "of one", "log": ["anew"]},
    ]
    run = engine.start({})
    late = engine.start({"turn": 2})
    for each in (run, late):
        while each.step < 4 and each.status is RunStatus.READY:
            engine.step(each)
    run = engine.edit(run.id, {"n": 9}, by="ana")
    found = compare_runs(run, late)
    assert (found.shared, found.edits) == (1, ([], []))


@given(st.integers(1, 12), st.integers(1, 12))
def test_they_part_exactly_where_a_walk_over_both_says(one: int, other: int) -> None:
    engine = executor()
    left, right = (engine.run(engine.start({"turn": turn})) for turn in (one, other))
    walk = 0
    for ours, theirs in zip(left.history, right.history, strict=False):
        if (ours.node, ours.next) != (theirs.node, theirs.next):
            break
        walk += 1
    assert compare_runs(left, right).shared == walk
