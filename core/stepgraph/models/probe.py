"""Asking a model for one word, to see whether it can be reached and answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..values.errors import ModelError, StepgraphError
from ..values.messages import said
from .client import ChatModel
from .messages import Message, ModelReply, ModelRequest
from .watch import CallPlace, CallWatch, TextCame

if TYPE_CHECKING:
    from .client import LLMClient
    from .watch import CallEvent, CallListener

_REQUEST = ModelRequest((Message("user", "Reply with one word: ready"),))


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a model answered, and how long that took."""

    provider: str
    reply: ModelReply
    seconds: float
    first: float | None
    """Seconds until its first word; None where it does not tell of words."""


def probe(
    models: Mapping[str, LLMClient],
    alias: str,
    tell: CallListener | None = None,
    stopped: Callable[[], bool] | None = None,
) -> ProbeResult:
    """Ask a model for one word.

    Args:
        models: The models by alias.
        alias: Which of them.
        tell: Hears of the call while it lasts.
        stopped: Whether somebody has asked to stop.

    Raises:
        ModelError: It cannot be asked, refused, or gave no answer that can be read.
        CallStopped: Somebody stopped it.
    """
    times: list[float] = []

    def hear(event: CallEvent) -> None:
        if isinstance(event, TextCame):
            times.append(time.perf_counter())
        if tell is not None:
            tell(event)

    try:
        client = models[alias]
        began = time.perf_counter()
        if isinstance(client, ChatModel):
            place = CallPlace("", "", 0, "model", alias)
            provider, reply = client.provider, client.reply(_REQUEST, CallWatch(place, hear, stopped))
        else:
            provider, reply = type(client).__name__, ModelReply(client.generate(_REQUEST.prompt()))
    except StepgraphError:
        raise
    except Exception as error:  # a client raises whatever its library raises
        raise ModelError(
            f"it raised {type(error).__name__}{said(error)}", hint="look at its settings"
        ) from error
    first = times[0] - began if times else None
    return ProbeResult(provider, reply, time.perf_counter() - began, first)
