"""Calling tools from a node: who answers, and what the ledger keeps of it (see ``nodes.calls``)."""

from __future__ import annotations

import time
from bdb import BdbQuit
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ..models.recordings import Question
from ..models.watch import CallBegan, CallEnded, CallPlace, CallStopped, CallWatch
from ..tools.base import ToolContext
from ..values.compare import shown
from ..values.errors import NodeFailed, StepgraphError
from ..values.json_values import Json, canonical

if TYPE_CHECKING:
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

    Raises:
        NodeFailed: There is no such tool, it failed, or it has no recorded answer.
    """
    services = node.services
    if services is None:
        raise NodeFailed(f"it has no tools to find {name!r} in", hint="run the node through an Executor")
    if services.tools.is_canned(name):
        return _called(services, name, arguments, ToolContext(state.visit), approved)
    said: dict[str, Json] = {"tool": name, "arguments": arguments}
    digest = blake2b(canonical(said).encode(), digest_size=16).hexdigest()
    question = Question(node.name, state.visit, "tool", name, digest, said)
    kept = services.recordings.answer(question) if services.recordings is not None else None
    place = CallPlace(state.run_id, node.name, state.step, "tool", name)
    watch = CallWatch(place, services.tell, services.stopped, lambda: state.time_left)
    watch.check()
    watch.tell(CallBegan(place))
    began = time.perf_counter()
    call: dict[str, Json] = {"kind": "tool", "name": name, "digest": digest, "source": "live"}
    call["arguments"] = arguments
    try:
        if kept is not None:
            call["source"] = "replay"
            result = _recorded(kept)
        else:
            context = ToolContext(state.visit, idempotency_key or state.idempotency_key, watch)
            result = _called(services, name, arguments, context, approved)
        call["result"] = result
    except NodeFailed as error:
        call["error"] = error.message
        raise
    else:
        return result
    finally:
        call["seconds"] = round(time.perf_counter() - began, 6)
        state.keep(call)
        watch.tell(CallEnded(place, call))


def _recorded(call: Mapping[str, Any]) -> dict[str, Json]:
    """Read the answer of a recorded call.

    Raises:
        NodeFailed: The call failed when it was recorded.
    """
    if "result" not in call:
        raise NodeFailed(call["error"])
    result: dict[str, Json] = call["result"]
    return result


def _called(
    services: Services, name: str, arguments: dict[str, Json], context: ToolContext, approved: bool
) -> dict[str, Json]:
    try:
        return services.tools.call(name, arguments, visit=context.visit, approved=approved, context=context)
    except (BdbQuit, CallStopped):  # it was left in its debugger, or stopped by a person: no work of its own
        raise
    except StepgraphError as error:
        raise NodeFailed(f"{error.message}; called with {shown(arguments)}", hint=error.hint) from error
    except Exception as error:  # a tool raises whatever its own work raises
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise NodeFailed(f"tool {name!r} raised {said}; called with {shown(arguments)}") from error
