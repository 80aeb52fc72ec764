"""A person ends a run where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    Conflict,
    Decision,
    Executor,
    MemoryStore,
    NotReady,
    Outcome,
    Reviews,
    RunStatus,
    StateGraph,
)
from stepgraph.nodes.approval import ApprovalNode
from stepgraph.stores.base import StateStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import PayloadChanged


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


def test_a_ready_run_is_stopped_where_it_stands() -> None:
    engine = executor()
    run = engine.start({})
    engine.step(run)
    stopped = engine.stop(run.id, by="ana", comment="no longer needed")
    for one in (stopped, engine.load(run.id)):
        assert (one.status, one.outcome, one.current, one.step) == (RunStatus.ENDED, Outcome.STOPPED, None, 1)
        assert one.values == {"n": 1}
    row = engine.store.rows(run.id)[-1]
    assert (row.kind, row.node, row.data) == (
        "stop",
        "count",
        {"by": "ana", "comment": "no longer needed", "source": "library"},
    )
    with pytest.raises(Conflict):
        engine.step(run)
    with pytest.raises(NotReady):
        engine.stop(run.id, by="ben")
    with pytest.raises(NotReady):
        engine.extend(run.id, 1)
    with pytest.raises(NotReady):
        engine.retry(run.id)


def test_stopping_withdraws_the_review_that_waits() -> None:
    engine = executor(asks=True)
    run = engine.run(engine.start({}))
    review = run.pending
    assert review is not None
    stopped = engine.stop(run.id, by="ana")
    assert stopped.pending is None
    assert engine.store.rows(run.id)[-1].data == {
        "by": "ana",
        "comment": "",
        "source": "library",
        "withdraws": review.id,
    }
    assert Reviews(engine.store).get(review.id).status == "withdrawn"
    assert Reviews(engine.store).pending() == []
    with pytest.raises(PayloadChanged, match="edited or stopped"):
        Reviews(engine.store).decide(review.id, Decision.approve(by="ben"))


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
