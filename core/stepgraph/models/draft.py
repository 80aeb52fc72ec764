"""A reply while it comes, piece by piece, whichever provider it is of."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

from ..values.errors import ModelError, StateError
from ..values.json_values import plain, with_texts
from .client import ToolCall, Usage, token_count

Finish = Literal["", "whole", "length", "context", "filter"]

_A_TOKEN = 16
"""More characters than a token has: a reply with so many for each of its ``max_tokens`` will never end."""
_A_CALL = 10 * _A_TOKEN
"""What the shortest call of a tool counts."""
_NAME = 200
"""The most characters of a model's name."""


@dataclass
class CallDraft:
    """A tool call while it comes."""

    id: object = ""
    """As the server says it."""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


@dataclass
class Draft:
    """What has come of a reply so far."""

    max_tokens: int
    pieces: list[str] = field(default_factory=list)
    calls: dict[int, CallDraft] = field(default_factory=dict)
    """The tool calls by their places in the reply."""
    input: object = None
    """The tokens of the input, as the server says it; None where it does not."""
    output: object = 0
    cached: object = 0
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
        if place not in self.calls:
            self.calls[place] = CallDraft()
            self.grow(" " * _A_CALL)
        return self.calls[place]

    def name_model(self, said: object, clean: Callable[[str], str]) -> None:
        """Take the model's full name, as far as it is one."""
        if not self.model and isinstance(said, str):
            self.model = clean(said[:_NAME])

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self.pieces)

    @property
    def usage(self) -> Usage | None:
        """The tokens so far; None where the provider does not say them as numbers."""
        asked, told = token_count(self.input), token_count(self.output)
        if asked is None or told is None or asked + told == 0:  # nothing is said by no word at all
            return None
        return Usage(asked, told, token_count(self.cached) or 0)

    def tool_calls(self, clean: Callable[[str], str]) -> tuple[ToolCall, ...]:
        """Read the tool calls of a whole reply.

        Args:
            clean: Makes a text of the server's one that may be kept.

        Raises:
            ModelError: The arguments of one are not a table of JSON.
        """
        found: dict[str, ToolCall] = {}
        for place in sorted(self.calls):
            call = self._read(self.calls[place], clean)
            if call.id in found or not call.id:  # who uses it gives it another one
                call = replace(call, id="")
            found[call.id or f" {place}"] = call
        return tuple(found.values())

    def _read(self, call: CallDraft, clean: Callable[[str], str]) -> ToolCall:
        said = "".join(call.arguments)
        why = ""
        try:
            found: Any = json.loads(said, parse_constant=_no_number) if said.strip() else {}
            arguments = plain(with_texts(found, clean), "the table")
        except StateError as error:
            arguments, why = None, f" ({error.message})"
        except (ValueError, RecursionError):
            arguments = None
        if not call.name or not isinstance(arguments, dict):
            raise ModelError(
                f"it calls the tool {clean(call.name)[:80]!r} with arguments that are not a JSON table{why}: "
                f"{said[:80]!r}",
                hint="retry to ask it again; if this happens often, use a larger model",
            )
        return ToolCall(clean(call.name), arguments, clean(call.id) if isinstance(call.id, str) else "")


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")
