"""Both protocols by their official libraries: text as it comes, tools, schemas, tokens, and what is sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from stepgraph.models.live import LiveModel
from stepgraph.models.messages import Message, ToolCall, ToolSpec, Usage
from tests.models.asking import KEY, Watched, ask
from tests.models.fake_server import FakeServer, Raw, Said

Make = Callable[..., LiveModel]
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {"order": {"type": "string"}},
    "required": ["order"],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
}


def test_a_reply_comes_in_pieces_and_whole(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said("one two three", usage=(20, 3), cached=8))
    watched = Watched()
    reply = ask(make(provider), watched=watched)
    assert reply.text == watched.text == "one two three"
    assert watched.pieces == ["one ", "two ", "three"]
    assert reply.usage == Usage(20, 3, 8)
    assert reply.model.startswith("m-1-2026")
    assert reply.tool_calls == ()


def test_a_model_can_be_asked_outside_of_a_run(make: Make, provider: str) -> None:
    assert make(provider).generate("hi") == "You said: hi"


def test_system_and_conversation_are_sent_in_the_providers_way(server: FakeServer, make: Make) -> None:
    said = (
        Message("system", "Be brief."),
        Message("user", "Look it up."),
        Message(
            "assistant", "I do.", (ToolCall("shop/find", {"order": "7"}, "c1"), ToolCall("now", {}, "c2"))
        ),
        Message("tool", "found", answers="c1"),
        Message("tool", "noon", answers="c2"),
    )
    ask(make("openai"), messages=said)
    ask(make("anthropic"), messages=said)
    one, other = (request.body for request in server.requests)
    assert [message["role"] for message in one["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    calls = one["messages"][2]["tool_calls"]
    assert [(call["id"], call["function"]["name"]) for call in calls] == [("c1", "shop_find"), ("c2", "now")]
    assert json.loads(calls[0]["function"]["arguments"]) == {"order": "7"}
    assert one["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "found"}
    assert other["system"] == "Be brief."
    assert [message["role"] for message in other["messages"]] == ["user", "assistant", "user"]
    assert [part["type"] for part in other["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [part["tool_use_id"] for part in other["messages"][2]["content"]] == ["c1", "c2"]


def test_tools_are_offered_and_asked_for(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said("Let me see.", [("shop_find", {"order": "7"}), ("now", {})]))
    tools = (ToolSpec("shop/find", "Find an order.", PARAMETERS), ToolSpec("now"))
    reply = ask(make(provider), tools=tools)
    assert reply.text == "Let me see."
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [
        ("shop/find", {"order": "7"}),
        ("now", {}),
    ]
    assert all(call.id for call in reply.tool_calls)
    sent = server.requests[0].body["tools"]
    told = [tool.get("function", tool) for tool in sent]
    assert [tool["name"] for tool in told] == ["shop_find", "now"]
    schemas = [tool.get("parameters") or tool.get("input_schema") for tool in told]
    assert schemas == [PARAMETERS, {"type": "object", "properties": {}}]


def test_names_that_would_be_the_same_are_told_apart(server: FakeServer, make: Make, provider: str) -> None:
    tools = tuple(ToolSpec(name) for name in ("a/b", "a.b", "a_b", "x" * 80, "x" * 81))
    names = [str(tool.get("function", tool)["name"]) for tool in _sent(server, make(provider), tools)]
    assert len(set(names)) == 5
    assert max(map(len, names)) <= 64
    server.then(Said(tools=[(names[1], {})]))
    assert ask(make(provider), tools=tools).tool_calls[0].name in ("a.b", "a/b", "a_b")


def _sent(
    server: FakeServer, model: LiveModel, tools: tuple[ToolSpec, ...]
) -> list[dict[str, dict[str, str]]]:
    ask(model, tools=tools)
    sent: list[dict[str, dict[str, str]]] = server.requests[-1].body["tools"]
    return sent


def test_a_schema_is_handed_on(server: FakeServer, make: Make) -> None:
    server.then(Said('{"score": 1}'), Said('{"score": 1}'), Said('{"score": 1}'))
    ask(make("openai"), schema=SCHEMA)
    ask(make("openai"), schema={**SCHEMA, "additionalProperties": False})
    ask(make("anthropic"), schema=SCHEMA)
    open_one, closed_one, other = (request.body for request in server.requests)
    assert open_one["response_format"]["json_schema"]["schema"] == SCHEMA
    assert open_one["response_format"]["json_schema"]["strict"] is False
    assert closed_one["response_format"]["json_schema"]["strict"] is True
    assert other["output_config"]["format"]["schema"] == {**SCHEMA, "additionalProperties": False}


def test_what_the_settings_say_is_sent(server: FakeServer, make: Make, provider: str) -> None:
    ask(make(provider, temperature=0.5, max_tokens=99, options={"seed": 7}), idempotency_key="r-1:3")
    request = server.requests[0]
    assert (request.body["temperature"], request.body["max_tokens"], request.body["seed"]) == (0.5, 99, 7)
    assert request.headers["idempotency-key"].startswith("r-1:3:")


def test_each_call_of_a_step_has_a_key_of_its_own(server: FakeServer, make: Make, provider: str) -> None:
    model = make(provider)
    for text in ("one", "two", "one"):
        ask(model, text, idempotency_key="r-1:3")
    first, second, again = (request.headers["idempotency-key"] for request in server.requests)
    assert first == again != second


def test_the_key_of_the_settings_is_sent_and_no_other(server: FakeServer, make: Make, provider: str) -> None:
    ask(make(provider, key_env="TEST_KEY"))
    ask(make(provider))
    sent, none = (json.dumps(dict(request.headers)) for request in server.requests)
    assert KEY in sent
    assert "sk-of-the-user" not in sent + none, "the user's other key was sent to a server that he only named"


def test_a_key_does_not_follow_a_redirect(server: FakeServer, make: Make, provider: str) -> None:
    with FakeServer() as elsewhere:
        server.then(Raw(b"", 307, headers={"location": f"{elsewhere.address}/stolen"}))
        with pytest.raises(Exception, match=r"sends elsewhere \(307\)"):
            ask(make(provider, key_env="TEST_KEY"))
        assert elsewhere.requests == []


def test_the_price_is_of_the_settings_or_of_the_table(make: Make, provider: str) -> None:
    assert ask(make(provider)).cost is None
    reply = ask(make(provider, input_price=2, output_price=10))
    assert reply.cost == pytest.approx((12 * 2 + 7 * 10) / 1e6)


def test_a_known_model_is_priced_by_the_table() -> None:
    from stepgraph.models.prices import cost, prices
    from tests.models.asking import read

    settings = read({"provider": "openai", "model": "gpt-4o-mini"})
    known = prices(settings)
    assert known is not None
    assert known == pytest.approx((0.15, 0.6))
    assert cost(settings, "gpt-4o-mini-2024-07-18", Usage(1_000_000, 0)) == pytest.approx(0.15)
    assert cost(settings, "gpt-4o-mini", None) is None
    assert prices(read({"provider": "openai", "model": "a-model-that-nobody-knows"})) is None


def test_an_empty_reply_is_a_reply(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said(""))
    assert ask(make(provider)).text == ""
