"""refund_triage: small refunds are paid at once, large ones wait for a person."""

from __future__ import annotations

import pytest

from stepgraph import Decision, RunStatus

from .playing import path, play, values

SMALL = {"ticket": "You charged me twice for order 7301. Ben"}


# acceptance 138
def test_the_shipped_ticket_waits_for_a_person_before_any_money_moves() -> None:
    run = play("refund_triage")
    assert run.status is RunStatus.PAUSED
    assert path(run) == ["classify", "lookup", "draft", "amount_check"]
    assert run.current == "review"
    assert values(run)["payment"] == {}


@pytest.mark.parametrize("decision", [Decision.approve(by="ana"), Decision.reject(by="ana")])
def test_a_decision_fires_exactly_one_edge(decision: Decision) -> None:
    run = play("refund_triage", decisions=[decision])
    (review,) = (record for record in run.history if record.node == "review")
    assert [edge.target for edge in review.edges if edge.matched] == [review.next]
    assert len({"pay", "refuse"} & set(path(run))) == 1
    assert path(run).count("notify") == 1


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
