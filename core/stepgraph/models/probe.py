"""Asking a model one short thing, to see whether it can be reached and answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..values.errors import ModelError, StepgraphError
from .client import ChatModel
from .messages import Message, ModelReply, ModelRequest
from .watch import CallPlace, CallWatch

if TYPE_CHECKING:
    from .client import LLMClient

QUESTION = "Reply with the single word: ready"


def probe(
    models: Mapping[str, LLMClient], alias: str, stopped: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Ask a model one short thing.

    Args:
        models: The models by alias.
        alias: Which of them.
        stopped: Whether somebody has asked to stop.

    Returns:
        The call, as the ledger keeps calls (see ``stepgraph.nodes.calls``), with its answer.

    Raises:
        ModelError: It cannot be asked, refused, or gave no answer that can be read.
        CallStopped: Somebody stopped it.
    """
    request = ModelRequest((Message("user", QUESTION),))
    began = time.perf_counter()
    try:
        client = models[alias]
        if isinstance(client, ChatModel):
            place = CallPlace("", "", 0, "model", alias)
            reply = client.reply(request, CallWatch(place, stopped=stopped))
        else:
            reply = ModelReply(client.generate(request.prompt()))
    except StepgraphError:
        raise
    except Exception as error:  # a client raises whatever its library raises
        raise ModelError(f"it raised {type(error).__name__}: {error}", hint="look at its settings") from error
    call: dict[str, Any] = {"kind": "model", "name": alias, "source": "live", "text": reply.text}
    call["seconds"] = time.perf_counter() - began
    if reply.model:
        call["model"] = reply.model
    if reply.usage is not None:
        call["input_tokens"], call["output_tokens"] = reply.usage.input, reply.usage.output
    return call if reply.cost is None else {**call, "cost": reply.cost}
