"""A routing context for tests of conditions, and the calls that most of them make."""

from __future__ import annotations

from collections.abc import Mapping

from stepgraph.conditions import Explanation, Expression
from stepgraph.values.json_values import Json


class Asked:
    """What a condition is asked about; it counts how often the output is read."""

    def __init__(
        self,
        values: Mapping[str, Json] | None = None,
        *,
        step: int = 1,
        output: str = "",
        visits: Mapping[str, int] | None = None,
    ) -> None:
        self.values: Mapping[str, Json] = values or {}
        self.step = step
        self.outputs_read = 0
        self._output = output
        self._visits = visits or {}

    @property
    def last_output(self) -> str:
        self.outputs_read += 1
        return self._output

    def visit_count(self, node: str) -> int:
        return self._visits.get(node, 0)


def answer(text: str, /, **values: Json) -> bool:
    return Expression(text).matches(Asked(values))


def explained(text: str, /, **values: Json) -> Explanation:
    return Expression(text).explain(Asked(values))
