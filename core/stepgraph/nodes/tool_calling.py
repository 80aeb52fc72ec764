"""Calling tools from a node: who answers, and what the ledger keeps of it (see ``nodes.calls``).

A canned tool answers by itself: what records and watches calls loads with the first call of any other.
"""

from __future__ import annotations

from bdb import BdbQuit
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast

from ..tools.base import ToolContext
from ..values.compare import shown
from ..values.errors import NodeFailed, StepgraphError
from ..values.json_values import Json
from ..values.messages import said

if TYPE_CHECKING:
    from ..models.messages import ToolSpec
    from ..models.watch import CallWatch
    from ..values.state import State
    from .base import BaseNode, Services


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
        number: Which of its canned answers the tool gives, from 1; by default they go by the visit.

    Raises:
        CallFailed: There is no such tool, or it failed.
        NodeFailed: It was stopped, or has no recorded answer.
    """
    services = node.services
    if services is None:
        raise _no_tools(name)
    if services.tools.is_canned(name):
        return _called(services, name, arguments, approved, number or state.visit)
    from ..models.messages import digest_of
    from ..models.recordings import Question
    from .calls import answer

    asked: dict[str, Json] = {"tool": name, "arguments": arguments}
    question = Question(node.name, state.visit, "tool", name, digest_of(asked), asked)

    def make(watch: CallWatch, call: dict[str, Json]) -> dict[str, Json]:
        context = ToolContext(state.visit, idempotency_key or state.idempotency_key, watch)
        return {"result": _called(services, name, arguments, approved, state.visit, context)}

    return cast("dict[str, Json]", answer(node, state, question, make, arguments=arguments)["result"])


def specs(node: BaseNode, names: Iterable[str], replies: Sequence[object] = ()) -> tuple[ToolSpec, ...]:
    """Describe tools to a model; nothing where canned replies answer, so that no server is started for them.

    Args:
        node: The node that asks the model.
        names: The tools.
        replies: The node's canned replies.

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


def _called(
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
        from ..models.watch import CallStopped
        from .calls import CallFailed

        if isinstance(error, BdbQuit | CallStopped):  # it was left in its debugger, or stopped by a person
            raise
        if isinstance(error, StepgraphError):
            raise CallFailed(f"{error.message}; called with {shown(arguments)}", hint=error.hint) from error
        raise CallFailed(
            f"tool {name!r} raised {type(error).__name__}{said(error)}; called with {shown(arguments)}"
        ) from error
