"""What is said to a model and what it answers, whichever provider it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from ..values.json_values import Json, canonical
from ..values.state import ValueType

_TYPES: dict[str, ValueType] = {
    "string": "text",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "table",
}
"""The types of JSON schema in the words of graph files."""
Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model asks for."""

    name: str
    arguments: dict[str, Json]
    id: str = ""
    """The provider's name of this call, which the answer to it repeats; empty in the text protocol."""

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON."""
        told: dict[str, Json] = {"name": self.name, "arguments": self.arguments}
        return {**told, "id": self.id} if self.id else told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolCall:
        """Read what ``to_json`` wrote."""
        return cls(data["name"], data["arguments"], data.get("id", ""))


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that an assistant asks for."""
    answers: str = ""
    """The id of the call that the result of a tool answers."""

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON, without what is empty."""
        told: dict[str, Json] = {"role": self.role, "text": self.text}
        if self.tool_calls:
            told["tool_calls"] = [call.to_json() for call in self.tool_calls]
        return {**told, "answers": self.answers} if self.answers else told

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Read what ``to_json`` wrote."""
        calls = tuple(map(ToolCall.from_json, data.get("tool_calls", ())))
        return cls(data["role"], data["text"], calls, data.get("answers", ""))


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Json] | None = None
    """The JSON schema of its arguments; None where any are taken."""

    @property
    def arguments(self) -> dict[str, Mapping[str, Json]]:
        """What the schema says of each argument, by its name; empty where nothing is said."""
        found = (self.parameters or {}).get("properties")
        if not isinstance(found, dict):
            return {}
        return {name: said if isinstance(said, dict) else {} for name, said in found.items()}

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that every call must give."""
        found = (self.parameters or {}).get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()

    @property
    def types(self) -> dict[str, ValueType]:
        """The types of arguments in the words of graph files, as far as the schema says them plainly."""
        kinds = {name: str(said.get("type")) for name, said in self.arguments.items()}
        return {name: _TYPES[kind] for name, kind in kinds.items() if kind in _TYPES}

    @property
    def is_closed(self) -> bool:
        """Whether no other arguments are taken than those that it names."""
        return self.parameters is not None and self.parameters.get("additionalProperties") in (None, False)

    @property
    def takes(self) -> tuple[str, ...] | None:
        """The only arguments that a call may have; None where the schema leaves room for others."""
        schema = self.parameters or {}
        is_open = schema.get("additionalProperties") is not False or "patternProperties" in schema
        return None if is_open else tuple(self.arguments)

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON."""
        parameters: Json = dict(self.parameters) if self.parameters is not None else None
        return {"name": self.name, "description": self.description, "parameters": parameters}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that is said to a model in one call."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    """The tools that it may ask for."""
    schema: Mapping[str, Json] | None = None
    """The JSON schema that its answer must fit; None for any text."""
    idempotency_key: str = ""
    """The same for each attempt at the same call; not part of what is said."""

    def to_json(self) -> dict[str, Json]:
        """Write what is said as JSON, without what is empty."""
        told: dict[str, Json] = {"messages": [message.to_json() for message in self.messages]}
        if self.tools:
            told["tools"] = [tool.to_json() for tool in self.tools]
        return {**told, "schema": dict(self.schema)} if self.schema is not None else told

    @property
    def digest(self) -> str:
        """The hash of what is said, by which a recorded answer is found again; 32 hexadecimal digits."""
        return digest_of(self.to_json())

    def prompt(self) -> str:
        """Write everything as one text, for a client that takes no messages.

        The texts of a system and of one user's message stand as they are, with an empty line between; in a
        longer conversation each message has its role above it.
        """
        if all(message.role in ("system", "user") for message in self.messages):
            return "\n\n".join(message.text for message in self.messages if message.text)
        return "\n\n".join(_titled(message) for message in self.messages)


def digest_of(said: Json) -> str:
    """Hash what is said in a call, whoever is called."""
    return blake2b(canonical(said).encode(), digest_size=16).hexdigest()


def _titled(message: Message) -> str:
    if message.role == "system":
        return message.text
    calls = "\n".join(f"CALL_TOOL: {call.name} {canonical(call.arguments)}" for call in message.tool_calls)
    return f"## {message.role.capitalize()}\n\n" + "\n".join(filter(None, (message.text, calls)))


_MOST_TOKENS = 10**12


def token_count(said: object) -> int | None:
    """Take a number of tokens as a provider tells it; None for what is no such number."""
    if not isinstance(said, int | float) or isinstance(said, bool):
        return None
    return int(said) if 0 <= said <= _MOST_TOKENS and said == int(said) else None


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens a call took."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """How many of the input were read from the provider's cache."""

    @property
    def total(self) -> int:
        """Those of the input and the output together."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    """None where the provider does not say."""
    cost: float | None = None
    """In US dollars; None where the price is not known."""
    model: str = ""
    """The model's full name, as the provider gives it."""
