"""The examples whose models take turns: tool_router, selective_feedback, negotiation; and the router."""

from __future__ import annotations

import pytest

from stepgraph import Executor, Outcome, RunStatus
from stepgraph.testing import ScriptedModel

from .playing import compiled, path, play, values


# acceptance 72
def test_the_assistant_asks_two_tools_and_then_answers() -> None:
    run = play("tool_router")
    stock, handbook = values(run)["facts"]
    assert stock == {"product": "Meridian helmet", "branch": "Lyon", "count": 4}
    assert [passage["title"] for passage in handbook["passages"]] == ["Returns"]
    assert values(run)["answer"].startswith("Yes, our Lyon branch has four")
    assert values(run)["next_action"] == "RESPOND"
    assert "tool_call" not in values(run)


def test_a_tool_that_nobody_declared_fails_by_its_name() -> None:
    run = play("tool_router", replies=['CALL_TOOL: check_stok {"product": "helmet"}'])
    assert (run.status, run.current) == (RunStatus.FAILED, "check_stock")
    assert "check_stok" in str(run.error)


# acceptance 109
def test_a_model_that_never_stops_asking_is_stopped_and_marked() -> None:
    call = 'CALL_TOOL: search_handbook {"query": "opening hours"}'
    run = play("tool_router", replies=[call] * 6)
    assert (run.status, run.outcome, run.flagged) == (RunStatus.ENDED, Outcome.MAX_STEPS, True)
    assert len(run.history) == 12


# acceptance 72
def test_writer_and_critic_go_on_until_the_critic_approves() -> None:
    run = play("selective_feedback")
    assert run.visits == {"research": 1, "write": 3, "critique": 3}
    assert values(run)["critique"].startswith("VERDICT: approve")
    assert "two and a half units of heat" in values(run)["text"]
    assert len(set(run.outputs["write"])) == 3


# acceptance 12
def test_only_the_writer_sees_its_previous_output() -> None:
    replies = ["- one", "Draft one.", "VERDICT: more facts\nThin.", "- two", "Draft two.", "VERDICT: approve"]
    model = ScriptedModel(replies)
    executor = Executor(compiled("selective_feedback"), models={"default": model}, live=True)
    executor.run(executor.start({}))
    second_search, second_draft, second_verdict = model.prompts[3:]
    assert "Thin." in second_search
    assert "- one" not in second_search
    assert "Draft one." in second_draft
    assert "- two" in second_draft
    assert "Thin." not in second_verdict


def test_a_critic_who_never_approves_is_stopped_and_the_run_is_marked() -> None:
    run = play("selective_feedback", replies=["- one", *["A draft.", "VERDICT: revise"] * 9])
    assert (run.outcome, run.flagged, len(run.history)) == (Outcome.MAX_STEPS, True, 15)


# acceptance 72
def test_buyer_and_seller_agree_on_a_price_within_their_limits() -> None:
    run = play("negotiation")
    assert values(run)["offers"] == [
        {"bid": 700, "ask": 920},
        {"bid": 760, "ask": 850},
        {"bid": 800, "ask": 800},
    ]
    assert values(run)["gap"] == 0
    assert run.output is not None
    assert "for 800 EUR after 3 rounds" in run.output


@pytest.mark.parametrize(
    ("amount", "status"),
    [(1250, "waiting for a second signature"), (1000, "waiting for a second signature"), (80, "booked")],
)
def test_the_amount_alone_decides_the_way_of_an_invoice(amount: int, status: str) -> None:
    run = play("threshold_router", {"amount": amount})
    assert values(run)["result"]["status"] == status
    assert len(path(run)) == 2
