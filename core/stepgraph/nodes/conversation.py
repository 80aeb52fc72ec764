"""Conversations in the state: a list of messages under a key whose reducer is ``append``.

A message is a table: ``role`` (``user``, ``assistant`` or ``tool``), ``content`` (text), of an assistant
that asks for tools ``tool_calls`` (each with ``name``, ``arguments`` and, where the provider gave one,
``id``), and of a tool ``tool_call_id``. That is the shape of most APIs; tool calls may also be spelled as
OpenAI does, with ``function``. A text alone is what a user says. What else is in a table is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..models.client import Message, ToolCall, signed_in
from ..reviews.request import MOST_TOLD
from ..values.errors import NodeFailed
from ..values.json_values import Json, dumps, type_name, with_article
from ..values.messages import shown_value

NOT_CALLED = "This tool was not called."
"""The result for a call that nobody has answered: providers require one for each call."""

_ROOM = 40_000
"""Characters of JSON of a conversation that a review shows."""

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
        NodeFailed: Something in it is not a message; the error names its path.
    """
    history, where = state.get(key), f'state["{key}"]'
    if history is None:
        return ()
    if not isinstance(history, list):
        what = f"{where} is {with_article(type_name(history))}, not a list of messages"
        raise NodeFailed(what, hint='declare it with reducer = "append"')
    messages = [_message(item, f"{where}[{index}]") for index, item in enumerate(history)]
    return tuple(_with_call_ids(messages, where))


def as_table(message: Message) -> dict[str, Json]:
    """Write a message as the state keeps it."""
    table: dict[str, Json] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        table["tool_calls"] = [call.to_json() for call in message.tool_calls]
    if message.signed:
        table["signed"] = [dict(block) for block in message.signed]
    return {**table, "tool_call_id": message.answers} if message.answers else table


def told_of(messages: Sequence[Message]) -> tuple[dict[str, Json], ...]:
    """Write the last messages of a conversation for a person who is asked about it.

    They are whole, or left out: of a secret that was cut in two nobody could tell that it is one.
    """
    tables: list[dict[str, Json]] = []
    room = _ROOM
    for message in reversed(messages):
        table = as_table(replace(message, signed=()))
        size = len(dumps(table))
        if size > room:
            table |= {"content": f"({size:,} characters, left out here)"}
            table.pop("tool_calls", None)
        else:
            room -= size
        tables.append(table)
        if len(tables) == MOST_TOLD:
            break
    return tuple(reversed(tables))


def _message(item: object, where: str) -> Message:
    if isinstance(item, str):
        return Message("user", item)
    if not isinstance(item, dict):
        hint = 'write { role = "user", content = "..." }'
        raise NodeFailed(f"{where} is {shown_value(item)}, not a message", hint=hint)
    match item.get("role"):
        case "user":
            return Message("user", _content(item, where))
        case "tool":
            answers = item.get("tool_call_id")
            return Message("tool", _content(item, where), answers=answers if isinstance(answers, str) else "")
        case "assistant":
            calls = item.get("tool_calls")
            if not isinstance(calls, list | None):
                what = f'{where}["tool_calls"] is {with_article(type_name(calls))}, not a list'
                raise NodeFailed(what, hint="leave it out if no tool is requested")
            asked = [_call(call, f'{where}["tool_calls"][{index}]') for index, call in enumerate(calls or ())]
            return Message("assistant", _content(item, where), tuple(asked), signed=signed_in(item))
        case role:
            what = f'{where}["role"] is {shown_value(role)}' if "role" in item else f"{where} has no role"
            raise NodeFailed(what, hint=_HINTS.get(str(role).casefold(), "it is user, assistant or tool"))


def _content(item: dict[str, Any], where: str) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    if content is None and item.get("tool_calls"):
        return ""
    what = f'{where}["content"] is {shown_value(content)}' if "content" in item else f"{where} has no content"
    raise NodeFailed(what, hint="a message holds text only: no images or files")


def _call(item: object, where: str) -> ToolCall:
    table = item if isinstance(item, dict) else {}
    spelled = table.get("function", table)
    if isinstance(spelled, dict) and isinstance(name := spelled.get("name"), str) and name:
        arguments, id_ = _arguments(spelled.get("arguments", {})), table.get("id")
        if isinstance(arguments, dict):
            return ToolCall(name, arguments, id_ if isinstance(id_, str) else "")
    hint = 'write { name = "look_up", arguments = { id = 1 } }'
    raise NodeFailed(f"{where} is {shown_value(item)}, not a tool call", hint=hint)


def _arguments(given: object) -> object:
    """Read arguments, which OpenAI writes as JSON in a text."""
    try:
        return json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        return None


def _with_call_ids(messages: Iterable[Message], where: str) -> Iterator[Message]:
    """Assign each call an id, and each result the id of its call, in order."""
    waiting: list[str] = []
    made = 0
    for index, message in enumerate(messages):
        if message.role == "tool":
            answers = message.answers or (waiting[0] if waiting else "")
            if answers not in waiting:
                what = f"{where}[{index}] is the result of a tool that nobody has asked for before it"
                raise NodeFailed(what, hint="it follows the message of the assistant that has its tool_calls")
            waiting.remove(answers)
            yield replace(message, answers=answers)
            continue
        yield from (Message("tool", NOT_CALLED, answers=id_) for id_ in waiting)
        calls = []
        for call in message.tool_calls:
            made += 1
            calls.append(replace(call, id=call.id or f"call_{made}"))
        waiting = [call.id for call in calls]
        yield replace(message, tool_calls=tuple(calls))
    yield from (Message("tool", NOT_CALLED, answers=id_) for id_ in waiting)
