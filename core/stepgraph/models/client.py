"""The model client that nodes use: its protocol, requests in plain words, and a model of prepared replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from ..values.errors import NodeFailed
from ..values.json_values import Json, canonical, dumps
from ..values.state import ValueType


@runtime_checkable
class LLMClient(Protocol):
    """A language model: text in, text out.

    The prompt holds everything: a node's system text comes first, then an empty line, then its prompt.
    A client that can send them apart may do so by what it knows of its prompts; none has to. A client
    raises whatever its library raises; the node that called it turns that into a node failure.
    """

    def generate(self, prompt: str) -> str:
        """Reply to ``prompt``."""
        ...


@runtime_checkable
class ChatModel(LLMClient, Protocol):
    """A language model that takes whole conversations and tools, and streams its reply.

    One that takes no tools by itself says so by an attribute ``native_tools`` that is false. Then it is never
    given any, nor calls and results in its messages: all that is written into the texts, and it asks by a
    line ``CALL_TOOL``.
    """

    provider: str
    """The provider's name, for the ledger."""

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        """Answer ``request``.

        Args:
            request: The request.
            watch: Is told of each piece of text, and of waits before another attempt; says when to stop.

        Raises:
            ModelError: It could not be reached, refused, or gave no answer that can be read.
            CallStopped: A person stopped it.
        """
        ...


