"""The node type ``agent``: a model that calls tools, turn after turn, until it has an answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from ..models.client import Message, ModelReply, ModelRequest, ToolCall, ToolSpec, digest_of
from ..reviews.model import ReviewRequest
from ..tools.call_line import tool_calls_in, without_calls
from ..values.declared import Converted, Declared
from ..values.declared import field as setting
from ..values.errors import NodeFailed
from ..values.json_values import Json, canonical, dumps
from ..values.problems import did_you_mean
from ..values.state import ValueType, fits
from .base import BaseNode, NodeFacts, NodeResult, holding
from .calls import CallFailed, ask_model, scripted_reply
from .conversation import as_table, told_of
from .llm import MODEL, Opening, conversation_in, opening, refuse_silence, templates_of
from .tool import call_tool, specs

if TYPE_CHECKING:
    from ..values.state import DecisionMade, State

RESPOND, MAX_TURNS = "RESPOND", "MAX_TURNS"
_KINDS: tuple[ValueType, ...] = get_args(ValueType)


def _by_visit(replies: Any) -> Any:
    """Put the turns of all visits into a list of visits, where they are given by themselves."""
    flat = isinstance(replies, list) and replies != [] and all(isinstance(turn, str) for turn in replies)
    return [replies] if flat else replies


def _of_one_visit_too(by_visit: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [by_visit["items"], by_visit]}


class AgentSettings(Declared):
    """The settings of an ``agent`` node."""

    prompt: str = setting(
        description="The task; a template. It may be empty with messages.",
        examples=["Write here what the agent is to find out."],
        json_schema_extra=holding("template"),
    )
    system: str = setting(
        "",
        description="The system prompt, such as the agent's role; a template.",
        json_schema_extra=holding("template"),
    )
    model: str = MODEL
    tools: tuple[str, ...] = setting(
        description="The tools that the agent may call.",
        examples=[[]],
        json_schema_extra=holding("tool"),
    )
    messages: str | None = setting(
        None,
        min_length=1,
        description="The state key of a conversation that the agent extends; its reducer is append.",
        json_schema_extra=holding("key"),
    )
    output: str = setting(
        "response",
        min_length=1,
        description="The state key for the answer.",
        json_schema_extra=holding("key"),
    )
    max_turns: int = setting(10, description="The most model calls per visit.")
    on_max_turns: Literal["fail", "route"] = setting(
        "fail",
        description="What happens without an answer by then: fail, or set next_action to MAX_TURNS.",
    )
    max_errors: int = setting(
        3,
        description="How many tool calls may fail in a row before the node does; the model sees them.",
    )
    replies: Annotated[list[list[str]], Converted(_by_visit, first=True, takes=_of_one_visit_too)] = setting(
        default_factory=list,
        description="Scripted replies, one per turn; the last one repeats. Nested: one list per visit.",
        examples=[['CALL_TOOL: search {"query": "rain"}', "It rains."]],
        json_schema_extra=holding("reply"),
    )

    def _check(self) -> None:
        refuse_silence(self)
        if self.max_turns < 1:
            raise ValueError("'max_turns' is at least 1")
        if self.max_errors < 0:
            raise ValueError("'max_errors' is at least 0")
        if any(not turns for turns in self.replies):
            raise ValueError("'replies' has a visit without a reply")


class AgentNode(BaseNode):
    """Lets a model call tools, turn after turn, until it answers.

    All turns are one visit. A tool that requires approval pauses it; then the node goes on where it stood, as
    it does after a failure: no turn is asked for twice, and no tool is called twice. What a tool raises, a
    call that a person rejected, and what they changed, goes to the model. The answer goes under the output
    key, and ``next_action`` becomes ``RESPOND``.
    """

    type: ClassVar[str] = "agent"
    asks_again: ClassVar[bool] = True
    Settings = AgentSettings
    settings: AgentSettings

    def execute(self, state: State) -> NodeResult:
        """Take turns until there is an answer, a question to a person, or no turn left."""
        settings = self.settings
        work = _Work(self, state, opening(settings, state), specs(self, settings.tools, settings.replies))
        for turn in range(1, settings.max_turns + 1):
            reply = work.ask(turn)
            calls = work.take(reply)
            if not calls and not work.misread:
                return self._finish(work, reply.text, RESPOND)
            if turn == settings.max_turns:
                break
            for call in calls:
                outcome = work.call(call)
                if isinstance(outcome, ReviewRequest):
                    return NodeResult.pause(outcome)
                work.said.append(Message("tool", outcome, answers=call.id))
        if settings.on_max_turns == "route":
            return self._finish(work, reply.text, MAX_TURNS)
        raise NodeFailed(
            f"it gave no answer in {settings.max_turns} turns, and asked for tools to the last",
            hint='raise max_turns; or set on_max_turns = "route", and an edge for next_action == "MAX_TURNS"',
        )

    def _finish(self, work: _Work, text: str, action: str) -> NodeResult:
        updates: dict[str, Json] = {self.settings.output: text, "next_action": action}
        if self.settings.messages is not None:
            updates[self.settings.messages] = [as_table(message) for message in work.new]
        return NodeResult(updates, text)

    def model_request(self, state: State) -> ModelRequest:
        """Write the first messages of this visit; tools are passed separately."""
        return ModelRequest(opening(self.settings, state).messages)

    def facts(self) -> NodeFacts:
        """Declare its task, its conversation, its answer, its tools and its model."""
        settings, model = self.settings, frozenset({self.settings.model})
        appends = conversation_in(settings)
        return NodeFacts(
            templates=tuple(templates_of(settings)),
            reads=frozenset(appends.values()),
            writes=frozenset({settings.output, *appends.values(), "next_action"}),
            appends=appends,
            tools=frozenset(settings.tools),
            models=frozenset() if settings.replies else model,
            may_call=model,
        )


@dataclass(slots=True)
class _Work:
    """One visit of an agent, as far as it has come."""

    node: AgentNode
    state: State
    opened: Opening
    tools: tuple[ToolSpec, ...]
    """The tools that the model may call."""
    said: list[Message] = field(default_factory=list)
    """What the agent and its tools have said."""
    misread: bool = False
    """Whether the last reply asks for a tool in a way that cannot be read."""
    _errors: int = 0  # calls that failed, in a row
    _made: Counter[str] = field(default_factory=Counter)  # how often each tool was called
    _same: Counter[str] = field(default_factory=Counter)  # how often each with the same arguments
    _answers: list[tuple[dict[str, Any], DecisionMade]] | None = None

    @property
    def new(self) -> list[Message]:
        """What the conversation grows by."""
        return [*self.opened.own, *self.said]

    def ask(self, turn: int) -> ModelReply:
        """Ask the model for its next turn."""
        settings, state = self.node.settings, self.state
        messages = *self.opened.messages, *self.said
        request = ModelRequest(messages, self.tools, idempotency_key=f"{state.idempotency_key}:{turn}")
        scripted = None
        if settings.replies:
            turns = settings.replies[min(state.visit, len(settings.replies)) - 1]
            scripted = scripted_reply(turns, turn)
        return ask_model(self.node, state, settings.model, request, scripted)

    def take(self, reply: ModelReply) -> tuple[ToolCall, ...]:
        """Add a reply to the conversation, and return the calls that it asks for, each with an id."""
        self.misread = False
        try:
            calls = reply.tool_calls or tuple(map(ToolCall.from_json, tool_calls_in(reply.text)))
        except NodeFailed as error:
            self.misread = True
            answer = Message("user", f"{error.message} ({error.hint})")
            self.said += [Message("assistant", reply.text), answer]
            self._failed(error)
            return ()
        before = sum(len(message.tool_calls) for message in (*self.opened.earlier, *self.said))
        calls = tuple(
            call if call.id else replace(call, id=f"call_{before + number}")
            for number, call in enumerate(calls, 1)
        )
        text = without_calls(reply.text) if calls else reply.text
        self.said.append(Message("assistant", text, calls, signed=reply.signed))
        return calls

    def call(self, call: ToolCall) -> str | ReviewRequest:
        """Call a tool, and return its result for the model; or the question for a person."""
        node, name, arguments, prefix = self.node, call.name, call.arguments, ""
        tools = node.settings.tools
        if name not in tools:
            hint = did_you_mean(name, tools, listing="there are") or "there are none"
            self._failed(NodeFailed(f"the model asks for tool {name!r}, which it does not have", hint=hint))
            return f"There is no tool {name!r} ({hint})."
        registry = node.services.tools if node.services is not None else None
        asks = registry is not None and registry.requires_approval(name)
        if registry is not None and asks:
            refused = registry.refusal(name, arguments)
            if refused is not None:
                self._failed(refused)
                return f"The tool failed: {refused.message}"
            decision = self._decision(name, arguments)
            if decision is None:
                return _question(node.name, name, arguments, told_of([*self.opened.earlier, *self.new]))
            if decision.verb == "reject":
                return "The call was rejected" + (f": {decision.comment}" if decision.comment else ".")
            if decision.values:
                arguments = {**arguments, **decision.values}
                prefix = f"A person changed the arguments to {canonical(arguments)}. The result:\n"
        self._made[name] += 1
        key, number = self._key(name, arguments), self._made[name]
        try:
            result = call_tool(
                node, self.state, name, arguments, approved=asks, idempotency_key=key, number=number
            )
        except CallFailed as error:
            self._failed(error)
            return f"{prefix}The tool failed: {error.message}" + (f" ({error.hint})" if error.hint else "")
        self._errors = 0
        return prefix + dumps(result)

    def _key(self, tool: str, arguments: dict[str, Json]) -> str:
        """Derive the key that tells a call from the others of the visit.

        It goes by what is asked for, not by the turn: a process that died between the call and the row in the
        ledger has a model asked again, which may come to the very same call by another way.
        """
        what = digest_of({"tool": tool, "arguments": arguments})[:12]
        self._same[what] += 1
        return f"{self.state.idempotency_key}:{what}:{self._same[what]}"

    def _failed(self, error: NodeFailed) -> None:
        """Count a failure that is passed to the model.

        Raises:
            NodeFailed: There were too many in a row.
        """
        self._errors += 1
        if self._errors > self.node.settings.max_errors:
            count = "a call" if self._errors == 1 else f"{self._errors} calls in a row"
            raise NodeFailed(f"{count} failed, the last with: {error.message}", hint=error.hint) from error

    def _decision(self, tool: str, arguments: dict[str, Json]) -> DecisionMade | None:
        """Find what a person has decided about a call on this visit; each decision is for one call."""
        if self._answers is None:
            self._answers = list(self.state.answers)
        wanted = canonical([tool, arguments])  # to Python true would be 1
        for position, (request, decision) in enumerate(self._answers):
            if canonical([request["action"], request["arguments"]]) == wanted:
                del self._answers[position]
                return decision
        return None


def _question(
    node: str, tool: str, arguments: dict[str, Json], led_by: tuple[dict[str, Json], ...]
) -> ReviewRequest:
    """Write what a person is asked about a call, whose arguments they may change, and what led to it."""
    editable: dict[str, ValueType] = {
        name: kind
        for name, value in arguments.items()
        for kind in _KINDS
        if "." not in name and fits(value, kind)
    }
    return ReviewRequest(
        f"May {node!r} call {tool!r}?",
        tool,
        arguments,
        editable=editable,
        edits="arguments",
        conversation=led_by,
    )
