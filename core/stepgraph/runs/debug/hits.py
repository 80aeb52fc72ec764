"""A hit: which breakpoint was met, where in a run, and with which values; told in full when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...conditions import Expression
from ...expressions.explaining import MISSING, Explanation
from ...expressions.paths import parsed_path, value_at
from ...templates.template import Template
from ...values.errors import NodeFailed
from ..visit import Visit
from .breakpoint import FactsAt

if TYPE_CHECKING:
    from ...values.json_values import Json
    from ..history import History
    from .breakpoint import Breakpoint


@dataclass(frozen=True, slots=True)
class BreakpointHit:
    """A breakpoint that was met. The state it tells of is read from the ledger when somebody looks."""

    breakpoint: Breakpoint
    step: int
    """The step that it is about: the one that was taken, or of ``before`` the one that comes next."""
    position: int
    """How many steps were completed then: the step to look at, to see the run as it was."""
    node: str
    """The node of that step."""
    seq: int
    """The ledger row after which the run stood as the step found it."""
    number: int | None = None
    """How often it was met in the run, this time included; None where nobody counts."""
    failed: bool = False
    """Whether its condition could not be answered: the run halts there, whatever else it says."""
    _visiting: bool = True
    _history: History | None = field(default=None, repr=False, compare=False)

    @property
    def halts(self) -> bool:
        """Whether a run stops there; a log point only writes a line."""
        return self.breakpoint.log is None or self.failed

    @property
    def values(self) -> dict[str, Json]:
        """The state before the step, as a copy."""
        return self._past.values(self.seq)

    @property
    def explanation(self) -> Explanation | None:
        """Its condition with the values of the operands; None for a breakpoint without one."""
        if self.breakpoint.when is None:
            return None
        node = self.node if self._visiting else ""
        facts = FactsAt(self.values, self.step, self._past, self.seq, node)
        return Expression(self.breakpoint.when).explain(facts)

    @property
    def error(self) -> str | None:
        """Why its condition could not be answered, or None."""
        explanation = self.explanation if self.failed else None
        return explanation.error if explanation is not None else None

    def change(self) -> tuple[str, Json, Json] | None:
        """Return the top-level key of a breakpoint on the state, with its value before and after; else None.

        A value that is not there is None.
        """
        if not self.breakpoint.path:
            return None
        path = parsed_path(self.breakpoint.path)
        before, after = (value_at(self._past.values(seq), path) for seq in (self.seq, self.seq + 1))
        return str(path[0]), None if before is MISSING else before, None if after is MISSING else after

    def line(self, values: Mapping[str, Json] | None = None) -> str:
        """Write the line of a log point; a template that cannot be filled in says why instead.

        Args:
            values: The state before the step, where something in it is to stay hidden.
        """
        past = self._past
        view = Visit(
            self.values if values is None else values,
            self.step,
            past.count(self.node, self.seq) + self._visiting,
            None,
            self.node,
            past,
            self.seq,
            False,
        )
        try:
            return Template(self.breakpoint.log or "", "log").render(view)
        except NodeFailed as error:
            return str(error)

    def describe(self) -> str:
        """Describe the breakpoint that was hit: ``before draft when score < 3: before step 5, draft``."""
        bound = self.breakpoint
        where = f"before step {self.step}" if bound.kind == "before" else f"at step {self.step}"
        count = f", hit {self.number}" if self.number is not None else ""
        name = f"{bound.id} " if bound.id else ""
        return f"{name}{bound.describe()}: {where}, {self.node}{count}"

    @property
    def _past(self) -> History:
        assert self._history is not None  # whoever finds a hit gives it one  # noqa: S101
        return self._history
