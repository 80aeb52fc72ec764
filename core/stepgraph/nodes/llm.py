"""The node type ``llm``: ask a language model, or give prepared replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NoReturn, Protocol, TypeVar

from ..models.client import Message, ModelReply, ModelRequest, ToolCall, wanted_json
from ..templates.template import Template
from ..tools.call_line import tool_call_in, without_calls
from ..values.declared import Declared, field
from ..values.errors import NodeFailed, StateError
from ..values.json_values import Json, json_line, plain, type_name, with_article
from ..values.messages import shortened
from ..values.problems import did_you_mean
from ..values.state import StateKey, fits
from .base import BaseNode, NodeFacts, NodeResult, holding
from .calls import ask_model, scripted_reply
from .conversation import as_table, conversation
from .tool import specs

if TYPE_CHECKING:
    from ..values.state import State


MODEL = field("default", min_length=1, description="The alias of the model in the user's settings.")
"""The setting ``model``, as all nodes that ask one declare it."""


class SaysPrompt(Protocol):
    """The settings of a node that asks a model."""

    @property
    def prompt(self) -> str:
        """What it says itself; a template."""
        ...

    @property
    def system(self) -> str:
        """What comes before everything; a template."""
        ...

    @property
    def messages(self) -> str | None:
        """The state key of the conversation that comes before the prompt."""
        ...


def templates_of(settings: SaysPrompt) -> Iterator[Template]:
    """Return the templates of a node that asks a model: its system text, then its prompt."""
    yield Template(settings.system, "system")
    yield Template(settings.prompt, "prompt")


def conversation_in(settings: SaysPrompt) -> dict[str, str]:
    """Name the setting of a node's conversation, with the key that it appends to; nothing without one."""
    return {} if settings.messages is None else {"messages": settings.messages}


def refuse_silence(settings: SaysPrompt) -> None:
    """Refuse settings by which a node would have nothing to say.

    Raises:
        ValueError: They are such.
    """
    if not settings.prompt and settings.messages is None:
        raise ValueError("its 'prompt' is empty, and it has no 'messages' to go on with")


