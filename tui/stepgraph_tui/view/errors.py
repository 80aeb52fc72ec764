"""Errors of the engine, secrets masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.values.errors import StepgraphError


class ErrorStory(NamedTuple):
    """An error, secrets masked."""

    code: str
    type: str
    """The name of its class."""
    message: str
    hint: str
    text: str
    """All of it, as ``str`` writes it."""

    @classmethod
    def of(cls, error: StepgraphError, mask: Mask) -> ErrorStory:
        """Mask an error."""
        return cls(
            error.code,
            type(error).__name__,
            mask.text(error.message),
            mask.text(error.hint),
            mask.text(str(error)),
        )
