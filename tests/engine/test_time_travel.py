"""Forks, edits and adoption: going on from the past, and with another graph."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    DefinitionChanged,
    Executor,
    StateGraph,
    StateStore,
)


def counter(top: int = 4, **extra: Any) -> StateGraph:
    graph = StateGraph("counter", start="count", **extra)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1, "log": [state.visit]})
    graph.add_edge("count", "count", when=f"n < {top}")
    graph.add_edge("count", END)
    return graph


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
