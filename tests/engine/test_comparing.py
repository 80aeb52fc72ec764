"""Where two runs part."""

from __future__ import annotations

from typing import Any

from stepgraph import END, Executor, Run, StateGraph
from stepgraph.runs.run import compare_runs
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


def test_a_fork_parts_where_it_was_changed() -> None:
    engine = executor()
    run = engine.run(engine.start({}))
    fork = engine.run(engine.fork(run.id, at=2, values={"turn": 99}))
    assert compared(run, fork) == (3, ["left", "work"], [], ["n", "turn", "log", "went"])
