"""The node type agent: a model that calls tools, turn after turn, in one visit."""

from __future__ import annotations

import re
from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    GraphError,
    MemoryStore,
    Run,
    RunStatus,
    StateGraph,
)
from stepgraph.models.client import CallEvent
from stepgraph.nodes.agent import AgentNode
from stepgraph.runs.visit import CallRules
from stepgraph.stores.ledger import calls_of
from stepgraph.values.json_values import canonical
from tests.nodes.models import ChatScript, Reply, calling


class Desk:
    """A graph with one agent that searches and pays, and what its tools did."""

    def __init__(self, *replies: Reply, model: type[ChatScript] = ChatScript, **settings: Any) -> None:
        self.searched: list[str] = []
        self.paid: list[float] = []
        self.refuses = 0
        graph = StateGraph("desk", start="agent")
        graph.add_key("m", reducer="append")
        graph.add_tool("search", self.search)
        graph.add_tool("pay", self.pay, requires_approval=True, side_effects=True)
        settings = {"prompt": "Help with {{ ticket }}.", "tools": ["search", "pay"], **settings}
        graph.declare_node("agent", "agent", settings)
        graph.add_edge("agent", END)
        self.graph = graph
        self.model = model(replies)
        self.store = MemoryStore()
        self.events: list[CallEvent] = []

    def search(self, query: str) -> dict[str, Any]:
        """Search the handbook."""
        self.searched.append(query)
        if self.refuses:
            self.refuses -= 1
            raise TimeoutError("no answer")
        return {"found": query.upper()}

    def pay(self, amount: float) -> dict[str, Any]:
        """Pay an amount."""
        self.paid.append(amount)
        return {"paid": amount}

    @property
    def executor(self) -> Executor:
        """Another executor each time, as another process has it."""
        rules = CallRules(tell=self.events.append)
        return Executor(self.graph.compile(), self.store, models={"default": self.model}, calls=rules)

    def run(self) -> Run:
        """Start a run and go on until it pauses, fails or ends."""
        executor = self.executor
        return executor.run(executor.start({"ticket": "x"}, run_id="r"))

    def decide(self, decision: Decision) -> Run:
        """Decide, and go on."""
        return self.executor.resume("r", decision)


SEARCH = calling("search", "c1", query="refund")
PAY = calling("pay", "c2", "I pay.", amount=30)


# Approvals


def test_scripted_tools_that_require_approval_are_asked_about_once() -> None:
    desk = Desk(replies=['CALL_TOOL: give {"n": 1}', 'CALL_TOOL: give {"n": 2}', "Done."], tools=["give"])
    desk.graph.add_tool("give", returns=[{"n": 1}, {"n": 2}], requires_approval=True)
    desk.run()
    assert desk.decide(Decision.approve(by="ana")).status is RunStatus.PAUSED
    assert desk.decide(Decision.approve(by="ana")).values["response"] == "Done."


def test_who_is_asked_is_told_what_led_to_the_question() -> None:
    desk = Desk(SEARCH, PAY, "Done.", system="Be brief.", messages="m")
    pending = desk.run().pending
    assert pending is not None
    user, first, found, second = pending.request.conversation
    assert user == {"role": "user", "content": "Help with x."}
    assert first["tool_calls"] == [{"name": "search", "arguments": {"query": "refund"}, "id": "c1"}]
    assert found == {"role": "tool", "content": '{"found":"REFUND"}', "tool_call_id": "c1"}
    assert second["content"] == "I pay."
    said = desk.decide(Decision.approve(by="ana")).values["m"]
    assert isinstance(said, list)
    assert said[:4] == [user, first, found, second]


def test_a_message_too_long_for_a_question_is_left_out_whole_and_said_to_be() -> None:
    desk = Desk(calling("search", "c1", query="x" * 60_000), PAY, "Done.")
    pending = desk.run().pending
    assert pending is not None
    user, first, found, second = (said["content"] for said in pending.request.conversation)
    assert user == "Help with x."
    assert second == "I pay."
    for left_out in (first, found):
        assert re.fullmatch(r"\(60,\d\d\d characters, left out here\)", str(left_out))
    assert len(canonical(pending.request.to_json())) < 2_000


# Failures


def test_a_retry_asks_no_turn_and_calls_no_tool_twice() -> None:
    desk = Desk(SEARCH, TimeoutError("slow"), "Done.")
    run = desk.run()
    assert run.status is RunStatus.FAILED
    run = desk.executor.retry("r")
    assert run.values["response"] == "Done."
    assert desk.searched == ["refund"]
    assert len(desk.model.requests) == 3
    assert [call["kind"] for call in calls_of(run.history[0].row)] == ["model"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (calling("serch", query="x"), "There is no tool 'serch' (did you mean 'search'?)."),
        (calling("search", q="x"), "The tool failed: "),
        ("CALL_TOOL: search query", "a tool call that cannot be read"),
        (calling("other"), "There is no tool 'other'"),
    ],
)
def test_a_call_that_cannot_be_made_is_told_to_the_model(reply: Reply, told: str) -> None:
    desk = Desk(reply, "Done.")
    assert desk.run().values["response"] == "Done."
    assert told in desk.model.requests[1].messages[-1].text
    assert desk.searched == []


def test_nobody_is_asked_about_a_call_with_an_argument_that_the_tool_does_not_take() -> None:
    desk = Desk(calling("pay", amount=30, amuont=1), PAY, "Paid.", max_errors=1)
    review = desk.run().pending
    assert review is not None
    assert review.request.arguments == {"amount": 30}
    told = "The tool failed: tool 'pay' refuses its arguments: 'amuont' is unknown (did you mean 'amount'?)"
    assert desk.model.requests[1].messages[-1].text == told
    assert desk.decide(Decision.approve()).values["response"] == "Paid."


def test_what_cannot_be_read_counts_as_an_error() -> None:
    desk = Desk("CALL_TOOL: search", max_errors=2)
    assert "3 calls in a row failed" in str(desk.run().error)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"prompt": ""}, "its 'prompt' is empty"),
        ({"max_turns": 0}, "'max_turns' is at least 1"),
        ({"max_errors": -1}, "'max_errors' is at least 0"),
        ({"replies": [[]]}, "'replies' has a visit without a reply"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(GraphError) as refused:
        AgentNode(**{"prompt": "x", "tools": [], **settings})
    assert says in refused.value.problems[0].message


# Scripted
