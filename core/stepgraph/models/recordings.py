"""Answers that were recorded, by the node that asked and what it said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..values.json_values import Json
from .watch import CallKind


@dataclass(frozen=True, slots=True)
class Question:
    """What a call is found by: who asks, whom, and the hash of all that is said."""

    node: str
    visit: int
    kind: CallKind
    name: str
    """The alias of the model, or the name of the tool."""
    digest: str
    said: Json
    """What is said, in JSON: to show how it differs from what was recorded."""


class Recordings(Protocol):
    """Where recorded calls are found."""

    @property
    def run_id(self) -> str:
        """The run that they are of."""
        ...

    def knows(self, node: str) -> bool:
        """Tell whether a model has answered anything to a node."""
        ...

    def answer(self, question: Question) -> dict[str, Json]:
        """Give the recorded call that answers a question.

        Each call is given once; of several with the same question, in the order in which they were made, and
        the last one again when all were given.

        Raises:
            NodeFailed: There is none; the message names the nearest one and how it differs.
        """
        ...
