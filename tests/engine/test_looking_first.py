"""What cannot go on is refused before anything is recorded, and a handle that was overtaken says so."""

from __future__ import annotations

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Conflict,
    Executor,
    NotReady,
    RunStatus,
    StateGraph,
    StateStore,
)


def asking(*more: str) -> StateGraph:
    graph = StateGraph("ask", start="ask", max_steps=2)
    graph.add_node("ask", ApprovalNode(prompt="Go on?"))
    graph.add_node("act", lambda state: {"done": True})
    for name in more:
        graph.add_node(name, lambda state: {})
        graph.add_edge(name, END)
    graph.add_edge("ask", "act")
    graph.add_edge("act", END)
    return graph


def paused(store: StateStore) -> Executor:
    executor = Executor(asking().compile(), store)
    assert executor.run(executor.start({}, "r")).status is RunStatus.PAUSED
    return executor


def test_an_ended_handle_of_a_run_that_was_extended_is_told(store: StateStore) -> None:
    graph = StateGraph("loop", start="a", max_steps=1)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a")
    executor = Executor(graph.compile(), store)
    handle = executor.run(executor.start({}, "r"))
    executor.extend("r", 1)
    with pytest.raises(Conflict, match="run 'r' is at version 3 and not at 2"):
        executor.run(handle)


def test_a_handle_that_stands_where_its_run_stands_does_nothing(store: StateStore) -> None:
    executor = paused(store)
    handle = executor.load("r")
    assert executor.run(handle) is handle
    assert list(executor.iterate(handle)) == []
    with pytest.raises(NotReady):
        executor.step(handle)
