"""What conditions of breakpoints and expressions of watches look at: a run at one place of its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ...values.json_values import Json


class Past(Protocol):
    """The steps before a place; a run's history answers, and so does a walk along its ledger."""

    def count(self, node: str, upto: int | None = None) -> int:
        """Count the visits of a node, up to a row."""
        ...

    def last_output(self, upto: int) -> str:
        """Give what the last node put out, up to a row."""
        ...


class FactsAt:
    """A run at one place, as expressions read it.

    Args:
        values: The state there; not copied, and never changed.
        step: The number of the step that is under way, or that is over.
        past: The run's past.
        upto: The ledger row up to which the past goes.
        node: The node whose visit is under way, which counts already; empty when none is.
    """

    __slots__ = ("_node", "_past", "_upto", "step", "values")

    def __init__(self, values: Mapping[str, Json], step: int, past: Past, upto: int, node: str = "") -> None:
        self.values = values
        self.step = step
        self._past, self._upto, self._node = past, upto, node

    @property
    def last_output(self) -> str:
        """What the last node put out; empty before the first step."""
        return self._past.last_output(self._upto)

    def visit_count(self, node: str) -> int:
        """Count how often the run has come to the node, a visit under way included."""
        return self._past.count(node, self._upto) + (node == self._node)
