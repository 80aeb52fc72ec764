"""refund_triage: small refunds are paid at once, large ones wait for a person."""

from __future__ import annotations

import pytest

from stepgraph import Decision, Executor, NodeFailed, NotAllowed, RunStatus

from .playing import compiled, path, play, values

SMALL = {"ticket": "You charged me twice for order 7301. Ben"}


# acceptance 138
def test_the_shipped_ticket_waits_for_a_person_before_any_money_moves() -> None:
    run = play("refund_triage")
    assert run.status is RunStatus.PAUSED
    assert path(run) == ["classify", "lookup", "draft", "amount_check"]
    assert run.current == "review"
    assert values(run)["payment"] == {}


def test_the_reviewer_sees_the_question_the_action_and_its_arguments() -> None:
    review = play("refund_triage").pending
    assert review is not None
    assert review.request.prompt == "Refund 240 EUR to Ana for order 8812?"
    assert review.request.action == 'pay(order_id="8812", amount=240, currency="EUR")'
    assert review.request.show == ("order", "draft")
    assert review.request.editable == {"order.amount": "number"}
    assert review.request.verbs == ("approve", "edit", "reject")
    assert review.request.risk == "high"


def test_an_approval_pays_the_amount_and_tells_the_customer() -> None:
    run = play("refund_triage", decisions=[Decision.approve(by="ana")])
    assert values(run)["payment"] == {"receipt": "rf-8812", "amount": 240, "currency": "EUR"}
    assert values(run)["notice"]["to"] == "Ana"
    assert values(run)["notice"]["message"].endswith("Refunded: 240 EUR, receipt rf-8812")
    assert "refuse" not in path(run)


def test_an_edit_pays_the_edited_amount() -> None:
    run = play("refund_triage", decisions=[Decision.edit({"order.amount": 120}, by="ana")])
    assert values(run)["decision"] == "approve"
    assert values(run)["payment"]["amount"] == 120
    assert "Refunded: 120 EUR" in values(run)["notice"]["message"]
    assert "240" not in values(run)["notice"]["message"]


def test_a_rejection_pays_nothing_and_sends_the_refusal() -> None:
    run = play("refund_triage", decisions=[Decision.reject(by="ana", comment="paid once only")])
    assert path(run)[-3:] == ["review", "refuse", "notify"]
    assert values(run)["payment"] == {}
    assert "cannot refund it" in values(run)["notice"]["message"]
    assert "Refunded" not in values(run)["notice"]["message"]
    assert run.outputs["review"] == ["paid once only"]


@pytest.mark.parametrize("decision", [Decision.approve(by="ana"), Decision.reject(by="ana")])
def test_a_decision_fires_exactly_one_edge(decision: Decision) -> None:
    run = play("refund_triage", decisions=[decision])
    (review,) = (record for record in run.history if record.node == "review")
    assert [edge.target for edge in review.edges if edge.matched] == [review.next]
    assert len({"pay", "refuse"} & set(path(run))) == 1
    assert path(run).count("notify") == 1


def test_only_the_amount_may_be_edited() -> None:
    executor = Executor(compiled("refund_triage"))
    executor.run(executor.start({}, "r-1"))
    with pytest.raises(NotAllowed):
        executor.decide("r-1", Decision.edit({"order.id": "7301"}, by="ana"))
    assert executor.load("r-1").status is RunStatus.PAUSED


# acceptance 138
def test_a_small_refund_is_paid_without_a_person() -> None:
    run = play("refund_triage", SMALL)
    assert run.status is RunStatus.ENDED
    assert "review" not in path(run)
    assert values(run)["payment"] == {"receipt": "rf-7301", "amount": 35.5, "currency": "EUR"}


def test_an_order_of_exactly_the_threshold_goes_to_a_person() -> None:
    run = play("refund_triage", {"ticket": "order 9054, please"})
    assert values(run)["route"] == "high"
    assert run.status is RunStatus.PAUSED


def test_a_ticket_about_something_else_is_handed_over_politely() -> None:
    run = play("refund_triage", replies=["other", "A colleague will answer you."])
    assert path(run) == ["classify", "hand_over"]
    assert run.output == "A colleague will answer you."


def test_a_ticket_without_a_known_order_fails_clearly_and_can_be_mended() -> None:
    executor = Executor(compiled("refund_triage"))
    run = executor.run(executor.start({"ticket": "refund order 4711"}, "r-1"))
    assert (run.status, run.current) == (RunStatus.FAILED, "lookup")
    with pytest.raises(NodeFailed, match=r"it names 4711; we know 8812, 7301, 9054"):
        run.raise_for_status()
    executor.edit("r-1", {"ticket": "refund order 7301"}, by="ana")
    executor.retry("r-1")
    assert values(executor.run(executor.load("r-1")))["payment"]["receipt"] == "rf-7301"
