"""Conversations in the state: lists of messages, whichever way they are written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.values import identical

from .plain import THINKING, call_text, plural, shortened

if TYPE_CHECKING:
    from stepgraph.values import Json

ROLES = ("user", "assistant", "tool", "system")
"""Who says something, as Stepgraph's own nodes write it."""
_LANGCHAIN = {
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "system": "system",
    "function": "tool",
    "developer": "system",
    "chat": "chat",
    "remove": "remove",
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
}
"""The roles of LangChain's messages, by the type that each calls itself."""
_SAID = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool", "developer": "system"}
_CALLS = ("tool_use", "tool_call", "function_call")
"""The kinds of parts that call a tool: Anthropic's, LangChain's, and those of OpenAI's Responses."""
_BRIEF = 200  # characters of a message on one line


@dataclass(frozen=True, slots=True)
class AskedCall:
    """A tool that a message asks for."""

    name: str
    arguments: Mapping[str, Json]
    id: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a conversation, as the state has it; nothing in it is safe to show yet."""

    role: str
    text: str
    thoughts: str = ""
    """What the model thought before it said that, where its provider shows it."""
    name: str = ""
    """The tool that answers, or who else speaks."""
    calls: tuple[AskedCall, ...] = ()
    answers: str = ""
    """The id of the call that it is the result of."""
    failed: bool = False
    """Whether it is the result of a tool that failed."""
    others: tuple[str, ...] = ()
    """The kinds of its parts that are neither text, thoughts nor calls, such as ``image_url``."""
    tokens: tuple[int, int] | None = None
    """Those that the model took, input and output, where the message tells."""

    @property
    def brief(self) -> str:
        """The message on one line: how its text begins, else what it asks for."""
        text = _beginning(self.text)
        if text or not self.calls:
            return text or ", ".join(self.marks)
        return ", ".join(call.name for call in self.calls)

    @property
    def line(self) -> str:
        """Who says it, and how all that it says begins, on one line."""
        return f"{self.role}: {shortened(_beginning(self._said or self.whole), _BRIEF)}"

    @property
    def whole(self) -> str:
        """All of it: what the model thought, the text, its other parts, and the tools that it asks for."""
        thoughts = self.thoughts.strip("\n")
        return "\n".join(filter(None, (f"{THINKING}{thoughts}" if thoughts else "", self._said)))

    @property
    def _said(self) -> str:
        calls = (f"→ {call_text(call.name, call.arguments)}" for call in self.calls)
        return "\n".join(filter(None, (self.text.strip("\n"), *self.marks, *calls)))

    @property
    def marks(self) -> list[str]:
        """Signs for the parts that cannot be shown here."""
        return [f"[{other}]" for other in self.others]


def _beginning(text: str) -> str:
    return " ".join(text[: 2 * _BRIEF].split())


def conversation_of(value: object) -> list[ChatMessage] | None:
    """Read a list of messages; None for a value that is none.

    Every item must be a message: a table with a role, or with the type of one of LangChain's messages, and a
    content or calls; beside one of them a text alone is what a user says, as it is to Stepgraph's nodes.

    Args:
        value: A value of a state.
    """
    if not isinstance(value, list) or not any(isinstance(item, dict) for item in value):
        return None
    read = [_message(item) for item in value]
    return None if None in read else [message for message in read if message is not None]


def first_conversation(values: Mapping[str, object]) -> str | None:
    """Find the first key whose value is a conversation; None for none."""
    return next((key for key, value in values.items() if conversation_of(value)), None)


def new_messages(before: object, after: Sequence[Json]) -> set[int]:
    """Find the messages that were not there before, by their places; those that were edited are among them.

    Args:
        before: The value of the key before; anything where it had none.
        after: The conversation.
    """
    old = before if isinstance(before, list) else []
    same = [identical(was, item) for was, item in zip(old, after, strict=False)]
    return {place for place in range(len(after)) if place >= len(same) or not same[place]}


def has_one_text(content: object) -> bool:
    """Check whether a content can be edited as one text: it is one, or has at most one among its parts."""
    return isinstance(content, str) or (isinstance(content, list) and sum(map(_is_text, content)) < 2)


def edited(item: object, role: str, text: str) -> dict[str, Json]:
    """Write a message with another role and text; all else that it has stays, images and thoughts too.

    Args:
        item: The message as the state has it; a text alone, or None for a new one, becomes a table.
        role: Who says it: one of ``ROLES``.
        text: Its text.
    """
    table: dict[str, Json] = dict(item) if isinstance(item, dict) else {}
    if "type" in table and "role" not in table:
        if _LANGCHAIN.get(str(table["type"])) != role:
            table["type"] = _type_of(role)
    elif _role(table) != role:
        table["role"] = role
    return {**table, "content": _with_text(table.get("content"), text)}


def _with_text(content: object, text: str) -> Json:
    """Put a text in the place of the one among the parts of a content."""
    if not isinstance(content, list) or not content:
        return text
    parts: list[Json] = []
    for part in content:
        if not _is_text(part):
            parts.append(part)
        elif text:
            parts.append({**part, "text": text} if isinstance(part, dict) else text)
    return parts if not text or any(map(_is_text, parts)) else [*parts, {"type": "text", "text": text}]


def new_message(like: Sequence[object], role: str, text: str) -> dict[str, Json]:
    """Write a new message in the way in which the others of its conversation are written."""
    of_langchain = any(isinstance(item, dict) and "type" in item and "role" not in item for item in like)
    return {"type": _type_of(role), "content": text} if of_langchain else {"role": role, "content": text}


def results_of(messages: Sequence[ChatMessage], place: int) -> list[int]:
    """Find the results of the calls that a message asks for, by their places.

    They go with it: a model that is shown the result of a call which nobody has asked for refuses to answer.
    """
    asked = {call.id for call in messages[place].calls if call.id}
    return [at for at, other in enumerate(messages) if at > place and other.answers in asked]


def count_text(messages: Sequence[ChatMessage], new: int) -> str:
    """Count messages: ``1 new of 5``, ``5 messages``."""
    return f"{new:,} new of {len(messages):,}" if new else plural(len(messages), "message")


def _type_of(role: str) -> str:
    return next(kind for kind, known in _LANGCHAIN.items() if known == role)


def _role(table: Mapping[str, object]) -> str | None:
    role, kind = table.get("role"), table.get("type")
    if isinstance(role, str):
        return _SAID.get(role, role)
    return _LANGCHAIN.get(kind) if isinstance(kind, str) else None


def _message(item: object) -> ChatMessage | None:
    if isinstance(item, str):
        return ChatMessage("user", item)
    if not isinstance(item, dict):
        return None
    role = _role(item)
    content, asked = item.get("content", item.get("text")), item.get("tool_calls")
    if role is None or not (isinstance(content, str | list) or (content is None and asked)):
        return None
    parts = content if isinstance(content, list) else [content or ""]
    calls = (*_calls(asked), *_calls([part for part in parts if _kind(part) in _CALLS]))
    signed = item.get("signed")  # by Anthropic, in a conversation of our own nodes
    thoughts = [_reasoning(item), *map(_thought, (*parts, *(signed if isinstance(signed, list) else ())))]
    answers, name = item.get("tool_call_id", item.get("answers")), item.get("name")
    return ChatMessage(
        role,
        "\n".join(filter(None, map(_text, parts))),
        "\n".join(filter(None, thoughts)),
        name if isinstance(name, str) else "",
        tuple({(call.id, call.name): call for call in calls}.values()),  # a part says it again
        answers if isinstance(answers, str) else "",
        item.get("status") == "error",
        tuple(
            kind
            for part in parts
            if (kind := _kind(part)) not in ("", "text", *_CALLS) and not _thought(part)
        ),
        _tokens(item.get("usage_metadata")),
    )


def _kind(part: object) -> str:
    return str(part.get("type", "part")) if isinstance(part, dict) else ""


def _text(part: object) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _is_text(part: object) -> bool:
    return isinstance(part, str) or _kind(part) == "text"


def _thought(part: object) -> str:
    """Read a part in which a model thinks, as Anthropic, LangChain and OpenAI's Responses write it."""
    if not isinstance(part, dict) or _kind(part) not in ("thinking", "reasoning"):
        return ""
    said, summary = part.get("thinking", part.get("reasoning")), part.get("summary")
    if isinstance(said, str):
        return said
    return "\n".join(filter(None, map(_text, summary))) if isinstance(summary, list) else ""


