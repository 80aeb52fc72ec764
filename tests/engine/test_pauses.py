"""Pauses: a review in the store, one decision, one edge."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from stepgraph import (
    END,
    AlreadyDecided,
    Decision,
    Executor,
    NodeResult,
    NotAllowed,
    NotReady,
    PayloadChanged,
    ReviewRequest,
    Reviews,
    RunExists,
    RunStatus,
    State,
    StateGraph,
    StateStore,
    UnknownReview,
)

ran: list[str] = []


@pytest.fixture(autouse=True)
def clean() -> None:
    ran.clear()


def act(name: str) -> Any:
    def node(state: State) -> dict[str, Any]:
        ran.append(name)
        return {}

    return node


def ask(state: State) -> NodeResult:
    """Asks on its first execution, and writes what was decided on its second."""
    ran.append("ask")
    if state.decision is None:
        request = ReviewRequest(
            f"Pay {state['order']['amount']}?",
            action="pay",
            arguments={"amount": state["order"]["amount"]},
            show=("order",),
            editable={"order.amount": "number"},
            allow=("approve", "edit", "reject", "respond"),
            risk="high",
        )
        return NodeResult.pause(request)
    updates = state.decision.apply_to(dict(state))
    return NodeResult(
        {**updates, "verb": state.decision.verb}, output=state.decision.text or state.decision.comment
    )


def refund() -> StateGraph:
    graph = StateGraph("refund", start="prepare")
    graph.add_node("prepare", act("prepare"))
    graph.add_node("ask", ask)
    graph.add_node("pay", act("pay"))
    graph.add_node("refuse", act("refuse"))
    graph.add_edge("prepare", "ask")
    graph.add_edge("ask", "pay", when='verb in ["approve", "edit"]')
    graph.add_edge("ask", "refuse")
    graph.add_edge("pay", END)
    graph.add_edge("refuse", END)
    return graph


def paused(store: StateStore, run_id: str = "r-1") -> Executor:
    executor = Executor(refund().compile(), store)
    run = executor.run(executor.start({"order": {"id": 1, "amount": 240}}, run_id=run_id))
    assert run.status is RunStatus.PAUSED
    return executor


# acceptance 103, 119, e9 1
def test_a_pause_is_no_step_and_the_pointer_stays(store: StateStore) -> None:
    executor = Executor(refund().compile(), store)
    run = executor.start({"order": {"id": 1, "amount": 240}})
    executor.step(run)
    record = executor.step(run)
    assert (record.status, record.node, record.step, record.visit) == ("paused", "ask", 2, 1)
    assert (run.step, run.current, len(run.history), run.visits) == (1, "ask", 1, {"prepare": 1})
    review = run.pending
    assert review is not None
    assert (review.run_id, review.node, review.step, review.status) == (run.id, "ask", 2, "pending")
    assert review.request.prompt == "Pay 240?"
    assert review.request.arguments == {"amount": 240}
    assert review.values == {"order": {"id": 1, "amount": 240}, "order.amount": 240}
    with pytest.raises(NotReady, match="approvals"):
        executor.step(run)


# acceptance 121, 123, e9 1, e9 2
def test_resume_completes_the_visit_once_and_takes_one_edge(store: StateStore) -> None:
    paused(store)
    elsewhere = Executor(refund().compile(), store)
    run = elsewhere.resume("r-1", Decision.approve(by="ana", comment="checked the order"))
    assert run.status is RunStatus.ENDED
    assert ran == ["prepare", "ask", "ask", "pay"]
    assert [(record.step, record.node, record.visit) for record in run.history] == [
        (1, "prepare", 1),
        (2, "ask", 1),
        (3, "pay", 1),
    ]
    assert run.pending is None
    with pytest.raises(AlreadyDecided, match=r"approve by ana \(library\) at .*: checked the order"):
        elsewhere.resume("r-1", Decision.reject(by="ben"))
    assert ran == ["prepare", "ask", "ask", "pay"]


def test_reject_respond_and_edit_each_do_what_they_say(store: StateStore) -> None:
    executor = paused(store, "r-1")
    assert executor.resume("r-1", Decision.reject(by="ana", comment="too much")).values["verb"] == "reject"
    assert ran[-1] == "refuse"
    executor = paused(store, "r-2")
    run = executor.resume("r-2", Decision.edit({"order.amount": 90}, by="ana"))
    assert run.values["order"] == {"id": 1, "amount": 90}
    assert ran[-1] == "pay"
    executor = paused(store, "r-3")
    run = executor.resume("r-3", Decision.respond("ask again on Monday", by="ana"))
    assert run.history[1].output == "ask again on Monday"


def test_deciding_needs_a_store_alone(store: StateStore) -> None:
    paused(store)
    reviews = Reviews(store, now=lambda: 1_700_000_000.0)
    (waiting,) = reviews.pending()
    decided = reviews.decide(waiting.id, Decision.approve(by="ana"), expect_hash=waiting.hash)
    assert decided.status == "decided"
    assert reviews.pending() == []
    again = reviews.get(waiting.id)
    assert again.decision is not None
    assert (again.decision.by, again.decision.at, again.decision.hash) == (
        "ana",
        1_700_000_000.0,
        waiting.hash,
    )
    assert ran == ["prepare", "ask"]
    run = Executor(refund().compile(), store).load("r-1")
    assert (run.status, run.current) == (RunStatus.READY, "ask")


# acceptance 123
def test_the_second_decision_loses_and_is_told_who_won(store: StateStore) -> None:
    paused(store)
    reviews = Reviews(store)
    (waiting,) = reviews.pending()
    reviews.decide(waiting.id, Decision.reject(by="ben", comment="no"))
    with pytest.raises(AlreadyDecided, match="reject by ben"):
        reviews.decide(waiting.id, Decision.approve(by="ana"))
    assert reviews.get(waiting.id).decision.verb == "reject"  # type: ignore[union-attr]


# e9 17
@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (Decision.edit({"verb": "approve"}), "'verb' is not editable"),
        (Decision.edit({"order.id": 7}), "'order.id' is not editable"),
        (Decision.edit({"order.amount": "90"}), "takes a number, not text"),
        (Decision.edit({"order.amount": True}), "takes a number, not boolean"),
        (Decision.edit({}), "changes nothing"),
        (Decision.respond(" \n"), "the answer to review a-.* is empty"),
        (Decision("approve", values={"order.amount": 1}), "takes no values"),
        (Decision("obey"), "does not offer 'obey'"),  # type: ignore[arg-type]
    ],
)
def test_what_was_not_offered_is_refused_and_nothing_is_recorded(
    store: StateStore, decision: Decision, words: str
) -> None:
    executor = paused(store)
    with pytest.raises(NotAllowed, match=words):
        executor.decide("r-1", decision)
    assert executor.load("r-1").status is RunStatus.PAUSED


def test_a_decision_that_is_checked_is_not_recorded(store: StateStore) -> None:
    executor, reviews = paused(store), Reviews(store)
    asked = executor.load("r-1").pending
    assert asked is not None
    assert reviews.check(asked.id, Decision.approve(by="ana"), expect_hash=asked.hash) == asked
    assert store.audit() == []
    with pytest.raises(PayloadChanged, match="not the one you looked at"):
        reviews.check(asked.id, Decision.approve(by="ana"), expect_hash="0" * 16)
    with pytest.raises(NotAllowed, match="does not offer 'obey'"):
        reviews.check(asked.id, Decision("obey"))  # type: ignore[arg-type]
    reviews.decide(asked.id, Decision.reject(by="ben"))
    with pytest.raises(AlreadyDecided, match="reject by ben"):
        reviews.check(asked.id, Decision.approve(by="ana"))


def test_unknown_and_foreign_reviews_are_refused(store: StateStore) -> None:
    executor = paused(store, "r-1")
    paused(store, "r-2")
    foreign = executor.load("r-2").pending
    assert foreign is not None
    with pytest.raises(UnknownReview, match="a-nothing"):
        Reviews(store).decide("a-nothing", Decision.approve())
    with pytest.raises(UnknownReview, match="does not belong"):
        executor.decide("r-1", Decision.approve(), review=foreign.id)
    executor.start({"order": {"id": 1, "amount": 2}}, run_id="r-3")
    with pytest.raises(UnknownReview, match="no review of run 'r-3'"):
        executor.decide("r-3", Decision.approve())


def test_a_decision_is_bound_to_the_payload(store: StateStore) -> None:
    executor = paused(store)
    with pytest.raises(PayloadChanged, match="not the one you looked at"):
        executor.decide("r-1", Decision.approve(), expect_hash="0" * 16)
    assert executor.load("r-1").status is RunStatus.PAUSED


def test_an_edit_withdraws_the_review_and_asks_anew(store: StateStore) -> None:
    executor = paused(store)
    first = executor.load("r-1").pending
    assert first is not None
    run = executor.edit("r-1", {"order": {"id": 1, "amount": 900}}, by="ana", comment="typo")
    second = run.pending
    assert second is not None
    assert second.id != first.id
    assert second.hash != first.hash
    assert second.request.prompt == "Pay 900?"
    with pytest.raises(PayloadChanged, match="withdrawn"):
        executor.decide("r-1", Decision.approve(), review=first.id)
    assert executor.resume("r-1", Decision.approve(), review=second.id).values["order"] == {
        "id": 1,
        "amount": 900,
    }


# e9 4
def test_a_decision_serves_one_visit_only(store: StateStore) -> None:
    graph = StateGraph("twice", start="ask")
    graph.add_node("ask", ask)
    graph.add_edge("ask", "ask", when="visits.ask < 2")
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({"order": {"amount": 1}}, run_id="r-1"))
    run = executor.resume("r-1", Decision.approve())
    assert (run.status, run.step) == (RunStatus.PAUSED, 1)
    assert executor.resume("r-1", Decision.approve()).status is RunStatus.ENDED


# e9 4
def test_a_decision_does_not_open_the_next_gate(store: StateStore) -> None:
    graph = StateGraph("gates", start="first")
    for gate in ("first", "second"):
        graph.declare_node(gate, "approval", {"prompt": f"Through the {gate}?", "output": gate})
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}, "r-1"))
    run = executor.resume("r-1", Decision.approve(by="ana"))
    assert (run.status, run.current) == (RunStatus.PAUSED, "second")
    assert (run.values["first"], "second" in run.values) == ("approve", False)
    assert run.pending is not None
    assert run.pending.request.prompt == "Through the second?"
    run = executor.resume("r-1", Decision.reject(by="ben"))
    assert (run.values["first"], run.values["second"]) == ("approve", "reject")
    assert run.values["review"]["by"] == "ben"  # type: ignore[index, call-overload]


# e9 3
def test_running_or_starting_a_paused_run_again_does_nothing(store: StateStore) -> None:
    executor = paused(store)
    ran.clear()
    run = executor.load("r-1")
    assert executor.run(run) is run
    assert list(executor.iterate(run)) == []
    with pytest.raises(RunExists, match="'r-1'"):
        executor.start({"order": {"id": 2, "amount": 1}}, run_id="r-1")
    assert ran == []
    assert executor.load("r-1").values == {"order": {"id": 1, "amount": 240}}
    assert (executor.load("r-1").status, executor.load("r-1").version) == (RunStatus.PAUSED, run.version)


# e9 17
def test_no_input_at_the_start_stands_for_a_decision(store: StateStore) -> None:
    executor = Executor(refund().compile(), store)
    inputs = {"order": {"amount": 240}, "verb": "approve", "decision": "approve", "approved": True}
    run = executor.run(executor.start({**inputs, "current": "pay"}))
    assert (run.status, run.current) == (RunStatus.PAUSED, "ask")
    assert "pay" not in ran


# acceptance 120
def test_a_paused_run_holds_no_thread_and_no_lock(store: StateStore) -> None:
    threads = set(threading.enumerate())
    executor = paused(store)
    graph = StateGraph("other", start="a")
    graph.add_node("a", act("a"))
    graph.add_edge("a", END)
    others = Executor(graph.compile(), store)
    for _ in range(3):
        assert others.run(others.start({})).status is RunStatus.ENDED
    assert executor.resume("r-1", Decision.approve()).status is RunStatus.ENDED
    assert set(threading.enumerate()) <= threads


def test_a_failed_visit_keeps_its_decision_for_the_retry_while_the_payload_is_the_same(
    store: StateStore,
) -> None:
    tries: list[str] = []

    def flaky(state: State) -> NodeResult:
        if state.decision is None:
            return NodeResult.pause(ReviewRequest("Go?", show=("amount",)))
        tries.append(state.decision.by)
        if len(tries) == 1:
            raise OSError("the line is busy")
        return NodeResult({"done": True})

    graph = StateGraph("flaky", start="a")
    graph.add_node("a", flaky)
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    for run_id in ("r-1", "r-2"):
        executor.run(executor.start({"amount": 1}, run_id=run_id))
    assert executor.resume("r-1", Decision.approve(by="ana")).status is RunStatus.FAILED
    assert executor.retry("r-1").status is RunStatus.ENDED
    assert tries == ["ana", "ana"]
    tries.clear()
    executor.resume("r-2", Decision.approve(by="ana"))
    executor.edit("r-2", {"amount": 1000}, by="ben")
    assert executor.retry("r-2").status is RunStatus.PAUSED  # what ana looked at is not what is there now
    assert tries == ["ana"]


# acceptance 122, 123, e9 2
def test_two_handles_that_step_the_same_run_commit_once(store: StateStore) -> None:
    from stepgraph import Conflict

    paused(store)
    executor = Executor(refund().compile(), store)
    executor.decide("r-1", Decision.approve(by="ana"))
    one, two = executor.load("r-1"), executor.load("r-1")
    executor.step(one)
    with pytest.raises(Conflict):
        executor.step(two)
    assert (two.step, two.current, two.status) == (1, "ask", RunStatus.READY)
    assert executor.load("r-1").step == 2


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("prompt", 7),
        ("prompt", "half \ud800"),
        ("action", None),
        ("arguments", {"x": {1, 2}}),
        ("arguments", [1]),
        ("show", "order"),
        ("show", [7]),
        ("editable", ["order"]),
        ("editable", {"order.amount": "numbr"}),
        ("allow", "approve"),
        ("allow", ["obey"]),
        ("risk", "hgih"),
        ("risk_reason", 1.5),
    ],
)
def test_a_request_that_no_reviewer_could_be_shown_is_a_node_failure(
    store: StateStore, part: str, value: Any
) -> None:
    graph = StateGraph("bad", start="a")
    graph.add_node("a", lambda state: NodeResult.pause(ReviewRequest(**{"prompt": "Go?", part: value})))
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.FAILED
    assert f"the review's {part}" in str(run.error)
    assert Reviews(store).pending() == []
