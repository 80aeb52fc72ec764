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


def test_the_model_reads_what_the_tools_found() -> None:
    call = 'CALL_TOOL: check_stock {"product": "Meridian helmet", "branch": "Nantes"}'
    model = ScriptedModel([call, "None left, sorry."])
    executor = Executor(compiled("tool_router"), models={"default": model}, live=True)
    run = executor.run(executor.start({"question": "Any helmets in Nantes?"}))
    assert run.output == "None left, sorry."
    first, second = model.prompts
    assert "You have looked up nothing so far." in first
    assert '"count": 0' in second
    assert "Prior visit" not in second


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


def test_the_researcher_reads_is_sent_back_and_reads_on() -> None:
    run = play("research_agent")
    assert run.visits == {"triage": 1, "research": 2, "critic": 2}
    tools = [[call["name"] for call in record.calls] for record in run.history if record.node == "research"]
    assert tools == [["search", "read", "read"], ["search", "read"]]
    failed = run.history[1].calls[1]
    assert "there is no document 'storm'" in str(failed["error"])
    assert "inquiry-1880" in values(run)["report"]
    roles = [message["role"] for message in values(run)["notes"]]
    assert roles.count("user") == 2
    assert roles.count("tool") == 5


def test_the_second_look_goes_on_with_what_was_read() -> None:
    remarks = '{"verdict": "revise", "remarks": "Why?"}'
    replies = [
        "look it up",
        'CALL_TOOL: read {"document": "storm-1879"}',
        "A storm.",
        remarks,
        "Better.",
        remarks,
        "x",
        remarks,
        "y",
    ]
    model = ScriptedModel(replies)
    executor = Executor(compiled("research_agent"), models={"default": model}, live=True)
    executor.run(executor.start({}))
    again = model.prompts[4]
    assert "Nobody on the train lived." in again
    assert "A critic has read your answer: Why?" in again
    assert "Prior visit" not in again
    assert "Revision" not in again


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


def test_talks_that_cannot_meet_end_after_five_rounds() -> None:
    run = play("negotiation", {"budget": 750})
    assert run.visits["referee"] == 5
    assert values(run)["gap"] == 50
    assert values(run)["result"].startswith("No deal")


def test_neither_agent_is_told_the_limit_of_the_other() -> None:
    model = ScriptedModel(["OFFER: 811", "OFFER: 811"])
    executor = Executor(compiled("negotiation"), models={"default": model}, live=True)
    executor.run(executor.start({"budget": 833, "floor": 799}))
    buyer, seller = model.prompts
    assert "833" in buyer
    assert "799" not in buyer
    assert "799" in seller
    assert "833" not in seller


def test_a_message_without_an_offer_fails_at_the_referee() -> None:
    run = play("negotiation", replies=["I offer 800, more or less", "OFFER: 800"])
    assert (run.status, run.current) == (RunStatus.FAILED, "referee")
    assert "the buyer named no price" in str(run.error)


@pytest.mark.parametrize(
    ("amount", "status"),
    [(1250, "waiting for a second signature"), (1000, "waiting for a second signature"), (80, "booked")],
)
def test_the_amount_alone_decides_the_way_of_an_invoice(amount: int, status: str) -> None:
    run = play("threshold_router", {"amount": amount})
    assert values(run)["result"]["status"] == status
    assert len(path(run)) == 2
