"""Forks, edits and adoption: going on from the past, and with another graph."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    DefinitionChanged,
    Executor,
    NotReady,
    RunExists,
    RunStatus,
    State,
    StateError,
    StateGraph,
    StateStore,
)
from stepgraph.runs.forking import values_to_fork


def counter(top: int = 4, **extra: Any) -> StateGraph:
    graph = StateGraph("counter", start="count", **extra)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1, "log": [state.visit]})
    graph.add_edge("count", "count", when=f"n < {top}")
    graph.add_edge("count", END)
    return graph


def test_a_fork_goes_on_from_a_past_step_and_leaves_its_parent_alone(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    fork = executor.fork("r-1", at=2, values={"n": 0}, new_run_id="r-2")
    assert (fork.status, fork.step, fork.current) == (RunStatus.READY, 2, "count")
    assert fork.values == {"n": 0, "log": [1, 2]}
    assert fork.head.origin == "r-1@2"
    executor.run(fork)
    assert [(record.step, record.visit) for record in fork.history] == [(n, n) for n in range(1, 7)]
    for handle in (fork, executor.load("r-2")):
        assert handle.values == {"n": 4, "log": [1, 2, 3, 4, 5, 6]}
        assert handle.values_at(1) == {"n": 1, "log": [1]}
    assert executor.load("r-1").values == {"n": 4, "log": [1, 2, 3, 4]}


def test_a_fork_at_zero_starts_over_and_none_means_the_last_step(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    run = executor.start({"x": 1}, run_id="r-1")
    executor.step(run)
    assert executor.fork("r-1", at=0).values == {"x": 1, "log": []}
    assert executor.fork("r-1").step == 1


def test_forks_that_cannot_be_are_refused(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(NotReady, match="ended there"):
        executor.fork("r-1", at=4)
    with pytest.raises(Exception, match="no step 9"):
        executor.fork("r-1", at=9)
    with pytest.raises(RunExists):
        executor.fork("r-1", at=1, new_run_id="r-1")
    with pytest.raises(StateError, match=r'state\["n"\] is a set'):
        executor.fork("r-1", at=1, values={"n": {1}})


def test_a_fork_of_a_rerouted_step_goes_where_the_later_routing_went(store: StateStore) -> None:
    graph = StateGraph("stuck", start="a")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", when="n > limit")
    graph.add_edge("b", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({"limit": 5}, run_id="r-1"))
    executor.edit("r-1", {"limit": 0}, by="ana")
    executor.retry("r-1")
    fork = executor.fork("r-1", at=1)
    assert (fork.current, fork.history[0].next) == ("b", "b")
    assert (fork.head.origin, fork.values, fork.values_at(1)) == (
        "r-1@1",
        {"limit": 0, "n": 1},
        {"limit": 5, "n": 1},
    )
    assert values_to_fork(executor.load("r-1"), 1) == fork.values


def test_an_edit_sets_and_removes_keys_between_steps_and_is_in_the_ledger(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    run = executor.start({"x": 1}, run_id="r-1")
    executor.step(run)
    edited = executor.edit("r-1", {"x": None, "log": ["new"]}, by="ana", comment="clean")
    assert edited.values == {"n": 1, "log": ["new"]}
    executor.run(edited)
    assert executor.load("r-1").values == {"n": 4, "log": ["new", 2, 3, 4]}
    assert executor.load("r-1").values_at(1) == {"x": 1, "n": 1, "log": [1]}
    (row,) = store.rows("r-1", kinds=("edit",))
    assert row.data == {"by": "ana", "comment": "clean", "source": "library"}
    with pytest.raises(NotReady, match="ended"):
        executor.edit("r-1", {"n": 0}, by="ana")


def test_a_run_goes_on_only_with_the_definition_it_started_with(store: StateStore) -> None:
    executor = Executor(counter(4).compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    assert Executor(counter(4).compile(), store).load("r-1").step == 1
    changed = Executor(counter(6).compile(), store)
    with pytest.raises(DefinitionChanged) as caught:
        changed.load("r-1")
    assert any("n < 6" in difference for difference in caught.value.differences)
    run = changed.run(changed.load("r-1", adopt=True))
    assert run.values["n"] == 6
    assert changed.load("r-1").step == 6


def test_opaque_parts_come_from_the_executors_graph() -> None:
    from stepgraph import MemoryStore

    def other(state: State) -> dict[str, Any]:
        return {"n": 100}

    with MemoryStore() as store:
        executor = Executor(counter().compile(), store)
        executor.step(executor.start({}, run_id="r-1"))
        graph = StateGraph("counter", start="count")
        graph.add_key("log", reducer="append", default=[])
        graph.add_node("count", other)
        graph.add_edge("count", "count", when="n < 4", label="a label is no difference")
        graph.add_edge("count", END)
        again = Executor(graph.compile(), store)
        assert again.run(again.load("r-1")).values["n"] == 100


def test_past_steps_keep_the_edges_of_the_graph_they_ran_with(store: StateStore) -> None:
    executor = Executor(counter(4).compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    changed = Executor(counter(6).compile(), store)
    run = changed.load("r-1", adopt=True)
    changed.step(run)
    assert [record.edges[0].description for record in run.history] == ["n < 4", "n < 6"]


def test_adoption_is_refused_when_the_node_at_the_pointer_is_gone(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    executor.start({}, run_id="r-1")
    graph = StateGraph("counter", start="tally")
    graph.add_node("tally", lambda state: {})
    graph.add_edge("tally", END)
    with pytest.raises(DefinitionChanged, match="'count', which the new graph does not have"):
        Executor(graph.compile(), store).load("r-1", adopt=True)


def test_a_key_that_begins_to_append_at_an_adoption_keeps_its_past(store: StateStore) -> None:
    def plain(reducer: Any) -> StateGraph:
        graph = StateGraph("grow", start="a")
        graph.add_key("log", reducer=reducer, default=["start"])
        graph.add_node("a", lambda state: {"log": [state.visit]})
        graph.add_edge("a", "a", when="step < 4")
        graph.add_edge("a", END)
        return graph

    executor = Executor(plain("replace").compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    changed = Executor(plain("append").compile(), store)
    run = changed.run(changed.load("r-1", adopt=True))
    assert [run.values_at(step)["log"] for step in range(5)] == [
        ["start"],
        [1],
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
    ]


def test_extensions_survive_an_adoption(store: StateStore) -> None:
    executor = Executor(counter(40, max_steps=2).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    executor.extend("r-1", 3)
    changed = Executor(counter(50, max_steps=10).compile(), store)
    assert changed.load("r-1", adopt=True).max_steps == 13


def test_a_fork_without_a_step_has_the_edits_after_the_last_one(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    executor.edit("r-1", {"n": 3}, by="ana")
    whole, step = executor.fork("r-1"), executor.fork("r-1", at=1)
    assert (whole.values["n"], step.values["n"]) == (3, 1)
    assert [executor.load(run.id).head.origin for run in (whole, step)] == ["r-1@1+1", "r-1@1"]
    executor.edit("r-1", {"n": 4}, by="ana")
    assert executor.fork("r-1").head.origin == "r-1@1+2"
    assert executor.fork(whole.id).head.origin == f"{whole.id}@1+1"
    executor.run(executor.load("r-1"))
    assert executor.fork("r-1", at=1).head.origin == "r-1@1"
