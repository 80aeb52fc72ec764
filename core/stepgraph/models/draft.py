"""A reply while it comes, piece by piece, whichever provider it is of."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from ..values.errors import ModelError
from ..values.json_values import Json
from .messages import ToolCall, Usage

Finish = Literal["", "whole", "length", "context", "filter"]

_A_TOKEN = 16
"""Characters that no token has: a reply that is longer than so many a token goes on for ever."""


@dataclass
class CallDraft:
    """A tool call while it comes."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


@dataclass
class Draft:
    """What has come of a reply so far."""

    max_tokens: int
    pieces: list[str] = field(default_factory=list)
    calls: dict[int, CallDraft] = field(default_factory=dict)
    """The tool calls by their places in the reply."""
    input: int | None = None
    output: int = 0
    cached: int = 0
    model: str = ""
    finish: Finish = ""
    """Why it ended; empty while it has not."""
    refusal: str = ""
    began: bool = False
    """Whether anything of the protocol has come."""
    size: int = 0

    def grow(self, piece: str) -> None:
        """Count what came, be it shown or not.

        Raises:
            ModelError: It is longer than any reply of so many tokens.
        """
        self.size += max(1, len(piece))
        if self.size > self.max_tokens * _A_TOKEN + 4096:
            raise ModelError(
                f"it does not stop: {self.size:,} characters came, far more than {self.max_tokens:,} tokens",
                hint="the server ignores max_tokens; look at its settings, then retry",
            )

    def call(self, place: int) -> CallDraft:
        """Give the tool call at a place."""
        return self.calls.setdefault(place, CallDraft())

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    @property
    def usage(self) -> Usage | None:
        """The tokens so far; None where the provider does not say."""
        return None if self.input is None else Usage(self.input, self.output, self.cached)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Read the tool calls of a whole reply.

        Raises:
            ModelError: The arguments of one are no table of JSON.
        """
        return tuple(self._read(self.calls[place]) for place in sorted(self.calls))

    def _read(self, call: CallDraft) -> ToolCall:
        said = "".join(call.arguments)
        try:
            arguments: Json = json.loads(said) if said.strip() else {}
        except (ValueError, RecursionError):
            arguments = None
        if not call.name or not isinstance(arguments, dict):
            raise ModelError(
                f"it calls the tool {call.name!r} with arguments that are no JSON table: {said[:80]!r}",
                hint="retry to ask it again; where it does so often, take a larger model",
            )
        return ToolCall(call.name, arguments, call.id)