@dataclass(frozen=True, slots=True)
class Opening:
    """The first messages of a visit."""

    system: str
    earlier: tuple[Message, ...]
    """The conversation so far."""
    own: tuple[Message, ...]
    """What the node itself says, which the conversation grows by."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """All of it, in order."""
        head = (Message("system", self.system),) if self.system else ()
        return (*head, *self.earlier, *self.own)


def opening(settings: SaysPrompt, state: State) -> Opening:
    """Write what a node says first on a visit.

    On a later visit, unless feedback is off, a section with the previous output and the feedback follows the
    prompt. A blank prompt is not said where there is a conversation.

    Raises:
        NodeFailed: A template cannot be filled in, a message cannot be read, or there is nothing to say.
    """
    key = settings.messages
    system, prompt = (template.render(state) for template in templates_of(settings))
    if key is None:
        return Opening(system, (), (_revised(prompt, state),))
    earlier = conversation(state, key)
    own = (_revised(prompt, state),) if prompt.strip() else ()
    if not earlier and not own:
        raise NodeFailed(
            f"there is nothing to say: {key!r} has no messages, and the prompt is blank",
            hint="write a prompt, or begin the conversation in an earlier node",
        )
    return Opening(system, earlier, own)


def _revised(prompt: str, state: State) -> Message:
    feedback = state.feedback
    if feedback is None:
        return Message("user", prompt)
    # The feedback speaks of the output "above", so it comes second.
    revision = (
        f"## Revision (attempt {state.visit - 1})\n\n"
        f"### Previous output\n\n{state.previous_output or ''}\n\n### Feedback\n\n{feedback}"
    )
    return Message("user", "\n\n".join(filter(None, (prompt, revision))))


T = TypeVar("T")

_TYPES = {"text": "string", "number": "number", "boolean": "boolean", "list": "array", "table": "object"}
_FENCE = "```"
_TOLD = 5  # keys nobody asked for that are named: a model may make up thousands


class Unfit(Exception):
    """A reply is not what was asked for; the text says why, to the model and to people."""


def schema_of(names: Iterable[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """Write the JSON schema of a table that has those keys of the state, by their types and notes."""
    properties: dict[str, Json] = {name: _property(keys.get(name)) for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(key: StateKey | None) -> dict[str, Json]:
    if key is None:
        return {}
    schema: dict[str, Json] = {"type": _TYPES[key.type]} if key.type is not None else {}
    return {**schema, "description": key.note} if key.note else schema


def read_table(text: str, names: Iterable[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """Read a reply that is one JSON object with those keys of the state; a fence of Markdown is no harm.

    Raises:
        Unfit: It is something else, a key is missing or too many, or a value is of another type.
    """
    try:
        table = plain(json.loads(_unfenced(text), parse_constant=_no_number), "the answer")
    except StateError as error:
        raise Unfit(error.message) from None
    except RecursionError:
        raise Unfit("it is nested too deeply") from None
    except ValueError as error:
        raise Unfit(f"it is not JSON: {error}") from None
    if not isinstance(table, dict):
        raise Unfit(f"it is {with_article(type_name(table))}, not a JSON object")
    wanted = tuple(names)
    wrong = [f"{name!r} is missing" for name in wanted if name not in table]
    unknown = [name for name in table if name not in wanted]
    wrong += [_unknown(name, wanted) for name in unknown[:_TOLD]]
    if len(unknown) > _TOLD:
        wrong.append(f"{len(unknown) - _TOLD:,} more were not asked for")
    wrong += [
        problem
        for name in wanted
        if name in table and (problem := _misfit(name, table[name], keys.get(name)))
    ]
    if wrong:
        raise Unfit("; ".join(wrong))
    return table


def _unfenced(text: str) -> str:
    """Strip a fence of Markdown, with the word after it: "```json".

    No regular expression: the blanks around a fence and those in it are the same to one, which then tries
    every way of sharing them out.
    """
    stripped = text.strip()
    word, line_break, inside = stripped.removeprefix(_FENCE).partition("\n")
    is_fenced = stripped.startswith(_FENCE) and line_break and inside.endswith(_FENCE)
    return inside.removesuffix(_FENCE) if is_fenced and (word.strip() + "x").isalpha() else text


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _unknown(name: str, wanted: tuple[str, ...]) -> str:
    hint = did_you_mean(name, wanted, listing="there are")
    return f"{shortened(name)!r} was not asked for" + (f" ({hint})" if hint else "")


def _misfit(name: str, value: Json, key: StateKey | None) -> str:
    if value is None:
        return f"{name!r} is null"
    if key is None or key.type is None or fits(value, key.type):
        return ""
    return f"{name!r} is {json_line(value)}, {with_article(type_name(value))}, not {with_article(key.type)}"


def ask_until_fit(
    ask: Callable[[ModelRequest], ModelReply],
    request: ModelRequest,
    read: Callable[[ModelReply], T],
    wanted: str,
) -> tuple[ModelReply, T]:
    """Ask a model, and once more with what was wrong where the reply is not what was asked for.

    Args:
        ask: Asks it.
        request: The request.
        read: Reads a reply, and raises Unfit where it is not what was asked for.
        wanted: The format that a second attempt asks for.

    Raises:
        NodeFailed: The second reply is not what was asked for either.
    """
    reply = ask(request)
    try:
        return reply, read(reply)
    except Unfit as error:
        correction = f"That was not what you were asked for: {error}.\n\n{wanted}"
    messages = *request.messages, Message("assistant", reply.text or "(nothing)"), Message("user", correction)
    key = f"{request.idempotency_key}:repair" if request.idempotency_key else ""
    reply = ask(replace(request, messages=messages, idempotency_key=key))
    try:
        return reply, read(reply)
    except Unfit as error:
        message = f"the reply does not fit, even after the model saw what was wrong: {error}"
        raise NodeFailed(
            f"{message}; it said {json_line(reply.text)}", hint="retry the run to ask once more"
        ) from None


RUN_TOOL = "RUN_TOOL"
RESPOND = "RESPOND"


class LLMSettings(Declared):
    """The settings of an ``llm`` node."""

    prompt: str = field(
        description="The prompt; a template. It may be empty with messages.",
        examples=["Write here what the model is asked."],
        json_schema_extra=holding("template"),
    )
    system: str = field(
        "",
        description="The system prompt, such as the model's role; a template.",
        json_schema_extra=holding("template"),
    )
    model: str = MODEL
    messages: str | None = field(
        None,
        min_length=1,
        description="The state key of a conversation: sent to the model, extended by prompt and reply. "
        "Its reducer is append.",
        json_schema_extra=holding("key"),
    )
    tools: tuple[str, ...] = field(
        (),
        description="Tools that the model may request; a tool node calls them.",
        examples=[["look_up"]],
        json_schema_extra=holding("tool"),
    )
    schema_keys: tuple[str, ...] = field(
        (),
        alias="schema",  # which is a name that pydantic has for itself
        description="Declared state keys that the reply fills in as JSON, instead of output.",
        examples=[["category", "urgent"]],
        json_schema_extra=holding("key"),
    )
    output: str = field(
        "response",
        min_length=1,
        description="The state key for the reply.",
        json_schema_extra=holding("key"),
    )
    replies: tuple[str, ...] = field(
        (),
        description="Scripted replies, one per visit; the last one repeats.",
        examples=[["billing", "other"]],
        json_schema_extra=holding("reply"),
    )

    def _check(self) -> None:
        refuse_silence(self)


class LLMNode(BaseNode):
    """Asks a model and stores its reply in the state.

    A reply that asks for a tool (natively, or by a line ``CALL_TOOL: name {json}``) sets ``next_action`` to
    ``RUN_TOOL`` and ``tool_call`` to a table of ``name`` and ``arguments``. Otherwise ``next_action`` becomes
    ``RESPOND``, and ``tool_call`` is removed. With ``replies`` no model is asked unless the run is live.

    The model gets the system text (if any), the conversation under ``messages``, and the prompt. On a later
    visit, unless feedback is off, a section with the previous output and the feedback follows the prompt.
    With ``schema`` the reply is JSON that goes into those keys; one that does not fit is asked for once more.
    """

    type: ClassVar[str] = "llm"
    Settings = LLMSettings
    settings: LLMSettings

    def execute(self, state: State) -> NodeResult:
        """Ask, and look for a tool call in the reply."""
        settings = self.settings
        opened = opening(settings, state)
        request = replace(
            self._request(opened),
            tools=specs(self, settings.tools, settings.replies),
            idempotency_key=state.idempotency_key,
        )
        self.log.debug("visit %d asks: %s", state.visit, request.prompt())
        scripted = scripted_reply(settings.replies, state.visit)

        def ask(request: ModelRequest) -> ModelReply:
            return ask_model(self, state, settings.model, request, scripted)

        wanted = wanted_json(request.schema or {})
        reply, (call, updates) = ask_until_fit(ask, request, self._read, wanted)
        if settings.messages is not None:
            text = without_calls(reply.text) if call else reply.text
            answer = Message("assistant", text, (call,) if call else (), signed=reply.signed if call else ())
            updates[settings.messages] = [*map(as_table, (*opened.own, answer))]
        updates["next_action"] = RUN_TOOL if call else RESPOND
        if call or "tool_call" in state:  # an old one must not run again
            updates["tool_call"] = call.to_json() if call else None
        return NodeResult(updates, reply.text)

    def model_request(self, state: State) -> ModelRequest:
        """Write the prompt of this visit; tools are passed separately."""
        return self._request(opening(self.settings, state))

    def _request(self, opened: Opening) -> ModelRequest:
        keys = self.settings.schema_keys
        return ModelRequest(opened.messages, schema=schema_of(keys, self._keys) if keys else None)

    def _read(self, reply: ModelReply) -> tuple[ToolCall | None, dict[str, Json]]:
        """Find the tool that a reply asks for, and else what it writes into the state.

        Raises:
            Unfit: It is to be JSON that fits a schema, and is not.
            NodeFailed: Its tool call cannot be read, or is of a tool that it was not given.
        """
        settings = self.settings
        call = self._call(reply)
        if not settings.schema_keys:
            return call, {settings.output: reply.text}
        return call, {} if call else read_table(reply.text, settings.schema_keys, self._keys)

    def _call(self, reply: ModelReply) -> ToolCall | None:
        """Find the first tool that a reply asks for: only one is called at a time."""
        if reply.tool_calls:
            call = reply.tool_calls[0]
        elif (asked := tool_call_in(reply.text)) is not None:
            call = ToolCall.from_json(asked)
        else:
            return None
        tools = self.settings.tools
        if tools and call.name not in tools:
            hint = did_you_mean(call.name, tools, listing="it may ask for")
            raise NodeFailed(f"the model asks for the tool {call.name!r}, which it was not given", hint=hint)
        return call

    @property
    def _keys(self) -> Mapping[str, StateKey]:
        return self.services.keys if self.services is not None else {}

    def facts(self) -> NodeFacts:
        """Declare its texts, its conversation, the keys of its reply, its tools and its model."""
        settings, model = self.settings, frozenset({self.settings.model})
        appends = conversation_in(settings)
        own = settings.schema_keys or (settings.output,)
        return NodeFacts(
            templates=tuple(templates_of(settings)),
            reads=frozenset(appends.values()),
            writes=frozenset({*own, *appends.values(), "next_action", "tool_call"}),
            appends=appends,
            typed_keys={"schema": settings.schema_keys},
            tools=frozenset(settings.tools),
            calls_tools=False,  # a tool node calls the one that its model asks for
            models=frozenset() if settings.replies else model,
            may_call=model,
        )
