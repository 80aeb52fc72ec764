"""Models of the tests' own: one with native tools, one that takes only text, each with prepared replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stepgraph.models.client import CallWatch, ModelReply, ModelRequest, ToolCall

Reply = ModelReply | str | Exception


class ChatScript:
    """A model that takes whole conversations and tools; the last reply is repeated.

    Args:
        replies: What it replies, in order, or what it says to a request.
    """

    provider = "script"

    def __init__(self, replies: Iterable[Reply] | Callable[[ModelRequest], Reply]) -> None:
        self._replies = replies if callable(replies) else tuple(replies)
        self.requests: list[ModelRequest] = []
        """All that it was asked, in order."""

    def generate(self, prompt: str) -> str:
        """Refuse: nodes give it messages."""
        raise AssertionError("it was asked by text")

    def reply(self, request: ModelRequest, watch: CallWatch) -> ModelReply:
        """Give the next reply."""
        self.requests.append(request)
        if callable(self._replies):
            said = self._replies(request)
        else:
            said = self._replies[min(len(self.requests), len(self._replies)) - 1]
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(said)


class TextScript(ChatScript):
    """A model that takes messages, and no tools by itself."""

    native_tools = False


def calling(name: str, id: str = "", text: str = "", **arguments: object) -> ModelReply:
    """A reply that asks for a tool natively."""
    return ModelReply(text, (ToolCall(name, arguments, id),))  # type: ignore[arg-type]  # JSON by the caller
