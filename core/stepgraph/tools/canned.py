"""Canned tools: prepared answers, so that a graph runs offline."""

from __future__ import annotations

from ..values.compare import type_name
from ..values.errors import StepgraphError
from ..values.json_values import Json, copy_json, with_article


class CannedTool:
    """A tool that gives prepared answers, so that a graph runs offline.

    Args:
        name: The tool's name, for the messages.
        returns: A table, or a list with one for each visit, the last repeated.
    """

    def __init__(self, name: str, returns: Json | None) -> None:
        self._name = name
        self._answers = returns if isinstance(returns, list) else [returns]

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Give the first answer, whatever the arguments are."""
        return self.answer(1)

    def answer(self, visit: int) -> dict[str, Json]:
        """Give the answer for a visit, counted from 1.

        Raises:
            StepgraphError: There is none, or it is not a table.
        """
        answer = self._answers[min(visit, len(self._answers)) - 1] if self._answers else None
        if isinstance(answer, dict):
            return {key: copy_json(value) for key, value in answer.items()}
        if answer is None:
            raise StepgraphError(
                f"tool {self._name!r} has neither a handler nor canned answers",
                hint="give it a handler or `returns`, or register it with the executor",
            )
        raise StepgraphError(
            f"the canned answer of tool {self._name!r} is {with_article(type_name(answer))}, not a table",
            hint="write `returns` as a table, or as a list of tables",
        )
