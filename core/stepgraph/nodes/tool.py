"""The node type ``tool``: call a tool and put its result into the state."""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from ..templates.template import rendered, templates_in
from ..tools.protocols import ToolContext
from ..values.declared import Converted, Declared, field
from ..values.errors import NodeFailed, StepgraphError
from ..values.json_values import Json, dumps, json_line
from ..values.messages import error_detail, shown_value
from .base import BaseNode, JsonTable, NodeFacts, NodeResult, holding

if TYPE_CHECKING:
    from ..models.client import CallWatch, ToolSpec
    from ..values.state import State
    from .base import Services


def call_tool(
    node: BaseNode,
    state: State,
    name: str,
    arguments: dict[str, Json],
    *,
    approved: bool = False,
    idempotency_key: str = "",
    number: int | None = None,
) -> dict[str, Json]:
    """Call a tool, or take its recorded answer, and keep the answer with the visit.

    Args:
        node: The node that calls.
        state: What it was given for this visit.
        name: The tool.
        arguments: Its arguments.
        approved: Whether a person has agreed to this call.
        idempotency_key: What tells this call from the others of the visit and is the same when it is made
            again; the visit's own key where the node makes one call a visit.
        number: Which of its scripted answers the tool gives, from 1; by default they go by the visit.

    Raises:
        CallFailed: There is no such tool, or it failed.
        NodeFailed: It was stopped, or has no recorded answer.
    """
    services = node.services
    if services is None:
        raise _no_tools(name)
    if services.tools.is_scripted(name):
        return _call_tool(services, name, arguments, approved, number or state.visit)
    from ..models.client import Question, digest_of
    from .calls import answer

    asked: dict[str, Json] = {"tool": name, "arguments": arguments}
    question = Question(node.name, state.visit, "tool", name, digest_of(asked), asked)

    def make(watch: CallWatch, call: dict[str, Json]) -> dict[str, Json]:
        context = ToolContext(state.visit, idempotency_key or state.idempotency_key, watch)
        return {"result": _call_tool(services, name, arguments, approved, state.visit, context)}

    return cast("dict[str, Json]", answer(node, state, question, make, arguments=arguments)["result"])


def specs(node: BaseNode, names: Iterable[str], replies: Sequence[object] = ()) -> tuple[ToolSpec, ...]:
    """Describe tools to a model; nothing where scripted replies answer: no server is started for them.

    Args:
        node: The node that asks the model.
        names: The tools.
        replies: The node's scripted replies.

    Raises:
        NodeFailed: There is no such tool, or it cannot be described now.
    """
    from .calls import is_scripted

    if replies and is_scripted(node):
        return ()
    found = []
    for name in names:
        if node.services is None:
            raise _no_tools(name)
        try:
            found.append(node.services.tools.spec(name))
        except StepgraphError as error:
            raise NodeFailed(error.message, hint=error.hint) from error
    return tuple(found)


def _no_tools(name: str) -> NodeFailed:
    return NodeFailed(f"it has no tools to find {name!r} in", hint="run the node through an Executor")


def _call_tool(
    services: Services,
    name: str,
    arguments: dict[str, Json],
    approved: bool,
    visit: int,
    context: ToolContext | None = None,
) -> dict[str, Json]:
    try:
        return services.tools.call(name, arguments, visit=visit, approved=approved, context=context)
    except Exception as error:  # a tool raises whatever its own work raises
        from ..models.client import CallStopped
        from .calls import CallFailed

        if isinstance(error, BdbQuit | CallStopped):  # it was left in its debugger, or stopped by a person
            raise
        called = f"called with {json_line(arguments)}"
        if isinstance(error, StepgraphError):
            raise CallFailed(f"{error.message}; {called}", hint=error.hint) from error
        raised = f"tool {name!r} raised {type(error).__name__}{error_detail(error)}"
        raise CallFailed(f"{raised}; {called}") from error


EVALUATE = "EVALUATE"
ANY = "any"


def _names(tools: Any) -> Any:
    """Accept the names of tools, or the word for any of them.

    Raises:
        ValueError: It is neither.
    """
    if tools is None or tools == ANY:
        return tools
    if isinstance(tools, list | tuple) and tools and all(isinstance(name, str) and name for name in tools):
        return list(tools)
    raise ValueError("'tools' is a list of names, or \"any\" for all tools of your servers")


def _schema(_: dict[str, Any]) -> dict[str, Any]:
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
    return {"anyOf": [{"const": ANY}, names]}


class ToolSettings(Declared):
    """The settings of a ``tool`` node."""

    tool: str | None = field(
        None,
        min_length=1,
        description="The tool to call; when left out, the one that tool_call names.",
        json_schema_extra=holding("tool"),
    )
    tools: Annotated[Any, Converted(_names, takes=_schema)] = field(
        None,
        description='The tools that tool_call may name: a list, or "any" for all tools of your servers. When '
        "left out, those that the graph declares or names elsewhere.",
        examples=[["look_up"]],
        json_schema_extra={**holding("tool"), "types": ["list", "text"]},
    )
    arguments: JsonTable | None = field(
        None,
        description="Arguments; texts are templates, also within lists and tables.",
        examples=[{"id": "{{ order.id }}"}],
        json_schema_extra=holding("template"),
    )
    output: str = field(
        "context",
        min_length=1,
        description="The state key for the result.",
        json_schema_extra=holding("key"),
    )
    messages: str | None = field(
        None,
        min_length=1,
        description="The state key of a conversation to append the result to; its reducer is append.",
        json_schema_extra=holding("key"),
    )

    def _check(self) -> None:
        if self.tool is not None and self.tools is not None:
            raise ValueError("'tool' is the one tool that it calls: leave 'tools' out")


