"""How a condition would have come out in a recorded run, and the names that it can use."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, MemoryStore, NodeResult, StateGraph
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.documents.matching import matched
from stepgraph_tui.run_view import RunView

ROUNDS = 7


def counting(rounds: int = ROUNDS) -> StateGraph:
    """Two nodes in turn; the first counts, and keeps a list and a table."""
    graph = StateGraph("count", start="count", max_steps=10_000)
    graph.add_key("seen", reducer="append", default=[])

    def count(state: Any) -> NodeResult:
        at = state.get("n", 0) + 1
        updates = {"n": at, "seen": at, "order": {"amount": at * 10}, "late": True if at > 2 else None}
        return NodeResult(updates, f"round {at}")

    graph.add_node("count", count)
    graph.add_node("rest", lambda state: {"rested": state["n"]})
    graph.add_edge("count", END, f"n == {rounds}")
    graph.add_edge("count", "rest")
    graph.add_edge("rest", "count")
    return graph


def ran(graph: StateGraph) -> RunView:
    store = MemoryStore()
    executor = Executor(graph.compile(), store, clock=FakeClock(), ids=sequential_ids())
    run = executor.run(executor.start({}))
    return RunView(store, run.id)


@pytest.fixture(scope="module")
def view() -> RunView:
    return ran(counting())


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (None, "matched 7 of 7 visits"),
        ("n > 4", "matched 3 of 7 visits"),
        ("order.amount >= 60", "matched 2 of 7 visits"),
        ("3 in seen", "matched 5 of 7 visits"),
        ("late", "matched 5 of 7 visits, failed at 2"),
        ("late is not None", "matched 5 of 7 visits"),
        ("rested is not None and rested < n", "matched 6 of 7 visits"),
        ("visits.count == 2", "matched 1 of 7 visits"),
        ("visits.rest == 2", "matched 1 of 7 visits"),
        ("step == 3", "matched 1 of 7 visits"),
        ('last_output == "round 3"', "matched 1 of 7 visits"),
        ({"key": "n", "equals": 5}, "matched 1 of 7 visits"),
        ("nothing", "matched 0 of 7 visits, failed at 7"),
        ("n >", "matched 0 of 7 visits, failed at 7"),
        (7, "matched 0 of 7 visits, failed at 7"),
        ({"predicate": "rules:go"}, "Python code is not called to try it"),
    ],
)
def test_a_condition_is_asked_about_the_state_after_each_visit(
    view: RunView, when: object, words: str
) -> None:
    assert matched(view, "count", when).words() == words


def test_a_node_that_was_not_visited_has_nothing_to_tell(view: RunView) -> None:
    assert matched(view, "elsewhere", "n > 4").words() == "no visit in the last run to try it with"