def _reasoning(item: Mapping[str, object]) -> str:
    """Read thoughts that are beside the content, as servers of open models give them."""
    besides = item.get("additional_kwargs")
    for table in (item, besides if isinstance(besides, dict) else {}):
        for key in ("reasoning_content", "reasoning"):
            if isinstance(said := table.get(key), str):
                return said
    return ""


def _calls(asked: object) -> Iterator[AskedCall]:
    for item in asked if isinstance(asked, list) else ():
        table = item if isinstance(item, dict) else {}
        spelled = table.get("function", table)
        name = spelled.get("name") if isinstance(spelled, dict) else None
        if isinstance(name, str):
            given: object = next(
                (spelled[key] for key in ("args", "arguments", "input") if key in spelled), {}
            )
            yield AskedCall(name, _arguments(given), str(table.get("call_id") or table.get("id") or ""))


def _arguments(given: object) -> Mapping[str, Json]:
    """Read arguments, which OpenAI writes as JSON in a text."""
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):
        read = None
    if isinstance(read, dict):
        return read
    return {"arguments": str(given)}


def _tokens(usage: object) -> tuple[int, int] | None:
    if not isinstance(usage, dict):
        return None
    given, answered = usage.get("input_tokens"), usage.get("output_tokens")
    return (given, answered) if isinstance(given, int) and isinstance(answered, int) else None
