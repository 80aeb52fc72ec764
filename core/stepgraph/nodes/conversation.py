"""Conversations in the state: a list of messages under a key whose reducer is ``append``.

A message is a table: ``role`` (``user``, ``assistant`` or ``tool``), ``content`` (text), of an assistant that
asks for tools ``tool_calls`` (each with ``name``, ``arguments`` and, where the provider gave one, ``id``), and of
a tool ``tool_call_id``. That is the shape of most APIs; tool calls may also be spelt as OpenAI does, with
``function``. A text alone is what a user says. What else is in a table is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, NoReturn, cast

from ..models.messages import Message, ToolCall
from ..values.compare import type_name
from ..values.errors import NodeFailed
from ..values.json_values import Json, with_article
from ..values.messages import shown_value

NOT_CALLED = "This tool was not called."
"""What is said of a call that nobody has answered: a model that asked for tools is owed a result for each."""

_ROLES = ("user", "assistant", "tool")
_HINTS = {
    "system": "give the system text to the node, as its setting `system`",
    "human": "write user",
    "ai": "write assistant",
    "function": "write tool",
}


def conversation(state: Mapping[str, Any], key: str) -> tuple[Message, ...]:
    """Read the conversation under a key of the state; empty where there is none yet.

    Calls without an id get one, and a call that was never answered gets an answer that says so.

    Raises:
        NodeFailed: Something in it is no message; the error names its path.
    """
    told = state.get(key)
    if told is None:
        return ()
    where = f'state["{key}"]'
    if not isinstance(told, list):
        _refuse(where, f"is {with_article(type_name(told))}, not a list of messages", 'declare it with reducer = "append"')
    return tuple(_answered(_message(item, f"{where}[{index}]") for index, item in enumerate(told)))


def as_table(message: Message) -> dict[str, Json]:
    """Write a message as the state keeps it."""
    table: dict[str, Json] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        table["tool_calls"] = [call.to_json() for call in message.tool_calls]
    return {**table, "tool_call_id": message.answers} if message.answers else table


def _message(item: object, where: str) -> Message:
    if isinstance(item, str):
        return Message("user", item)
    if not isinstance(item, dict):
        _refuse(where, f"is {shown_value(item)}, not a message", 'write { role = "user", content = "..." }')
    role, content = item.get("role"), item.get("content")
    if role not in _ROLES:
        said = f"{where} has no role" if "role" not in item else f'{where}["role"] is {shown_value(role)}'
        hint = _HINTS.get(str(role).casefold(), "a role is user, assistant or tool")
        raise NodeFailed(said, hint=hint)
    calls = item.get("tool_calls") or []
    if content is None and role == "assistant" and calls:
        content = ""
    if not isinstance(content, str):
        said = f"{where} has no content" if "content" not in item else f'{where}["content"] is {shown_value(content)}'
        raise NodeFailed(said, hint="a message says text; images and files are not taken")
    if role != "assistant" and calls:
        _refuse(where, f"has tool_calls, and its role is {role}", "only an assistant asks for tools")
    if not isinstance(calls, list):
        _refuse(f'{where}["tool_calls"]', f"is {with_article(type_name(calls))}, not a list")
    asked = tuple(_call(call, f'{where}["tool_calls"][{index}]') for index, call in enumerate(calls))
    answers = item.get("tool_call_id") if role == "tool" else None
    return Message(cast("Literal['user', 'assistant', 'tool']", role), content, asked, answers if isinstance(answers, str) else "")


def _call(item: object, where: str) -> ToolCall:
    spelt = item.get("function", item) if isinstance(item, dict) else None
    if isinstance(item, dict) and isinstance(spelt, dict):
        name, arguments, id_ = spelt.get("name"), spelt.get("arguments", {}), item.get("id")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments or "{}")
            except (ValueError, RecursionError):
                _refuse(f'{where}["arguments"]', f"is {shown_value(arguments)}, which is not JSON")
        if isinstance(name, str) and name and isinstance(arguments, dict):
            return ToolCall(name, arguments, id_ if isinstance(id_, str) else "")
    _refuse(where, f"is {shown_value(item)}, not a tool call", 'write { name = "look_up", arguments = {} }')


def _answered(messages: Iterable[Message]) -> Iterator[Message]:
    """Give each call an id and each result the id of its call, in the order in which they come."""
    open_calls: list[str] = []
    made = 0
    for index, message in enumerate(messages):
        if message.role == "tool":
            answers = message.answers or (open_calls[0] if open_calls else "")
            if answers not in open_calls:
                said = f"message {index + 1} of the conversation is the result of a tool that was not asked for before it"
                raise NodeFailed(said, hint="a result follows the assistant's message that has its tool_calls")
            open_calls.remove(answers)
            yield replace(message, answers=answers)
            continue
        yield from (Message("tool", NOT_CALLED, answers=id_) for id_ in open_calls)
        calls = []
        for call in message.tool_calls:
            made += 1
            calls.append(replace(call, id=call.id or f"call_{made}"))
        open_calls = [call.id for call in calls]
        yield replace(message, tool_calls=tuple(calls))
    yield from (Message("tool", NOT_CALLED, answers=id_) for id_ in open_calls)


def _refuse(where: str, what: str, hint: str = "") -> NoReturn:
    raise NodeFailed(f"{where} {what}", hint=hint)
