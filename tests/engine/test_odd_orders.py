"""Adoptions, edits, retries, extensions and forks in orders that nobody plans for."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, MaxStepsExceeded, NotReady, Run, RunStatus, State, StateGraph, StateStore


def count(state: State) -> dict[str, Any]:
    return {"n": state.get("n", 0) + 1}


def graph_of(nodes: str, edges: list[tuple[str, str, str | None]], **settings: Any) -> StateGraph:
    graph = StateGraph("g", start=nodes[0], **settings)
    for node in nodes:
        graph.add_node(node, count)
    for source, target, when in edges:
        graph.add_edge(source, target, when)
    return graph


def tried(run: Run, step: int) -> list[tuple[str, str, bool | None]]:
    return [(edge.source, edge.target, edge.matched) for edge in run.history[step - 1].edges]


def test_a_fork_from_before_an_adoption_knows_the_edges_of_then(store: StateStore) -> None:
    before = Executor(
        graph_of("abc", [("a", "b", None), ("b", "c", None), ("c", END, None)]).compile(), store
    )
    run = before.start({}, run_id="r-1")
    before.step(run)
    before.step(run)
    after = Executor(graph_of("xbc", [("x", "b", None), ("b", "c", None), ("c", END, None)]).compile(), store)
    after.load("r-1", adopt=True)
    fork = after.fork("r-1", at=1, new_run_id="r-2")
    assert tried(fork, 1) == [("a", "b", True)]
    assert [row.kind for row in store.rows("r-2")] == ["start", "step", "adopt"]
    after.run(fork)
    assert tried(after.load("r-2"), 2) == [("b", "c", True)]
    assert after.fork("r-2", at=1, new_run_id="r-3").current == "b"
    assert tried(after.load("r-3"), 1) == [("a", "b", True)]


def test_a_fork_from_before_an_adoption_that_began_to_append_keeps_its_list(store: StateStore) -> None:
    def note(state: State) -> dict[str, Any]:
        return {"notes": [state.visit]}

    def notes(append: bool) -> Executor:
        graph = StateGraph("g", start="a")
        graph.add_node("a", note)
        graph.add_edge("a", "a", "step < 4")
        graph.add_edge("a", END)
        if append:
            graph.add_key("notes", reducer="append")
        return Executor(graph.compile(), store)

    plain = notes(append=False)
    run = plain.start({}, run_id="r-1")
    plain.step(run)
    plain.step(run)
    appending = notes(append=True)
    appending.load("r-1", adopt=True)
    fork = appending.run(appending.fork("r-1", at=1, new_run_id="r-2"))
    assert fork.values == {"notes": [1, 2, 3, 4]}
    assert appending.load("r-2").values == fork.values
    assert [appending.load("r-2").values_at(step)["notes"] for step in (1, 2)] == [[1], [1, 2]]


def test_a_retry_after_an_adoption_shows_the_edges_that_it_tried(store: StateStore) -> None:
    before = Executor(graph_of("ab", [("a", "b", "n > 50"), ("b", END, None)]).compile(), store)
    assert before.run(before.start({}, run_id="r-1")).status is RunStatus.FAILED
    edges = [("a", END, "n > 60"), ("a", END, "n > 50"), ("a", "b", None), ("b", END, None)]
    after = Executor(graph_of("ab", edges).compile(), store)
    after.load("r-1", adopt=True)
    assert after.retry("r-1").current == "b"
    assert tried(after.load("r-1"), 1) == [("a", END, False), ("a", END, False), ("a", "b", True)]


def test_a_fork_of_a_step_that_was_routed_again_has_the_state_that_it_was_routed_in(
    store: StateStore,
) -> None:
    executor = Executor(graph_of("ab", [("a", "b", "n > 50"), ("b", END, None)]).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    executor.edit("r-1", {"n": 60}, by="ana")
    executor.retry("r-1")
    for parent, child in (("r-1", "r-2"), ("r-2", "r-3")):
        fork = executor.fork(parent, at=1, new_run_id=child)
        assert (fork.current, fork.values) == ("b", {"n": 60})
        edge = fork.history[0].edges[0]
        assert (edge.matched, edge.explanation.result) == (True, True)


def test_a_capped_run_is_not_extended_to_a_node_that_an_adoption_took_away(store: StateStore) -> None:
    capped = Executor(graph_of("ab", [("a", "b", None), ("b", "a", None)], max_steps=3).compile(), store)
    capped.run(capped.start({}, run_id="r-1"))
    after = Executor(graph_of("ac", [("a", "c", None), ("c", END, None)]).compile(), store)
    after.load("r-1", adopt=True)
    with pytest.raises(NotReady, match="node 'b', which comes next, is not in the graph"):
        after.extend("r-1", 5)
    assert after.load("r-1").status is RunStatus.ENDED


def test_a_retry_that_meets_the_cap_reports_the_edge_that_it_took(store: StateStore) -> None:
    graph = graph_of("a", [("a", "a", "n < 4 or n > 50")], max_steps=4, on_max_steps="fail")
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    executor.edit("r-1", {"n": 60}, by="ana")
    run = executor.retry("r-1")
    assert isinstance(run.error, MaxStepsExceeded)
    assert "the edge that kept matching is a -> a [n < 4 or n > 50]" in run.error.message
    run = executor.run(executor.extend("r-1", 2))
    assert (run.step, run.values, run.status) == (6, {"n": 62}, RunStatus.FAILED)


@pytest.mark.parametrize("policy", ["return_last", "flag", "fail"])
def test_the_hint_for_a_capped_run_is_to_extend_it(store: StateStore, policy: str) -> None:
    graph = graph_of("ab", [("a", "b", None), ("b", "a", None)], max_steps=3, on_max_steps=policy)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(NotReady, match=r"\(max_steps\) \(extend it"):
        executor.step(run)
    with pytest.raises(NotReady, match="extend it"):
        executor.retry("r-1")
