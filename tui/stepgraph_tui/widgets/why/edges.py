"""The edges of a node as they were tried: which won, which did not match, which were not reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import TYPE_CHECKING

from stepgraph.expressions import MISSING, RunFact, Visits, operands, parse
from stepgraph.expressions.tree import Path
from stepgraph.graphs import END
from stepgraph.runs import routed_at
from stepgraph.values import SEPARATOR, ExpressionError

from ...text.plain import plural, value_text
from ...text.run_list import after_step, way_text
from ...view.runs import StepStory
from ..lines import Role
from ..lines.page import Line, blank

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.expressions import Missing
    from stepgraph.graphs import CompiledGraph, Edge
    from stepgraph.runs import StepRecord
    from stepgraph.stores import Row
    from stepgraph.values import Json

    from ...run_view import RunView
    from ...view.runs import EdgeStory


_VALUE = 240  # characters of a value
_TEXT = 1_000  # characters of a condition; it may not have more
_STEP = 2  # cells that a part is indented
_FACTS = {"last_output": "the output of this node", "step": "the number of this step"}


@dataclass(frozen=True, slots=True)
class Asked:
    """How a condition is explained: who wrote a value, and whether it was asked at all."""

    writer: Callable[[str], str]
    reached: bool

    def lines(self, explanation: Explanation, indent: int) -> Iterator[Line]:
        """Explain a masked condition with its parts."""
        return self._part(explanation, indent, top=True)

    def value_lines(self, parts: Iterable[Explanation], indent: int) -> Iterator[Line]:
        """Return the values that a predicate names."""
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
        return value_text(value, _VALUE)

    def _failure(self, error: str, indent: int) -> Line:
        return Line(((error, "bad" if self.reached else "dim"),), indent=indent)

    def _text(self, part: Explanation) -> str:
        return " ".join(part.text.split())[:_TEXT]

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
        """Describe where the value of an operand comes from, in words; empty for a constant."""
        try:
            parts = list(operands(parse(operand)))
        except ExpressionError:  # an operand of another version's spelling
            return ""
        writers = []
        for part in parts:
            if isinstance(part, Path):
                writers.append(self.of_key(part.key))
            elif isinstance(part, RunFact):
                writers.append(_FACTS[part.name])
            elif isinstance(part, Visits):
                writers.append("visits so far, this step included")
        return "; ".join(dict.fromkeys(writers))

    def of_key(self, key: str) -> str:
        """Describe who last wrote a top-level key, in words."""
        if key not in self._known:
            self._known[key] = self._look_up(key)
        return self._known[key]

    def _look_up(self, key: str) -> str:
        row = self._view.last_written(self._inside + key, self._upto)
        return (
            self._writer_name(row, removed=_removes(row, self._inside + key))
            if row is not None
            else "never written"
        )

    def _writer_name(self, row: Row, removed: bool) -> str:
        if row.kind == "start":
            return "from the start"
        if row.kind == "edit":
            by = str((row.data or {}).get("by") or "somebody")
            return f"{'removed' if removed else 'edited'} by {by} {after_step(row.step)}"
        node = "this node" if row.step == self._step else row.node or ""
        return f"{'removed' if removed else 'written'} by step {row.step}, {node}"


def _names_inside(plan: CompiledGraph, node: str) -> str:
    """Return what comes before the keys that the edges out of a node name: where they are in a subgraph."""
    left = node.removesuffix(f"{SEPARATOR}{END}")
    around = plan.around(left if left in plan.nodes else node)
    return f"{around[-1]}{SEPARATOR}" if around else ""


def _removes(row: Row, key: str) -> bool:
    return (row.updates or {})[key] is None and (row.ops or {}).get(key) in (None, "remove")


MOST = 100
"""How many edges of a node are explained; beyond them only the one that mattered."""
_PATIENCE = 0.03  # seconds of processor time to look up values in
_MARK = 7  # cells of the marks before the edges
_INDENT = 9


def tried_lines(view: RunView, record: StepRecord) -> Iterator[Line]:
    """Describe every edge of a step with its condition, in the order in which they were tried."""
    return edge_lines(StepStory(record, view.mask).edges, Writers(view, record).of)


def edge_lines(
    edges: Sequence[EdgeStory], writer: Callable[[str], str] = lambda operand: ""
) -> Iterator[Line]:
    """Describe edges with their conditions, in the order in which they were tried.

    The edge that decided is explained whatever it takes. The values of the others are left out once looking
    them up has taken long, as it may with a state of many megabytes.

    Args:
        edges: All edges of the node.
        writer: Says where the value of an operand comes from.
    """
    decisive = next((at for at, edge in enumerate(edges) if edge.matched or edge.error is not None), None)
    tried = _Tried(edges, writer)
    if decisive is not None:
        tried.explain(decisive)
    until = thread_time() + _PATIENCE
    for at, skipped in _positions(len(edges), decisive):
        if skipped:
            yield Line(((f"… {plural(skipped, 'more edge')}", "dim"),), indent=_MARK)
            yield blank()
        if at is not None:
            yield from tried.lines(at, in_full=thread_time() < until)
            yield blank()


def _positions(count: int, decisive: int | None) -> Iterator[tuple[int | None, int]]:
    """List the positions of the edges to tell, each with how many are left out before it."""
    first = min(count, MOST)
    for at in range(first):
        yield at, 0
    left = first
    if decisive is not None and decisive >= first:
        yield decisive, decisive - first
        left = decisive + 1
    if count > left:
        yield None, count - left


class _Tried:
    """The edges of a step as lines.

    Args:
        edges: All of them, in order.
        writer: Says where the value of an operand comes from.
    """

    def __init__(self, edges: Sequence[EdgeStory], writer: Callable[[str], str]) -> None:
        self._edges = edges
        self._writer = writer
        self._explained: dict[int, list[Line]] = {}

    def explain(self, at: int) -> list[Line]:
        """Explain the condition of an edge with its values."""
        if at not in self._explained:
            self._explained[at] = list(self._explanation(self._edges[at]))
        return self._explained[at]

    def lines(self, at: int, *, in_full: bool) -> Iterator[Line]:
        """Write an edge and its condition; the values only ``in_full``, or when they are known already."""
        edge = self._edges[at]
        mark, role, verdict = _outcome(edge)
        way = way_text(edge.label, edge.condition, edge.target, at, len(self._edges))
        tone: Role = "title" if edge.matched else "plain" if _reached(edge) else "dim"
        yield Line(((f"{mark:<{_MARK}}", role), (way, tone)), (verdict, role), hang=_INDENT, block=at)
        explained = self.explain(at) if in_full or at in self._explained else self._bare(edge)
        for line in explained:
            yield replace(line, block=at)

    def _bare(self, edge: EdgeStory) -> list[Line]:
        condition = " ".join(edge.condition.split())
        values = Line(
            (("its values are left out: they take too long to look up", "dim"),), indent=_INDENT + 2
        )
        return [Line(((condition, "dim"),), indent=_INDENT, hang=2), values]

    def _explanation(self, edge: EdgeStory) -> Iterator[Line]:
        explanation = edge.explanation
        if explanation.role == "python":
            return self._python(edge, explanation)
        return Asked(self._writer, _reached(edge)).lines(explanation, _INDENT)

    def _python(self, edge: EdgeStory, explanation: Explanation) -> Iterator[Line]:
        """Describe a condition that nobody can see into; it is not called again to explain it."""
        name = explanation.text.partition(": ")[0]
        name = "Python code" if name == "python" else name
        if not _reached(edge):
            yield Line(((name, "dim"),), ("not called", "dim"), _INDENT, 2)
            return
        _, role, verdict = _outcome(edge)
        yield Line(((f"{name}, not called again", "plain"),), (verdict, role), _INDENT, 2)
        for line in explanation.shown_code:
            yield Line(((line, "dim"),), indent=_INDENT + 2, hang=4)
        if explanation.parts:
            yield Line((("it names, after this step:", "dim"),), indent=_INDENT)
            yield from Asked(self._writer, reached=True).value_lines(explanation.parts, _INDENT + 2)
        if edge.error is not None:
            yield Line(((edge.error, "bad"),), indent=_INDENT + 2)


def _reached(edge: EdgeStory) -> bool:
    return edge.matched is not None or edge.error is not None


def _outcome(edge: EdgeStory) -> tuple[str, Role, str]:
    if edge.error is not None:
        return "FAILED", "bad", "failed"
    if edge.matched is None:
        return "·", "dim", "not reached"
    return ("TAKEN", "good", "true") if edge.matched else ("○", "dim", "false")


def question_lines(view: RunView, edges: Sequence[Edge]) -> Iterator[Line]:
    """Describe what edges will ask, once their node has run."""
    mask = view.mask
    for at, edge in enumerate(edges[:MOST]):
        asks = view.code.describe(edge)
        condition = mask.text(" ".join(asks.split()))
        way = way_text(edge.label, asks, edge.target, at, len(edges))
        yield Line(((f"{'·':<{_MARK}}", "dim"), (mask.text(way), "plain")), hang=_INDENT, block=at)
        python = edge.condition.kind == "predicate"
        yield Line(((condition, "dim"),), ("Python", "dim") if python else None, _INDENT, 2, at)
        yield blank()
    if len(edges) > MOST:
        yield Line(((f"… {plural(len(edges) - MOST, 'more edge')}", "dim"),), indent=_MARK)
