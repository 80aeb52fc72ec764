"""Calling models and tools from a node: who answers, and what the ledger keeps of it.

A call is answered by the first that can: scripted replies where the run is neither live nor replayed;
what the same call was answered earlier in the same visit, before a pause or a failure (``state.recall``); the
recordings of a replay; the model or the tool itself. Every answer is written into ``state.calls``, from where
the step's row takes it; scripted ones are not, for the graph has them, nor are those that were given before.

A recorded call is a table of JSON:

- ``kind`` (``model`` or ``tool``), ``name`` (the alias or the tool), ``digest`` (the hash of the request),
  ``source`` (``live`` or ``replay``) and ``seconds``;
- of a model: ``text``, ``tool_calls``, ``model``, ``provider``, ``input_tokens``, ``output_tokens``,
  ``cached_tokens`` and ``cost``, each where it is known;
- of a tool: ``arguments`` and ``result``;
- of a call that failed: ``error`` in place of an answer, and ``hint`` where there is one.

A node may also keep data of its own, of the kind ``values.state.OWN``: it gets that back
by ``state.recall`` when it goes on with the visit, and nowhere else.

In the row of a step, an answer that is the step's own output is left out: a ``text`` that is the output, and
a ``result`` that is the output when written as JSON (``stepgraph.stores.ledger`` puts it back). The
rows of attempts and reviews have every answer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from ..models.catalog import ModelCatalog
from ..models.client import (
    CallBegan,
    CallEnded,
    CallPlace,
    CallStopped,
    CallWatch,
    ChatModel,
    Message,
    ModelReply,
    ModelRequest,
    Question,
    ToolCall,
    Usage,
    digest_of,
    schema_in_words,
    signed_in,
    token_count,
    tools_in_words,
)
from ..values.errors import ModelError, NodeFailed, StateError, StepgraphError
from ..values.json_values import Json, plain
from ..values.messages import encodable, error_detail
from ..values.problems import did_you_mean

_ANSWER = (
    "text", "tool_calls", "model", "provider", "input_tokens", "output_tokens", "cached_tokens", "cost",
    "result",
)  # fmt: skip
"""The parts of a recorded call that are its answer."""

if TYPE_CHECKING:
    from ..models.client import LLMClient
    from ..values.state import State
    from .base import BaseNode, Services

_visit: ContextVar[tuple[BaseNode, State]] = ContextVar("_visit")
"""The custom node that is executed, and the state that it was given."""


class CallFailed(NodeFailed):
    """What was called has failed by itself, now or when it was recorded; nobody has stopped it."""


def ask_model(
    node: BaseNode, state: State, alias: str, request: ModelRequest, scripted: str | None = None
) -> ModelReply:
    """Ask a model, and record the answer with the visit.

    Args:
        node: The node that asks.
        state: What it was given for this visit.
        alias: The model, by its alias.
        request: The request.
        scripted: What is answered unless the run is live or replayed; None where only the model can.

    Raises:
        NodeFailed: The model is not configured, failed, or has no recorded answer.
    """
    if scripted is not None and is_scripted(node):
        return ModelReply(scripted)
    services = node.services
    asked = request.to_json()
    question = Question(node.name, state.visit, "model", alias, digest_of(asked), asked)

    def make(watch: CallWatch, call: dict[str, Json]) -> dict[str, Json]:
        return _checked_answer(alias, _reply_json(_live(services, state, alias, request, watch, call)))

    return reply_of(answer(node, state, question, make))


def in_visit(node: BaseNode) -> Callable[[State], Any]:
    """Wrap a custom node's ``execute``: the models of its services know the visit while it runs."""

    def execute(state: State) -> Any:
        before = _visit.set((node, state))
        try:
            return node.execute(state)
        finally:
            _visit.reset(before)

    return execute


