"""A person ends a run where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    Executor,
    MemoryStore,
    NotReady,
    Outcome,
    RunStatus,
    StateGraph,
)
from stepgraph.nodes.approval import ApprovalNode
from stepgraph.stores.base import StateStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.testing import FakeClock, sequential_ids


def count(state: Any) -> dict[str, Any]:
    return {"n": state.get("n", 0) + 1}


def executor(store: StateStore | None = None, *, asks: bool = False) -> Executor:
    graph = StateGraph("counting", start="count", max_steps=9)
    graph.add_node("count", count)
    if asks:
        graph.add_node("ask", ApprovalNode("ask", prompt="Go on?"))
        graph.add_edge("count", "ask")
        graph.add_edge("ask", END)
    else:
        graph.add_edge("count", "count", when="n < 5")
        graph.add_edge("count", END)
    return Executor(graph.compile(), store, clock=FakeClock(), ids=sequential_ids())


def test_a_fork_of_a_stopped_run_goes_on_and_knows_nothing_of_the_stop(tmp_path: Any) -> None:
    for store in (MemoryStore(), SqliteStore(tmp_path / "runs.db")):
        with store:
            engine = executor(store)
            run = engine.start({})
            engine.step(run)
            engine.stop(run.id, by="ana")
            fork = engine.run(engine.fork(run.id))
            assert (fork.status, fork.outcome, fork.values) == (RunStatus.ENDED, Outcome.END, {"n": 5})
            assert [row.kind for row in store.rows(fork.id)] == ["start", *["step"] * 5]


def test_what_has_failed_is_not_stopped() -> None:
    graph = StateGraph("fails", start="a")
    graph.add_node("a", lambda state: {"n": state["no"]})
    graph.add_edge("a", END)
    engine = Executor(graph.compile(), clock=FakeClock(), ids=sequential_ids())
    run = engine.run(engine.start({}))
    with pytest.raises(NotReady, match="cannot stop"):
        engine.stop(run.id, by="ana")