class ToolNode(BaseNode):
    """Calls a tool and stores its result in the state.

    Without ``tool`` it calls the one that ``tool_call`` in the state names, with the arguments there;
    ``arguments`` of the node then go over them. It may name those that ``tools`` lists; without a list those
    that the graph names somewhere, and those that the program registered which runs it; with ``any`` beside
    these any tool of the user's servers. With ``tool`` that one is called, with the ``arguments`` of
    the node alone; if it has none, with those of a ``tool_call`` that names the same tool.
    ``next_action`` becomes ``EVALUATE``, and ``tool_call`` is removed so that it cannot run twice. With
    ``messages`` the result goes into that conversation too: as the answer to the ``tool_call``, and as what
    the user says where nobody asked for the tool.
    """

    type: ClassVar[str] = "tool"
    Settings = ToolSettings
    settings: ToolSettings

    def execute(self, state: State) -> NodeResult:
        """Call the tool."""
        name, arguments = self._call(state)
        agreed = state.agreed == (name, arguments)  # to this very call, not to what another node does
        result = call_tool(self, state, name, arguments, approved=agreed)
        output, key = dumps(result), self.settings.messages
        updates: dict[str, Json] = {self.settings.output: result, "next_action": EVALUATE, "tool_call": None}
        if key is not None:
            updates[key] = [_message(state, name, output)]
        return NodeResult(updates, output)

    @property
    def function(self) -> Callable[..., Any] | None:
        """What of its tool a person wrote in Python; None for scripted ones, and where none is fixed."""
        name = self.settings.tool
        return self.services.tools.function_of(name) if name and self.services is not None else None

    def _call(self, state: State) -> tuple[str, dict[str, Json]]:
        """Find the tool's name and its arguments."""
        fixed = self.settings.tool
        own = cast("dict[str, Json]", rendered(self.settings.arguments or {}, "arguments", state))
        if fixed is None:
            name, asked = self._requested(state)
            return name, {**asked, **own}
        waiting = state.get("tool_call") if self.settings.arguments is None else None
        if isinstance(waiting, dict) and waiting.get("name") == fixed:
            return _request(state)
        return fixed, own

    def _requested(self, state: State) -> tuple[str, dict[str, Json]]:
        """Read the call that waits in the state.

        Raises:
            NodeFailed: There is none, or it is of a tool that the node may not call.
        """
        name, arguments = _request(state)
        allowed = self.settings.tools
        if isinstance(allowed, list) and name not in allowed:
            raise NodeFailed(
                f"'tool_call' names the tool {name!r}, which this node may not call",
                hint=f"it may call: {', '.join(allowed)}",
            )
        return name, arguments

    def proposes(self, state: State) -> tuple[str, dict[str, Json]]:
        """Name the tool, with the arguments that it would be called with.

        Raises:
            NodeFailed: No call waits, or it has arguments that the tool does not take.
        """
        name, arguments = self._call(state)
        refused = self.services.tools.refusal(name, arguments) if self.services is not None else None
        if refused is not None:
            raise refused
        return name, arguments

    def must_ask(self, state: State) -> bool:
        """Check whether the tool of this visit requires approval."""
        registry = self.services.tools if self.services is not None else None
        if registry is None or not registry.asks:
            return False
        name = self.settings.tool
        return registry.requires_approval(self._requested(state)[0] if name is None else name)

    def facts(self) -> NodeFacts:
        """Declare its arguments, its result, its conversation, and the tools that it may call."""
        settings, fixed = self.settings, self.settings.tool
        appends = {} if settings.messages is None else {"messages": settings.messages}
        listed = settings.tools if isinstance(settings.tools, list) else ()
        return NodeFacts(
            templates=tuple(templates_in(settings.arguments or {}, "arguments")),
            reads=frozenset() if fixed else frozenset({"tool_call"}),
            writes=frozenset({settings.output, *appends.values(), "next_action", "tool_call"}),
            appends=appends,
            tools=frozenset({fixed} if fixed else listed),
            call_key=None if fixed else "tool_call",
            calls_any_tool=bool(settings.tools == ANY),
            tool_arguments={fixed: settings.arguments} if fixed else {},
        )


def _message(state: Mapping[str, Any], name: str, result: str) -> dict[str, Json]:
    """Write a result as a message of a conversation."""
    from ..models.client import Message, result_in_words
    from .conversation import as_table

    waiting = state.get("tool_call")
    if isinstance(waiting, dict) and waiting.get("name") == name:
        id_ = waiting.get("id")
        return as_table(Message("tool", result, answers=id_ if isinstance(id_, str) else ""))
    return as_table(Message("user", result_in_words(name, result)))


def _request(state: Mapping[str, Any]) -> tuple[str, dict[str, Json]]:
    """Read the call that waits in the state."""
    if "tool_call" not in state:
        raise NodeFailed(
            "no pending tool call: the state has no 'tool_call'",
            hint='route here only when next_action == "RUN_TOOL", or name a `tool` in the node',
        )
    request = state["tool_call"]
    name = request.get("name") if isinstance(request, dict) else None
    arguments = request.get("arguments", {}) if isinstance(request, dict) else None
    if isinstance(name, str) and isinstance(arguments, dict):
        return name, arguments
    raise NodeFailed(
        f"'tool_call' is {shown_value(request)}, not a tool call",
        hint='it is a table such as {"name": "look_up", "arguments": {}}',
    )
