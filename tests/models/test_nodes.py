"""Nodes that ask models of both protocols: agents, structured replies and routers, native and in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import END, Decision, Executor, MemoryStore, Run, RunStatus, StateGraph
from stepgraph.extras.providers.live import LiveModel
from tests.models.fake_server import FakeServer, Refused, Said

Make = Callable[..., LiveModel]
OVERLOADED = Refused(529, "overloaded", "overloaded_error")


def desk(called: list[str], then: str = END) -> StateGraph:
    """A graph with an agent that looks up, and asks before it pays."""

    def look(order: int) -> dict[str, Any]:
        """Look up an order."""
        called.append(f"look {order}")
        return {"amount": 30}

    def pay(amount: float) -> dict[str, Any]:
        """Pay an amount back."""
        called.append(f"pay {amount}")
        return {"paid": True}

    graph = StateGraph("desk", start="agent")
    graph.add_key("talk", reducer="append")
    graph.add_tool("shop.look", look)
    graph.add_tool("pay", pay, requires_approval=True)
    settings: Any = {"prompt": "Help.", "tools": ["shop.look", "pay"], "messages": "talk", "max_errors": 1}
    graph.declare_node("agent", "agent", settings)
    graph.add_edge("agent", then)
    return graph


def turns(words: bool) -> list[Said]:
    """What the model says: it looks up with a wrong argument, then with the right one, pays, and answers."""
    asked = [("shop.look", '{"order": "seven"}'), ("shop.look", '{"order": 7}'), ("pay", '{"amount": 30}')]
    if words:
        return [*(Said(f"I ask.\nCALL_TOOL: {name} {arguments}") for name, arguments in asked), Said("Paid.")]
    return [*(Said(tools=[(name.replace(".", "_"), arguments)]) for name, arguments in asked), Said("Paid.")]


def started(graph: StateGraph, store: MemoryStore, model: LiveModel, **more: Any) -> tuple[Executor, Run]:
    """Start a live run and go on until it pauses, fails or ends."""
    executor = Executor(graph.compile(), store, models={"default": model}, live=True, **more)
    return executor, executor.run(executor.start({}, run_id="r"))


@pytest.mark.parametrize("tools", ["native", "text"])
def test_a_fault_in_the_middle_costs_no_turn_twice(
    server: FakeServer, make: Make, provider: str, tools: str
) -> None:
    called: list[str] = []
    store = MemoryStore()
    said = turns(tools == "text")
    server.then(said[0], said[1], OVERLOADED, said[2], said[3])
    executor, run = started(desk(called), store, make(provider, tools=tools))
    assert run.status is RunStatus.FAILED
    assert "overloaded" in str(run.error)
    run = executor.retry("r")
    assert run.status is RunStatus.PAUSED
    run = executor.resume("r", Decision.reject(by="ana", comment="no"))
    assert run.values["response"] == "Paid."
    assert called == ["look 7"]
    assert len(server.requests) == 5
    assert "The call was rejected: no" in server.requests[4].last


def test_a_structured_reply_is_repaired_once(server: FakeServer, make: Make, provider: str) -> None:
    graph = StateGraph("g", start="sort")
    graph.add_key("urgency", type="number", note="1 to 5")
    graph.declare_node("sort", "llm", {"prompt": "Sort.", "schema": ["urgency"]})
    graph.add_edge("sort", END)
    server.then(Said('{"urgency": "high"}'), Said('{"urgency": 4}'))
    _, run = started(graph, MemoryStore(), make(provider))
    assert run.values["urgency"] == 4, run.error
    assert 'is "high", a text, not a number' in server.requests[1].last
    assert "urgency" in str(
        {key: server.requests[0].body[key] for key in server.requests[0].body if key != "messages"}
    )


THOUGHT = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
"""As the fake server signs what it thinks; Anthropic refuses a tool's result whose call lacks it."""


def _asked(server: FakeServer, request: int) -> dict[str, Any]:
    """The first of an assistant's messages in a request."""
    messages = server.requests[request].body["messages"]
    return next(message for message in messages if message["role"] == "assistant")


def test_an_agent_gives_its_signed_thoughts_back_also_after_a_pause(server: FakeServer, make: Make) -> None:
    store, model = MemoryStore(), make("anthropic", options={"thinking": {"type": "adaptive"}})
    server.then(Said("", "Look first.", tools=[("pay", {"amount": 30})]), Said("Paid.", "Done."))
    executor, run = started(desk([]), store, model)
    assert run.pending is not None
    assert "signed" not in str(run.pending.request.conversation)
    run = executor.resume("r", Decision.approve(by="ana"))
    assert run.status is RunStatus.ENDED
    first, second = _asked(server, 1)["content"]
    assert (first, second["type"]) == (THOUGHT, "tool_use")
    calls = run.history[0].calls
    assert [call.get("signed") for call in calls if call["kind"] == "model"] == [[THOUGHT], None]
    talk: Any = run.values["talk"]
    assert talk[1]["signed"] == [THOUGHT]


def test_signed_thoughts_go_from_node_to_node_in_a_conversation(server: FakeServer, make: Make) -> None:
    graph = StateGraph("desk", start="ask")
    graph.add_key("talk", reducer="append", default=[])
    graph.add_tool("look", lambda order: {"amount": 30})
    graph.declare_node(
        "ask",
        "llm",
        {"prompt": "{% if visits.ask == 1 %}7?{% endif %}", "tools": ["look"], "messages": "talk"},
    )
    graph.declare_node("call", "tool", {"messages": "talk"})
    graph.add_edge("ask", "call", when='next_action == "RUN_TOOL"')
    graph.add_edge("ask", END)
    graph.add_edge("call", "ask")
    server.then(Said("", "Look first.", tools=[("look", {"order": 7})]), Said("30.", "Easy."))
    _, run = started(graph, MemoryStore(), make("anthropic"))
    assert run.status is RunStatus.ENDED
    assert _asked(server, 1)["content"][0] == THOUGHT
    talk: Any = run.values["talk"]
    assert "signed" not in talk[-1]
