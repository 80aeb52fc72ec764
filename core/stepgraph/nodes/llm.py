"""The node type ``llm``: ask a language model, or give prepared replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ..models.in_words import wanted_json
from ..models.messages import Message, ModelReply, ModelRequest, ToolCall
from ..tools.call_line import tool_call_in, without_calls
from ..values.declared import Declared, field
from ..values.errors import NodeFailed
from ..values.json_values import Json
from ..values.problems import did_you_mean
from .base import BaseNode, NodeResult
from .calls import ask_model, canned_reply
from .conversation import as_table
from .facts import NodeFacts
from .holding import holding
from .opening import MODEL, Opening, conversation_in, opening, refuse_silence, templates_of
from .structured import ask_until_fit, read_table, schema_of
from .tool_calling import specs

if TYPE_CHECKING:
    from ..values.state import State, StateKey

RUN_TOOL = "RUN_TOOL"
RESPOND = "RESPOND"


class LLMSettings(Declared):
    """The settings of an ``llm`` node."""

    prompt: str = field(
        description="What the model is asked; a template. It may be empty where there are messages.",
        examples=["Write here what the model is asked."],
        json_schema_extra=holding("template"),
    )
    system: str = field(
        "",
        description="What comes before every prompt, such as the model's role; a template.",
        json_schema_extra=holding("template"),
    )
    model: str = MODEL
    messages: str | None = field(
        None,
        min_length=1,
        description="The state key of a conversation that the model is told, and that grows by the prompt "
        "and the reply; its reducer is append.",
        json_schema_extra=holding("key"),
    )
    tools: tuple[str, ...] = field(
        (),
        description="The tools that the model may ask for; a tool node calls the one that it asks for.",
        json_schema_extra=holding("tool"),
    )
    schema_keys: tuple[str, ...] = field(
        (),
        alias="schema",  # which is a name that pydantic has for itself
        description="The declared state keys that the reply fills in, as JSON, in place of output.",
        json_schema_extra=holding("key"),
    )
    output: str = field(
        "response",
        min_length=1,
        description="The state key that takes the reply.",
        json_schema_extra=holding("key"),
    )
    replies: tuple[str, ...] = field(
        (),
        description="Canned replies, one a visit, the last repeated.",
        examples=[["billing", "other"]],
        json_schema_extra=holding("reply"),
    )

    def _check(self) -> None:
        refuse_silence(self)


class LLMNode(BaseNode):
    """Asks a model and puts its reply into the state.

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
        canned = canned_reply(settings.replies, state.visit)

        def ask(request: ModelRequest) -> ModelReply:
            return ask_model(self, state, settings.model, request, canned)

        wanted = wanted_json(request.schema or {})
        reply, (call, updates) = ask_until_fit(ask, request, self._read, wanted)
        if settings.messages is not None:
            text = without_calls(reply.text) if call else reply.text
            said = Message("assistant", text, (call,) if call else ())
            updates[settings.messages] = [*map(as_table, (*opened.own, said))]
        updates["next_action"] = RUN_TOOL if call else RESPOND
        updates["tool_call"] = call.to_json() if call else None  # an old one must not run again
        return NodeResult(updates, reply.text)

    def model_request(self, state: State) -> ModelRequest:
        """Write what the model is asked on this visit; of its tools it is told beside."""
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
