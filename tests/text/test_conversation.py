"""Conversations, as Stepgraph, LangChain, OpenAI and Anthropic write them."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph_tui.text.conversation import (
    conversation_of,
    edited,
    first_conversation,
    has_one_text,
    new_message,
    new_messages,
    results_of,
)
from stepgraph_tui.text.state_rows import change_rows, state_rows

OURS: list[Any] = [
    "where is it?",
    {"role": "assistant", "content": "", "tool_calls": [{"name": "find", "arguments": {"id": 1}, "id": "c"}]},
    {"role": "tool", "content": "there", "tool_call_id": "c"},
]
LANGCHAIN: list[Any] = [
    {"type": "human", "content": "where is it?", "id": "1"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "find", "args": {"id": 1}, "id": "c"}]},
    {"type": "tool", "content": "there", "tool_call_id": "c"},
]
OPENAI: list[Any] = [
    {"role": "user", "content": "where is it?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"id": 1}'}}
        ],
    },
    {"role": "tool", "content": "there", "tool_call_id": "c"},
]
ANTHROPIC: list[Any] = [
    {"type": "human", "content": [{"type": "text", "text": "where is it?"}, {"type": "image", "source": {}}]},
    {
        "type": "ai",
        "content": [{"type": "tool_use", "name": "find", "input": {"id": 1}, "id": "c"}],
        "tool_calls": [{"name": "find", "args": {"id": 1}, "id": "c", "type": "tool_call"}],
        "usage_metadata": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
    },
    {"type": "tool", "content": "there", "tool_call_id": "c", "status": "error", "name": "find"},
]


@pytest.mark.parametrize("items", [OURS, LANGCHAIN, OPENAI, ANTHROPIC])
def test_each_way_of_writing_is_read_as_the_same_conversation(items: list[Any]) -> None:
    asked, called, result = conversation_of(items) or []

    assert (asked.role, asked.text) == ("user", "where is it?")
    assert (called.role, called.text, called.brief) == ("assistant", "", "find")
    assert [(call.name, call.arguments, call.id) for call in called.calls] == [("find", {"id": 1}, "c")]
    assert (result.role, result.text, result.answers) == ("tool", "there", "c")
    assert results_of([asked, called, result], 1) == [2]
    assert results_of([asked, called, result], 0) == []


def test_what_messages_tell_besides_is_kept() -> None:
    asked, called, result = conversation_of(ANTHROPIC) or []

    assert asked.others == ("image",)
    assert called.tokens == (7, 3)
    assert result.failed
    assert result.name == "find"


THINKING: list[Any] = [
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hmm", "signature": "s"}, "yes"]},
    {"type": "ai", "content": [{"type": "reasoning", "reasoning": "hmm"}, {"type": "text", "text": "yes"}]},
    {"type": "ai", "content": "yes", "additional_kwargs": {"reasoning_content": "hmm"}},
    {"role": "assistant", "content": "yes", "reasoning": "hmm"},
    {"role": "assistant", "content": "yes", "signed": [{"type": "thinking", "thinking": "hmm"}]},
    {
        "type": "ai",
        "content": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hmm"}], "id": "rs"},
            {"type": "text", "text": "yes"},
        ],
    },
]


@pytest.mark.parametrize("item", THINKING)
def test_what_a_model_thought_is_not_what_it_says(item: Any) -> None:
    [message] = conversation_of([item]) or []

    assert (message.thoughts, message.text, message.others) == ("hmm", "yes", ())
    assert message.line == "assistant: yes"
    assert message.whole == "[thinking] hmm\nyes"
    changed = edited(item, "assistant", "no")
    [again] = conversation_of([changed]) or []
    assert (again.thoughts, again.text) == ("hmm", "no")


def test_thoughts_that_are_hidden_are_one_of_the_parts() -> None:
    hidden = {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}
    [message] = conversation_of([hidden]) or []
    assert (message.thoughts, message.brief) == ("", "[redacted_thinking]")


def test_a_call_among_the_parts_is_listed_once() -> None:
    call = {"type": "function_call", "name": "find", "arguments": "{}", "call_id": "c", "id": "fc"}
    asked = [{"name": "find", "args": {}, "id": "c"}]
    [message] = conversation_of([{"type": "ai", "content": [call], "tool_calls": asked}]) or []
    assert [(one.name, one.id) for one in message.calls] == [("find", "c")]
    assert message.others == ()


@pytest.mark.parametrize(
    "value",
    [
        None,
        "user: hi",
        [],
        ["hi", "ho"],
        [{"name": "a", "price": 1}],
        [{"role": "admin", "name": "Ada"}],
        [{"type": "circle", "content": "x"}],
        [{"role": "user", "content": "hi"}, 3],
        {"role": "user", "content": "hi"},
    ],
)
def test_other_values_are_no_conversations(value: Any) -> None:
    assert not conversation_of(value)
    assert first_conversation({"value": value, "messages": OURS}) == "messages"


def test_arguments_that_are_no_table_are_told_as_they_are() -> None:
    calls = [{"function": {"name": "find", "arguments": "{broken"}}]

    (message,) = conversation_of([{"role": "assistant", "content": None, "tool_calls": calls}]) or []

    assert message.calls[0].arguments == {"arguments": "{broken"}


def test_new_messages_are_those_that_were_added_or_changed() -> None:
    changed = [OURS[0], {**OURS[1], "content": "well"}, OURS[2], "and now?"]

    assert new_messages(OURS, changed) == {1, 3}
    assert new_messages(None, OURS) == {0, 1, 2}
    assert new_messages(changed, OURS) == {1}
    assert new_messages([{"role": "user", "content": 1}], [{"role": "user", "content": True}]) == {0}


def test_an_edited_message_keeps_what_else_it_has() -> None:
    assert edited(LANGCHAIN[0], "user", "new") == {"type": "human", "content": "new", "id": "1"}
    assert edited(LANGCHAIN[0], "system", "new") == {"type": "system", "content": "new", "id": "1"}
    assert edited(OPENAI[0], "assistant", "new") == {"role": "assistant", "content": "new"}
    assert edited("hi", "user", "new") == {"role": "user", "content": "new"}


def test_a_text_among_other_parts_is_edited_in_its_place() -> None:
    picture, text = {"type": "image", "source": {}}, {"type": "text", "text": "old", "cache_control": {}}
    message = {"role": "user", "content": [text, picture]}
    assert has_one_text(message["content"])
    assert edited(message, "user", "new")["content"] == [{**text, "text": "new"}, picture]
    assert edited(message, "user", "")["content"] == [picture]
    assert edited({"role": "user", "content": [picture]}, "user", "see") == {
        "role": "user",
        "content": [picture, {"type": "text", "text": "see"}],
    }
    assert edited({"role": "user", "content": []}, "user", "see")["content"] == "see"
    assert not has_one_text([text, "more"])


def test_a_new_message_is_written_as_the_others_are() -> None:
    assert new_message(LANGCHAIN, "assistant", "hi") == {"type": "ai", "content": "hi"}
    assert new_message(OURS, "assistant", "hi") == {"role": "assistant", "content": "hi"}


def test_a_state_tells_the_last_messages_of_a_conversation_and_the_answer_whole() -> None:
    said: list[Any] = [{"role": "user", "content": f"question {number}\nand more"} for number in range(11)]
    answer: Any = {"role": "assistant", "content": "First line.\nSecond\x1b[31m line."}
    rows = list(state_rows({"messages": [*said, answer], "a b": 1}))
    assert rows[:3] == [
        ("messages", "12 messages"),
        ("", "| … 2 before these"),
        ("", "| user: question 2 and more"),
    ]
    assert rows[-3:] == [
        ("", "| assistant: First line."),
        ("", "|   Second\\x1b[31m line."),
        ('"a b"', "1"),
    ]


@pytest.mark.parametrize("update", [LANGCHAIN, LANGCHAIN[2:]])  # the whole, and what a reducer appends
def test_a_change_of_a_conversation_tells_what_is_new_in_it(update: list[Any]) -> None:
    rows = list(change_rows("messages", update, LANGCHAIN[:2], LANGCHAIN))
    assert rows == [("changed", "messages: 1 new of 3"), ("", "| tool: there")]
    assert list(change_rows("n", 2, 1, 2)) == [("changed", "n = 2")]
