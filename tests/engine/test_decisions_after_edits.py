"""A decision holds for what was looked at, also when a hand-written node shows it by its prompt alone."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    NodeResult,
    ReviewRequest,
    RunStatus,
    State,
    StateGraph,
    StateStore,
)

paid: list[int] = []
asked: list[int] = []


@pytest.fixture(autouse=True)
def clean() -> None:
    paid.clear()
    asked.clear()


def pay(state: State) -> NodeResult:
    """Asks above 100, by a prompt that names the amount but shows no key; the first payment fails."""
    amount = state["amount"]
    if amount > 100 and state.decision is None:
        asked.append(amount)
        return NodeResult.pause(ReviewRequest(f"Pay {amount}?"))
    paid.append(amount)
    if len(paid) == 1:
        raise OSError("the bank is closed")
    return NodeResult({"paid": amount})


def decided(store: StateStore, edit: dict[str, Any]) -> Executor:
    """A run whose approved payment failed, and whose state was edited afterwards."""
    graph = StateGraph("pay", start="pay")
    graph.add_node("pay", pay)
    graph.add_edge("pay", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({"amount": 200, "note": ""}, run_id="r-1"))
    run = executor.resume("r-1", Decision.approve(by="ana"))
    assert (run.status, paid) == (RunStatus.FAILED, [200])
    executor.edit("r-1", edit, by="ben")
    return executor


def test_an_edit_of_what_was_approved_asks_again(store: StateStore) -> None:
    run = decided(store, {"amount": 9000}).retry("r-1")
    assert run.status is RunStatus.PAUSED
    assert run.pending is not None
    assert run.pending.request.prompt == "Pay 9000?"
    assert paid == [200]


def test_an_edit_of_something_else_keeps_the_decision(store: StateStore) -> None:
    run = decided(store, {"note": "the bank opens at nine"}).retry("r-1")
    assert (run.status, run.values["paid"]) == (RunStatus.ENDED, 200)
    assert asked == [200, 200]  # asked what it would ask now, and that was answered


def test_an_edit_after_which_nobody_need_be_asked_runs_the_node_once(store: StateStore) -> None:
    run = decided(store, {"amount": 50}).retry("r-1")
    assert (run.status, paid) == (RunStatus.ENDED, [200, 50])
