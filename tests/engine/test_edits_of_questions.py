"""What a reviewer changes in the question of a node reaches the node, the state and what is told of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    NodeResult,
    NotAllowed,
    ReviewRequest,
    Reviews,
    RunStatus,
    State,
    StateGraph,
    StateStore,
)
from stepgraph.graphs.parts import NodeReview
from stepgraph.runs.trial import try_node
from stepgraph.values.state import ValueType

TEXT: Mapping[str, ValueType] = {"text": "text"}


def review(state: State) -> NodeResult | dict[str, Any]:
    """Asks, and then does nothing with what was changed: that is the executor's work."""
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Send?", show=("text",), editable=TEXT))
    return {"verdict": state.decision.verb, "saw": state["text"]}


def letter(review: Any = review, gate: NodeReview | None = None) -> StateGraph:
    graph = StateGraph("letter", start="review")
    graph.add_key("log", reducer="append", default=["old"])
    graph.add_key("amount", type="number", default=1)
    graph.add_node("review", review, review=gate)
    graph.add_node("send", lambda state: {"sent": state["text"]})
    graph.add_edge("review", "send")
    graph.add_edge("send", END)
    return graph


def asked(store: StateStore, graph: StateGraph, **values: Any) -> Executor:
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"text": "old", **values}, "r"))
    assert run.status is RunStatus.PAUSED
    return executor


@pytest.mark.parametrize("first", ["order", "order.amount"])
def test_a_table_and_a_part_of_it_are_not_both_changed_for_one_of_them_would_be_lost(
    store: StateStore, first: str
) -> None:
    def asks(state: State) -> Any:
        editable: Mapping[str, ValueType] = {"order": "table", "order.amount": "number"}
        return {} if state.decision else NodeResult.pause(ReviewRequest("Pay?", editable=editable))

    executor = asked(store, letter(asks), order={"amount": 240})
    both: dict[str, Any] = {"order": {"amount": 240, "id": 7}, "order.amount": 10}
    ordered = {first: both.pop(first), **both}
    with pytest.raises(NotAllowed, match=r"changes 'order', and 'order\.amount' within it") as no:
        executor.resume("r", Decision.edit(ordered))
    assert no.value.hint == "put the new value of 'order.amount' into that of 'order'"
    assert executor.load("r").status is RunStatus.PAUSED


def test_a_path_without_its_table_is_not_offered(store: StateStore) -> None:
    def asks(state: State) -> NodeResult:
        return NodeResult.pause(ReviewRequest("Pay?", editable={"order.amount": "number"}))

    executor = Executor(letter(asks).compile(), store)
    run = executor.run(executor.start({"text": "old"}, "r"))
    assert run.status is RunStatus.FAILED
    assert str(run.error).startswith(
        "node 'review' failed on visit 1: 'order.amount' cannot be offered for editing: the state has no "
        "table 'order'"
    )


def test_a_decision_outlives_an_edit_of_what_was_not_asked(store: StateStore) -> None:
    executor = asked(store, letter())
    Reviews(store).decide(store.load("r").pointer.review or "", Decision.edit({"text": "NEW"}))
    executor.edit("r", {"amount": 2}, by="ben")
    run = executor.run(executor.load("r"))
    assert (run.values["saw"], run.values["sent"], run.values["amount"]) == ("NEW", "NEW", 2)
    assert run.history[0].updates["text"] == "NEW"


@pytest.mark.parametrize("gate", ["before", "after"])
def test_gates_around_the_node_keep_the_edit(store: StateStore, gate: NodeReview) -> None:
    executor = asked(store, letter(gate=gate))
    if gate == "before":
        executor.resume("r", Decision.edit({"amount": 5}))
    run = executor.resume("r", Decision.edit({"text": "NEW"}))
    if gate == "after":
        run = executor.resume("r", Decision.approve())
    assert (run.values["saw"], run.values["sent"]) == ("NEW", "NEW")
    assert run.values["amount"] == (5 if gate == "before" else 1)


def test_a_trial_merges_as_a_run_does() -> None:
    found = try_node(letter().compile(), "review", {"text": "old"}, decision=Decision.edit({"text": "NEW"}))
    assert (found.after["saw"], found.after["text"]) == ("NEW", "NEW")
