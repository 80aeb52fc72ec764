"""Who answers: the protocols that nodes use, and a model that replies what it was told to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from .messages import ModelReply, ModelRequest
    from .watch import CallWatch


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
    """A language model that takes whole conversations and tools, and tells of its reply as it comes.

    One that takes no tools by itself says so by an attribute ``native_tools`` that is false. Then it is never
    given any, nor calls and results in its messages: all that is written into the texts, and it asks by a
    line ``CALL_TOOL``.
    """

    provider: str
    """The provider's name, for the ledger."""

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        """Answer ``request``.

        Args:
            request: What is said to it.
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
        """Give the next reply."""
        self.prompts.append(prompt)
        reply = self._replies[min(len(self.prompts), len(self._replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
