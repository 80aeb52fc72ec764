"""A condition as lines: each part with how it came out, each operand with its value and who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.expressions import parse
from stepgraph.expressions.explain import MISSING
from stepgraph.expressions.tree import Path, RunFact, Visits, operands
from stepgraph.graphs.parts import END
from stepgraph.runs.history import routed_at
from stepgraph.values.errors import ExpressionError
from stepgraph.values.scopes import SEPARATOR
from stepgraph_tui.text.plain import value_text, visible
from stepgraph_tui.text.runs import after_step
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.expressions.explain import Missing
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.records import StepRecord
    from stepgraph.stores.ledger import Row
    from stepgraph.values.json_values import Json
    from stepgraph_tui.run_view import RunView

_VALUE = 240  # characters of a value
_TEXT = 1_000  # characters of a condition; it may not have more
_STEP = 2  # cells that a part is indented
_FACTS = {"last_output": "the output of this node", "step": "the number of this step"}


@dataclass(frozen=True, slots=True)
class Asked:
    """How a condition is told: what hides secrets, who wrote a value, whether it was asked at all."""

    mask: Mask
    writer: Callable[[str], str]
    reached: bool

    def lines(self, explanation: Explanation, indent: int) -> Iterator[Line]:
        """Explain a condition with its parts."""
        return self._part(self.mask.explanation(explanation), indent, top=True)

    def named(self, parts: Iterable[Explanation], indent: int) -> Iterator[Line]:
        """Give the values of what a predicate names, which were masked before."""
        for part in parts:
            yield from self._operand(part, indent, missing="(not there)")

    def _part(self, part: Explanation, indent: int, *, top: bool = False) -> Iterator[Line]:
        if part.role == "constant":
            return
        if part.role == "operand":
            yield from self._operand(part, indent)
            return
        yield Line(((self._text(part), self._tone("plain")),), self._verdict(part, top), indent, _STEP)
        if part.value is not MISSING:
            yield from self._operand(part, indent + _STEP)
        elif part.error is not None and all(below.error is None for below in part.parts):
            yield self._failure(part.error, indent + _STEP)
        for below in part.parts:
            yield from self._part(below, indent + _STEP)

    def _operand(self, part: Explanation, indent: int, *, missing: str = "is missing") -> Iterator[Line]:
        name, source = self._text(part), self.writer(part.text)
        shown: tuple[str, Role] = (missing, "bad" if part.error and self.reached else "dim")
        if part.value is not MISSING:
            shown = (self._value(part.value), self._tone("value"))
        yield Line(
            ((f"{name}  ", self._tone("plain")), shown), (source, "dim") if source else None, indent, _STEP
        )
        if part.error is not None:
            yield self._failure(part.error, indent + _STEP)

    def _value(self, value: Json | Missing) -> str:
        assert value is not MISSING  # noqa: S101  # the caller has looked
        return value_text(self.mask.value("", value), _VALUE)

    def _failure(self, error: str, indent: int) -> Line:
        return Line(((visible(self.mask.text(error)), "bad" if self.reached else "dim"),), indent=indent)

    def _text(self, part: Explanation) -> str:
        return visible(self.mask.text(" ".join(part.text.split())))[:_TEXT]

    def _tone(self, role: Role) -> Role:
        return role if self.reached else "dim"

    def _verdict(self, part: Explanation, top: bool) -> tuple[str, Role]:
        if top and not self.reached:
            word = "would match" if part.result else "would not match"
            return ("would fail" if part.error is not None else word), "dim"
        if part.error is not None:
            return "failed", self._tone("bad")
        if part.result is None:
            return "not asked", "dim"
        return ("true", self._tone("good")) if part.result else ("false", "dim")


class Writers:
    """Says who wrote a key of the state that a step was routed in.

    Args:
        view: The run.
        record: The step.
    """

    def __init__(self, view: RunView, record: StepRecord) -> None:
        self._view = view
        self._upto = routed_at(record.row)
        self._step = record.step
        self._inside = _names_inside(view.plan, record.node)
        self._known: dict[str, str] = {}

    def of(self, operand: str) -> str:
        """Tell where the value of an operand comes from, in words; empty for a constant."""
        try:
            parts = list(operands(parse(operand)))
        except ExpressionError:  # an operand of another version's spelling
            return ""
        told = []
        for part in parts:
            if isinstance(part, Path):
                told.append(self.of_key(part.key))
            elif isinstance(part, RunFact):
                told.append(_FACTS[part.name])
            elif isinstance(part, Visits):
                told.append("visits so far, this step included")
        return "; ".join(dict.fromkeys(told))

    def of_key(self, key: str) -> str:
        """Tell who last wrote a top-level key, in words."""
        if key not in self._known:
            self._known[key] = self._look_up(key)
        return self._known[key]

    def _look_up(self, key: str) -> str:
        row = self._view.last_written(self._inside + key, self._upto)
        return (
            self._said(row, removed=_removes(row, self._inside + key)) if row is not None else "never written"
        )

    def _said(self, row: Row, removed: bool) -> str:
        if row.kind == "start":
            return "from the start"
        if row.kind == "edit":
            by = visible(str((row.data or {}).get("by") or "somebody"))
            return f"{'removed' if removed else 'edited'} by {by} {after_step(row.step)}"
        node = "this node" if row.step == self._step else visible(row.node or "")
        return f"{'removed' if removed else 'written'} by step {row.step}, {node}"


def _names_inside(plan: CompiledGraph, node: str) -> str:
    """Give what stands before the keys that the edges out of a node name: where they are in a subgraph."""
    left = node.removesuffix(f"{SEPARATOR}{END}")
    around = plan.around(left if left in plan.nodes else node)
    return f"{around[-1]}{SEPARATOR}" if around else ""


def _removes(row: Row, key: str) -> bool:
    return (row.updates or {})[key] is None and (row.ops or {}).get(key) in (None, "remove")