class ScriptedModel:
    """A model with prepared replies, for tests and offline runs.

    Args:
        replies: What it replies, in order; the last one is repeated. An exception is raised instead.

    Raises:
        ValueError: There are no replies.
    """

    def __init__(self, replies: Iterable[str | Exception]) -> None:
        self._replies = tuple(replies)
        if not self._replies:
            raise ValueError("a scripted model needs at least one reply")
        self.prompts: list[str] = []
        """Every prompt that it was given, in order."""

    def generate(self, prompt: str) -> str:
        """Return the next reply."""
        self.prompts.append(prompt)
        reply = self._replies[min(len(self.prompts), len(self._replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply


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
        table: dict[str, Json] = {"name": self.name, "arguments": self.arguments}
        return {**table, "id": self.id} if self.id else table

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
    signed: tuple[Mapping[str, Json], ...] = ()
    """The thoughts before its tool calls, in blocks that the provider wants back as they came."""

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON, without what is empty."""
        table: dict[str, Json] = {"role": self.role, "text": self.text}
        if self.signed:
            table["signed"] = [dict(block) for block in self.signed]
        if self.tool_calls:
            table["tool_calls"] = [call.to_json() for call in self.tool_calls]
        return {**table, "answers": self.answers} if self.answers else table

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Message:
        """Read what ``to_json`` wrote."""
        calls = tuple(map(ToolCall.from_json, data.get("tool_calls", ())))
        return cls(data["role"], data["text"], calls, data.get("answers", ""), signed_in(data))


def signed_in(data: Mapping[str, Any]) -> tuple[Mapping[str, Json], ...]:
    """Read the signed blocks of a message or a reply."""
    blocks = data.get("signed")
    return tuple(block for block in blocks if isinstance(block, dict)) if isinstance(blocks, list) else ()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is declared to a model."""

    name: str
    description: str = ""
    parameters: Mapping[str, Json] | None = None
    """The JSON schema of its arguments; None where any are taken."""

    @property
    def arguments(self) -> dict[str, Mapping[str, Json]]:
        """The schema of each argument, by name; empty where there is none."""
        found = (self.parameters or {}).get("properties")
        if not isinstance(found, dict):
            return {}
        return {name: schema if isinstance(schema, dict) else {} for name, schema in found.items()}

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that every call must give."""
        found = (self.parameters or {}).get("required")
        return tuple(str(name) for name in found) if isinstance(found, list) else ()

    @property
    def types(self) -> dict[str, ValueType]:
        """The types of arguments in the words of graph files, as far as the schema says them plainly."""
        kinds = {name: str(schema.get("type")) for name, schema in self.arguments.items()}
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
    """The whole request of one call."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    """The tools that it may ask for."""
    schema: Mapping[str, Json] | None = None
    """The JSON schema that its answer must fit; None for any text."""
    idempotency_key: str = ""
    """The same for each attempt at the same call; not part of the request."""

    def to_json(self) -> dict[str, Json]:
        """Write the request as JSON, without what is empty."""
        table: dict[str, Json] = {"messages": [message.to_json() for message in self.messages]}
        if self.tools:
            table["tools"] = [tool.to_json() for tool in self.tools]
        return {**table, "schema": dict(self.schema)} if self.schema is not None else table

    @property
    def digest(self) -> str:
        """The hash of the request, by which a recorded answer is found again; 32 hexadecimal digits."""
        return digest_of(self.to_json())

    def prompt(self) -> str:
        """Write everything as one text, for a client that takes no messages.

        The texts of a system and of one user's message stand as they are, with an empty line between; in a
        longer conversation each message has its role above it.
        """
        if all(message.role in ("system", "user") for message in self.messages):
            return "\n\n".join(message.text for message in self.messages if message.text)
        return "\n\n".join(_titled(message) for message in self.messages)


def digest_of(request: Json) -> str:
    """Hash the request of a call, whatever model is called."""
    return blake2b(canonical(request).encode(), digest_size=16).hexdigest()


def _titled(message: Message) -> str:
    if message.role == "system":
        return message.text
    calls = "\n".join(f"CALL_TOOL: {call.name} {canonical(call.arguments)}" for call in message.tool_calls)
    return f"## {message.role.capitalize()}\n\n" + "\n".join(filter(None, (message.text, calls)))


_MOST_TOKENS = 10**12


def token_count(value: object) -> int | None:
    """Accept a number of tokens as a provider tells it; None for what is no such number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value) if 0 <= value <= _MOST_TOKENS and value == int(value) else None


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
    thoughts: str = ""
    """What it thought before it answered, where the provider shows it."""
    signed: tuple[Mapping[str, Json], ...] = ()
    """The same in blocks that the provider wants back with its tool calls."""


CallKind = Literal["model", "tool"]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where a call comes from."""

    run_id: str
    node: str
    step: int
    kind: CallKind
    name: str
    """The alias of the model, or the name of the tool."""


@dataclass(frozen=True, slots=True)
class CallBegan:
    """A call has begun."""

    place: CallPlace


@dataclass(frozen=True, slots=True)
class TextCame:
    """The next piece of a reply has come, or of what the model thinks before it."""

    place: CallPlace
    text: str
    is_thought: bool = False


@dataclass(frozen=True, slots=True)
class CallWaits:
    """A call was refused for now, and is made again."""

    place: CallPlace
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call is over."""

    place: CallPlace
    call: dict[str, Json]
    """What the ledger keeps of it (see ``stepgraph.nodes.calls``)."""


CallEvent: TypeAlias = CallBegan | TextCame | CallWaits | CallEnded
CallListener: TypeAlias = Callable[[CallEvent], object]


class CallStopped(NodeFailed):
    """A person stopped a call before its answer was whole.

    ``spent`` is what the ledger keeps of the answer so far: the tokens that it took, what they cost.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.spent: dict[str, Json] = {}


class CallWatch:
    """The callbacks with which a client reports its call, and asks whether to go on.

    Args:
        place: Where the call comes from.
        tell: Who listens; None for nobody.
        stopped: Whether somebody has asked to stop; None where nobody can.
        time_left: How many seconds the node has left; None for any time.
    """

    def __init__(
        self,
        place: CallPlace,
        tell: CallListener | None = None,
        stopped: Callable[[], bool] | None = None,
        time_left: Callable[[], float | None] | None = None,
    ) -> None:
        self.place = place
        self._tell = tell
        self._stopped = stopped
        self._time_left = time_left

    def text(self, piece: str) -> None:
        """Receive the next piece of the reply."""
        if self._tell is not None:
            self._tell(TextCame(self.place, piece))

    def thought(self, piece: str) -> None:
        """Receive the next piece of what the model thinks."""
        if self._tell is not None:
            self._tell(TextCame(self.place, piece, is_thought=True))

    def waits(self, seconds: float, why: str) -> None:
        """Receive the seconds until the call is retried."""
        if self._tell is not None:
            self._tell(CallWaits(self.place, seconds, why))

    def tell(self, event: CallEvent) -> None:
        """Receive any other event."""
        if self._tell is not None:
            self._tell(event)

    @property
    def stopped(self) -> bool:
        """Whether somebody has asked to stop."""
        return self._stopped is not None and self._stopped()

    @property
    def time_left(self) -> float | None:
        """How many seconds the node has left; None for any time."""
        return self._time_left() if self._time_left is not None else None

    def check(self) -> None:
        """Stop here where somebody has asked to.

        Raises:
            CallStopped: Somebody has.
        """
        if self.stopped:
            raise CallStopped(
                f"the {self.place.kind} {self.place.name!r} was stopped before its answer was whole",
                hint="retry the run to call it again",
            )


@dataclass(frozen=True, slots=True)
class Question:
    """What a call is found by: who asks, whom, and the hash of the request."""

    node: str
    visit: int
    kind: CallKind
    name: str
    """The alias of the model, or the name of the tool."""
    digest: str
    said: Json
    """The request as JSON: to show how it differs from what was recorded."""


class Recordings(Protocol):
    """Where recorded calls are found."""

    @property
    def run_id(self) -> str:
        """The run that they are of."""
        ...

    def knows(self, node: str) -> bool:
        """Check whether a model has answered anything to a node."""
        ...

    def answer(self, question: Question) -> dict[str, Json]:
        """Return the recorded call that answers a question.

        Each call is given once; of several with the same question, in the order in which they were made, and
        the last one again when all were given.

        Raises:
            NodeFailed: There is none; the message names the nearest one and how it differs.
        """
        ...


CALL_TOOL = "CALL_TOOL"
"""The word that begins a line by which a model asks for a tool."""


def tools_in_words(request: ModelRequest) -> ModelRequest:
    """Write the tools, the calls and their results of a request into its texts.

    The system text says which tools there are and how to ask for one, a call is a line, and a result is what
    the user says next.
    """
    messages = tuple(_join_user_turns(_with_tools_in_words(request.messages)))
    if request.tools:
        messages = _with_system(messages, _tools(request.tools))
    return replace(request, messages=messages, tools=())


def schema_in_words(request: ModelRequest) -> ModelRequest:
    """Write the schema of a request into its system text."""
    if request.schema is None:
        return request
    messages = _with_system(request.messages, wanted_json(request.schema))
    return replace(request, messages=messages, schema=None)


def wanted_json(schema: Mapping[str, Json]) -> str:
    """Instruct a model to answer with JSON that fits a schema."""
    return f"Answer with one JSON object that fits this JSON schema, and nothing else:\n{dumps(dict(schema))}"


def result_in_words(tool: str, result: str) -> str:
    """Write the result of a tool as something that the user says."""
    return f"The result of the tool {tool}:\n\n{result}"


def call_line(name: str, arguments: Mapping[str, Json]) -> str:
    """Write the line that asks for a tool."""
    return f"{CALL_TOOL}: {name} {canonical(arguments)}"


def _with_tools_in_words(messages: tuple[Message, ...]) -> Iterator[Message]:
    tools: dict[str, str] = {}
    for message in messages:
        if message.role == "tool":
            yield Message(
                "user", result_in_words(tools.get(message.answers, "that you asked for"), message.text)
            )
        elif message.tool_calls:
            tools |= {call.id: call.name for call in message.tool_calls}
            lines = [call_line(call.name, call.arguments) for call in message.tool_calls]
            yield Message("assistant", "\n".join(filter(None, (message.text, *lines))))
        else:
            yield message


def _join_user_turns(messages: Iterator[Message]) -> Iterator[Message]:
    """Join what the user says in a row: many models want the roles to alternate."""
    last: Message | None = None
    for message in messages:
        if last is not None and last.role == message.role == "user":
            last = Message("user", f"{last.text}\n\n{message.text}")
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _with_system(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].text}\n\n{text}"), *messages[1:])
    return (Message("system", text), *messages)


def _tools(tools: tuple[ToolSpec, ...]) -> str:
    listed = "\n".join(map(_tool, tools))
    return (
        f"You may ask for these tools:\n{listed}\n\n"
        "To ask for one, write a line of its own such as\n"
        f'{CALL_TOOL}: {tools[0].name} {{"argument": "value"}}\n'
        "with its arguments as JSON, and nothing after it. You get the result. "
        "When you need no tool, answer without such a line."
    )


def _tool(tool: ToolSpec) -> str:
    about = f"- {tool.name}" + (f": {tool.description}" if tool.description else "")
    return about if tool.parameters is None else f"{about}\n  arguments: {dumps(dict(tool.parameters))}"
