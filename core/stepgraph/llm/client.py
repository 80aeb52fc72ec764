"""What the engine asks of a language model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class LLMClient(Protocol):
    """A language model: text in, text out.

    The prompt holds everything: a node's system text comes first, then an empty line, then its prompt.
    A client that can send them apart may do so by what it knows of its prompts; none has to. A client
    raises whatever its library raises; the node that called it turns that into a node failure.
    """

    def generate(self, prompt: str) -> str:
        """The model's reply to ``prompt``."""
        ...