class VisitModels(Mapping[str, "LLMClient"]):
    """Models as a node's services hand them out: each call goes the way of ``ask_model``.

    Args:
        clients: Those that there are; one that is not says so when it is asked.
    """

    def __init__(self, clients: Mapping[str, LLMClient]) -> None:
        self._clients = clients

    def __getitem__(self, alias: str) -> LLMClient:
        return _VisitModel(alias)

    def __contains__(self, alias: object) -> bool:
        return alias in self._clients

    def __iter__(self) -> Iterator[str]:
        return iter(self._clients)

    def __len__(self) -> int:
        return len(self._clients)


class _VisitModel:
    """A model, asked by the node that is executed."""

    def __init__(self, alias: str) -> None:
        self._alias = alias

    def generate(self, prompt: str) -> str:
        """Reply to ``prompt``.

        Raises:
            NodeFailed: See ``ask_model``; or no node is executed in this thread.
        """
        try:
            node, state = _visit.get()
        except LookupError:
            message = f"the model {self._alias!r} was asked outside of a visit, where nothing would record it"
            hint = "ask it in the thread that executes the node, or by ask_model(node, state, alias, request)"
            raise NodeFailed(message, hint=hint) from None
        return ask_model(node, state, self._alias, ModelRequest((Message("user", prompt),))).text


def scripted_reply(replies: Sequence[str], number: int) -> str | None:
    """Return the scripted reply of a number, counted from 1, the last repeated; None if there are none."""
    return replies[min(number, len(replies)) - 1] if replies else None


def is_scripted(node: BaseNode) -> bool:
    """Check whether scripted replies answer a node that has them: its run is not live.

    In a replay that is so where the recordings have nothing that a model answered to the node: scripted
    replies answered it then, too.
    """
    services = node.services
    if services is None:
        return True
    recordings = services.recordings
    return not services.live if recordings is None else not recordings.knows(node.name)


def answer(
    node: BaseNode,
    state: State,
    question: Question,
    make: Callable[[CallWatch, dict[str, Json]], dict[str, Json]],
    **about: Json,
) -> dict[str, Json]:
    """Return the recorded call that answers a question, and record it with the visit.

    Args:
        node: The node that asks.
        state: What it was given for this visit.
        question: What it asks.
        make: Makes the call where nothing recorded answers it, and gives the parts of the answer.
        about: What else the ledger is to keep of it.

    Raises:
        NodeFailed: The call failed, now or when it was recorded, or there is no recording of it.
    """
    kind, name = question.kind, question.name
    earlier = state.recall(kind, name, question.digest)
    if earlier is not None:
        return _unless_failed(earlier)
    services = node.services
    place = CallPlace(state.run_id, node.name, state.step, kind, name)
    watch = _watch(services, state, place)
    watch.tell(CallBegan(place))
    began = time.perf_counter()
    call: dict[str, Json] = {"kind": kind, "name": name, "digest": question.digest, "source": "live", **about}
    try:
        watch.check()
        if services is not None and services.recordings is not None:
            call["source"] = "replay"
            recorded = _unless_failed(services.recordings.answer(question))
            call |= {part: recorded[part] for part in _ANSWER if part in recorded}
        else:
            call |= make(watch, call)
    except BaseException as error:  # also one that ends the node from outside, such as its timeout
        call["error"] = type(error).__name__
        if isinstance(error, StepgraphError):
            call |= {"error": encodable(error.message), **({"hint": error.hint} if error.hint else {})}
        raise
    else:
        return call
    finally:
        call["seconds"] = round(time.perf_counter() - began, 6)
        state.keep(call)
        watch.tell(CallEnded(place, call))


def _unless_failed(call: dict[str, Json]) -> dict[str, Json]:
    """Return a recorded call, or fail as it did: its node took that for an answer, and went on."""
    if "error" in call:
        raise CallFailed(str(call["error"]), hint=str(call.get("hint", "")))
    return call


def _watch(services: Services | None, state: State, place: CallPlace) -> CallWatch:
    if services is None:
        return CallWatch(place)
    return CallWatch(place, services.tell, services.stopped, lambda: state.time_left)


