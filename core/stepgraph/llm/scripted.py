"""A model that replies what it was told to."""

from __future__ import annotations

from collections.abc import Iterable


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
        """The next reply."""
        self.prompts.append(prompt)
        reply = self._replies[min(len(self.prompts), len(self._replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply
