"""Conversations in the state: what an llm node and a tool node say and keep."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, GraphError, LLMNode, NodeFailed, StateGraph, ToolRegistry
from stepgraph.models.client import Message
from stepgraph.nodes.conversation import conversation
from tests.nodes.models import ChatScript, Reply, TextScript, calling
from tests.nodes.support import bound, visited

USER = {"role": "user", "content": "What is the weather?"}
ASKS = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"name": "weather", "arguments": {"town": "Bergen"}}],
}
RESULT = {"role": "tool", "content": "rain"}


def test_a_text_alone_is_what_a_user_says_and_other_parts_of_a_table_are_left_alone() -> None:
    said = conversation({"m": ["hello", {**USER, "at": 3}]}, "m")
    assert said == (Message("user", "hello"), Message("user", "What is the weather?"))


@pytest.mark.parametrize(
    ("messages", "says", "hint"),
    [
        ("hello", 'state["m"] is a text, not a list of messages', "append"),
        ([USER, 3], 'state["m"][1] is the number 3, not a message', "role"),
        ([{"content": "x"}], 'state["m"][0] has no role', "user, assistant or tool"),
        (
            [{"role": "bot", "content": "x"}],
            'state["m"][0]["role"] is the text "bot"',
            "user, assistant or tool",
        ),
        ([{"role": "ai", "content": "x"}], '["role"] is the text "ai"', "write assistant"),
        ([{"role": "system", "content": "x"}], '["role"] is the text "system"', "setting `system`"),
        ([{"role": "user"}], 'state["m"][0] has no content', "holds text"),
        ([{"role": "user", "content": [{"type": "image"}]}], 'state["m"][0]["content"] is', "images"),
        ([{"role": "assistant", "content": None}], '["content"] is null', "holds text"),
        ([{**ASKS, "tool_calls": {}}], '["tool_calls"] is a table, not a list', "leave it out"),
        ([{**ASKS, "tool_calls": ["x"]}], '["tool_calls"][0] is the text "x", not a tool call', "name ="),
        ([{**ASKS, "tool_calls": [{"name": "x", "arguments": "{"}]}], "not a tool call", "arguments ="),
        ([USER, RESULT], 'state["m"][1] is the result of a tool that nobody has asked for', "tool_calls"),
        ([ASKS, RESULT, RESULT], 'state["m"][2] is the result of a tool', "tool_calls"),
        ([ASKS, {**RESULT, "tool_call_id": "other"}], 'state["m"][1] is the result', "tool_calls"),
    ],
)
def test_what_is_no_message_is_refused_by_its_path(messages: Any, says: str, hint: str) -> None:
    with pytest.raises(NodeFailed) as refused:
        conversation({"m": messages}, "m")
    assert says in refused.value.message
    assert hint in refused.value.hint


def test_nothing_to_say_is_a_clear_failure() -> None:
    node = bound(LLMNode(prompt="", messages="m"), models={"default": ChatScript(["x"])})
    with pytest.raises(NodeFailed, match="there is nothing to say: 'm' has no messages"):
        node.execute(visited({"m": []}))


def test_the_key_of_a_conversation_must_grow() -> None:
    graph = StateGraph("g", start="say")
    graph.add_key("m")
    graph.declare_node("say", "llm", {"prompt": "x", "messages": "m", "replies": ["y"]})
    graph.declare_node("go", "llm", {"prompt": "x", "messages": "other", "replies": ["y"]})
    graph.add_edge("say", "go")
    graph.add_edge("go", END)
    with pytest.raises(GraphError) as refused:
        graph.compile()
    told = [(problem.code, problem.message) for problem in refused.value.problems]
    assert [code for code, _ in told] == ["G050", "G050"]
    assert "has the reducer replace" in told[0][1]
    assert "is not declared" in told[1][1]


def tool_loop(**tool: Any) -> StateGraph:
    """A model that may ask for the weather, and a tool node that answers into the conversation."""
    graph = StateGraph("weather", start="think")
    graph.add_key("m", reducer="append", default=[USER])
    graph.add_tool("weather", lambda town: {"sky": "rain", "town": town})
    graph.declare_node("think", "llm", {"prompt": "", "messages": "m", "tools": ["weather"]})
    graph.declare_node("look", "tool", {"messages": "m", **tool})
    graph.add_edge("think", "look", when='next_action == "RUN_TOOL"')
    graph.add_edge("think", END)
    graph.add_edge("look", "think")
    return graph


WORDS: list[Reply] = ['CALL_TOOL: weather {"town": "Bergen"}', "It rains."]


def test_a_model_without_tools_of_its_own_is_told_of_them_in_words() -> None:
    model = TextScript(WORDS)
    executor = Executor(tool_loop().compile(), models={"default": model})
    executor.run(executor.start({}))
    first, second = model.requests
    assert first.tools == second.tools == ()
    assert first.messages[0].role == "system"
    assert "- weather" in first.messages[0].text
    assert "CALL_TOOL: weather {" in first.messages[0].text
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2].text == 'CALL_TOOL: weather {"town":"Bergen"}'
    assert second.messages[3].text == 'The result of the tool weather:\n\n{"sky":"rain","town":"Bergen"}'


def registry(*names: str) -> ToolRegistry:
    """Tools that do nothing."""
    tools = ToolRegistry()
    for name in names:
        tools.register(name, lambda: {})
    return tools


def test_a_tool_that_the_model_was_not_given_is_a_clear_failure() -> None:
    node = bound(
        LLMNode(prompt="x", tools=["weather"]),
        registry("weather"),
        {"default": ChatScript([calling("wether")])},
    )
    with pytest.raises(NodeFailed, match="asks for the tool 'wether', which it was not given") as failed:
        node.execute(visited({}))
    assert "did you mean 'weather'?" in failed.value.hint


def test_a_tool_that_no_model_asked_for_is_told_as_what_a_user_says() -> None:
    graph = StateGraph("g", start="look")
    graph.add_key("m", reducer="append")
    graph.add_tool("weather", returns={"sky": "rain"})
    graph.declare_node("look", "tool", {"tool": "weather", "arguments": {}, "messages": "m"})
    graph.add_edge("look", END)
    run = graph.compile().run({})
    assert run.values["m"] == [
        {"role": "user", "content": 'The result of the tool weather:\n\n{"sky":"rain"}'}
    ]