def _live(
    services: Services | None,
    state: State,
    alias: str,
    request: ModelRequest,
    watch: CallWatch,
    call: dict[str, Json],
) -> ModelReply:
    models: Mapping[str, Any] = services._clients if services is not None else {}
    if alias not in models:
        raise _not_there(models, alias)
    try:
        client = models[alias]
        state.refuse_over_limits(getattr(client, "is_priced", True))
        if isinstance(client, ChatModel):
            call["provider"] = client.provider
            native = getattr(client, "native_tools", True)
            return client.reply(request if native else tools_in_words(request), watch)
        reply: object = client.generate(schema_in_words(tools_in_words(request)).prompt())
    except CallStopped as error:
        call |= _spent(error.spent)
        raise
    except NodeFailed:  # there is no money left
        raise
    except StepgraphError as error:
        if isinstance(error, ModelError):
            call |= _spent(error.spent)
        raise NodeFailed(f"the model {alias!r}: {error.message}", hint=error.hint) from error
    except Exception as error:  # a client raises whatever its library raises
        raise NodeFailed(f"the model {alias!r} raised {type(error).__name__}{error_detail(error)}") from error
    if isinstance(reply, str):
        watch.text(reply)
        return ModelReply(reply)
    raise NodeFailed(f"the model {alias!r} replied with a {type(reply).__name__}, not with text")


def _not_there(models: Mapping[str, Any], alias: str) -> NodeFailed:
    if isinstance(models, ModelCatalog):
        return NodeFailed(models.why_not(alias), hint=models.advice(alias))
    advice = "pass Executor(models={...}), or give the node `replies`"
    hint = "; ".join(filter(None, (did_you_mean(alias, models, listing="configured"), advice)))
    return NodeFailed(f"the model {alias!r} is not configured", hint=hint)


def _reply_json(reply: ModelReply) -> dict[str, Json]:
    table: dict[str, Json] = {"text": reply.text}
    if reply.thoughts:
        table["thoughts"] = reply.thoughts
    if reply.tool_calls:
        table["tool_calls"] = [call.to_json() for call in reply.tool_calls]
    if reply.signed:
        table["signed"] = [dict(block) for block in reply.signed]
    spent: dict[str, Json] = {"model": reply.model, "cost": reply.cost}
    if reply.usage is not None:
        usage = reply.usage
        spent |= {"input_tokens": usage.input, "output_tokens": usage.output, "cached_tokens": usage.cached}
    return table | _spent(spent)


def _spent(reply: Mapping[str, Json]) -> dict[str, Json]:
    """Take over what a client says that a call took, as far as those are numbers of tokens and an amount."""
    input_tokens, output_tokens = (
        token_count(reply.get("input_tokens")),
        token_count(reply.get("output_tokens")),
    )
    model, cached, cost = reply.get("model"), token_count(reply.get("cached_tokens")), reply.get("cost")
    spent: dict[str, Json] = {"model": encodable(model)} if isinstance(model, str) and model else {}
    if input_tokens is not None and output_tokens is not None:
        spent |= {"input_tokens": input_tokens, "output_tokens": output_tokens}
        spent |= {"cached_tokens": cached} if cached else {}
    if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost < math.inf:
        spent["cost"] = cost
    return spent


def _checked_answer(alias: str, answer: dict[str, Json]) -> dict[str, Json]:
    """Look that a client's answer is one that the ledger can keep.

    Raises:
        NodeFailed: It is not.
    """
    try:
        return cast("dict[str, Json]", plain(answer, "its answer"))
    except StateError as error:
        message = f"the model {alias!r} answered what cannot be kept: {error.message}"
        raise NodeFailed(message, hint=error.hint) from None


def reply_of(call: Mapping[str, Any]) -> ModelReply:
    """Read the answer of a recorded call to a model."""
    usage = None
    if "input_tokens" in call:
        usage = Usage(call["input_tokens"], call["output_tokens"], call.get("cached_tokens", 0))
    asked = tuple(map(ToolCall.from_json, call.get("tool_calls", ())))
    model, thoughts = call.get("model", ""), call.get("thoughts", "")
    return ModelReply(call["text"], asked, usage, call.get("cost"), model, thoughts, signed_in(call))
