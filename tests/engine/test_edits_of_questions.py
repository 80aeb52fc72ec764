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


def test_an_edit_is_in_the_state_that_the_node_sees_and_leaves(store: StateStore) -> None:
    run = asked(store, letter()).resume("r", Decision.edit({"text": "NEW"}, by="ana"))
    assert (run.values["saw"], run.values["text"], run.values["sent"]) == ("NEW", "NEW", "NEW")
    record = run.history[0]
    assert record.updates == {"text": "NEW", "verdict": "edit", "saw": "NEW"}
    assert record.before["text"] == "NEW"
    assert record.output == '{"verdict":"edit","saw":"NEW"}'
    assert run.values_at(1)["text"] == "NEW"
    assert Executor(letter().compile(), store).load("r").values == run.values


def test_what_the_node_writes_itself_goes_over_the_edit(store: StateStore) -> None:
    def shouts(state: State) -> Any:
        asking = review(state)
        return asking if state.decision is None else {"text": state["text"] + "!"}

    run = asked(store, letter(shouts)).resume("r", Decision.edit({"text": "NEW"}))
    assert run.values["sent"] == "NEW!"


def test_a_node_that_merges_the_edit_itself_does_what_it_did(store: StateStore) -> None:
    def merges(state: State) -> Any:
        asking = review(state)
        return asking if state.decision is None else state.decision.apply_to(dict(state))

    run = asked(store, letter(merges)).resume("r", Decision.edit({"text": "NEW"}))
    assert run.values["sent"] == "NEW"


def test_a_node_may_take_the_edit_by_itself(store: StateStore) -> None:
    def compares(state: State) -> Any:
        request = ReviewRequest("Send?", show=("text",), editable=TEXT, merge_edits=False)
        if state.decision is None or not state.decision.is_about("review", request, dict(state)):
            return NodeResult.pause(request)
        return {"change": [state["text"], state.decision.values["text"]]}

    run = asked(store, letter(compares)).resume("r", Decision.edit({"text": "NEW"}))
    assert (run.values["change"], run.values["sent"]) == (["old", "NEW"], "old")


def test_part_of_a_table_and_a_list_are_changed_as_a_whole(store: StateStore) -> None:
    def asks(state: State) -> Any:
        editable: Mapping[str, ValueType] = {"order.amount": "number", "log": "list"}
        return {} if state.decision else NodeResult.pause(ReviewRequest("Pay?", editable=editable))

    executor = asked(store, letter(asks), order={"id": 7, "amount": 240})
    run = executor.resume("r", Decision.edit({"order.amount": 10, "log": ["new"]}))
    assert (run.values["order"], run.values["log"]) == ({"id": 7, "amount": 10}, ["new"])
    assert Executor(letter(asks).compile(), store).load("r").values == run.values


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


def test_an_edit_that_the_key_cannot_hold_fails_the_visit(store: StateStore) -> None:
    def asks(state: State) -> Any:
        return {} if state.decision else NodeResult.pause(ReviewRequest("?", editable={"amount": "text"}))

    run = asked(store, letter(asks)).resume("r", Decision.edit({"amount": "many"}))
    assert run.status is RunStatus.FAILED
    assert "node 'review' failed on visit 1: " in str(run.error)
    assert 'state["amount"]' in str(run.error)
    assert run.values["amount"] == 1


def test_a_retry_finds_the_edit_again(store: StateStore) -> None:
    fails = [True]

    def frail(state: State) -> Any:
        if state.decision is not None and fails.pop():
            raise ValueError("not now")
        return review(state)

    fails[:] = [False, True]
    executor = asked(store, letter(frail))
    run = executor.resume("r", Decision.edit({"text": "NEW"}))
    assert (run.status, run.values["text"]) == (RunStatus.FAILED, "old")
    assert executor.run(executor.retry("r")).values["sent"] == "NEW"


def two_questions(state: State) -> Any:
    """Asks twice on one visit."""
    said = [decision.verb for _, decision in state.answers]
    if len(said) < 2:
        shown = f"Question {len(said) + 1}: {state['text']}?"
        return NodeResult.pause(ReviewRequest(shown, show=("text",), editable=TEXT))
    return {"verdict": said}


def test_an_edit_stays_while_the_node_asks_more(store: StateStore) -> None:
    executor = asked(store, letter(two_questions))
    run = executor.resume("r", Decision.edit({"text": "NEW"}))
    pending = run.pending
    assert pending is not None
    assert (pending.request.prompt, pending.values) == ("Question 2: NEW?", {"text": "NEW"})
    assert run.values["text"] == "old"
    elsewhere = Executor(letter(two_questions).compile(), store)
    run = elsewhere.resume("r", Decision.approve())
    assert (run.values["verdict"], run.values["sent"]) == (["edit", "approve"], "NEW")


def test_what_is_edited_in_the_state_meanwhile_goes_over_an_earlier_edit(store: StateStore) -> None:
    executor = asked(store, letter(two_questions))
    executor.resume("r", Decision.edit({"text": "NEW"}))
    run = executor.edit("r", {"text": "by hand"}, by="ben")
    assert run.pending is not None
    assert run.pending.values == {"text": "by hand"}
    assert executor.resume("r", Decision.approve()).values["sent"] == "by hand"


def test_a_decision_outlives_an_edit_of_what_was_not_asked(store: StateStore) -> None:
    executor = asked(store, letter())
    Reviews(store).decide(store.load("r").pointer.review or "", Decision.edit({"text": "NEW"}))
    executor.edit("r", {"amount": 2}, by="ben")
    run = executor.run(executor.load("r"))
    assert (run.values["saw"], run.values["sent"], run.values["amount"]) == ("NEW", "NEW", 2)
    assert run.history[0].updates["text"] == "NEW"


def test_an_edit_of_what_was_asked_has_the_node_ask_anew(store: StateStore) -> None:
    executor = asked(store, letter())
    executor.decide("r", Decision.edit({"text": "NEW"}))
    executor.edit("r", {"text": "by hand"}, by="ben")
    run = executor.run(executor.load("r"))
    assert (run.status, run.pending.values if run.pending else None) == (
        RunStatus.PAUSED,
        {"text": "by hand"},
    )


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
