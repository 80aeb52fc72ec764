"""The edges of a node as they were tried: which won, which did not match, which were not reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import thread_time
from typing import TYPE_CHECKING

from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.text.runs import way_text
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line, blank

from .conditions import Asked, Writers

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.records import EvaluatedEdge, StepRecord
    from stepgraph_tui.run_view import RunView

MOST = 100
"""How many edges of a node are told; beyond them only the one that mattered."""
_PATIENCE = 0.03  # seconds of processor time to look up values in
_MARK = 7  # cells of the marks before the edges
_INDENT = 9


def tried_lines(view: RunView, record: StepRecord) -> Iterator[Line]:
    """Tell of every edge of a step with its condition, in the order in which they were tried."""
    return edge_lines(record.edges, view.mask, Writers(view, record).of)


def edge_lines(
    edges: Sequence[EvaluatedEdge], mask: Mask, writer: Callable[[str], str] = lambda operand: ""
) -> Iterator[Line]:
    """Tell of edges with their conditions, in the order in which they were tried.

    The edge that decided is explained whatever it takes. The values of the others are left out once looking
    them up has taken long, as it may with a state of many megabytes.

    Args:
        edges: All edges of the node.
        mask: Hides secrets.
        writer: Says where the value of an operand comes from.
    """
    decisive = next((at for at, edge in enumerate(edges) if edge.matched or edge.error is not None), None)
    tried = _Tried(edges, mask, writer)
    if decisive is not None:
        tried.explain(decisive)
    until = thread_time() + _PATIENCE
    for at, skipped in _told(len(edges), decisive):
        if skipped:
            yield Line(((f"… {plural(skipped, 'more edge')}", "dim"),), indent=_MARK)
            yield blank()
        if at is not None:
            yield from tried.lines(at, in_full=thread_time() < until)
            yield blank()


def _told(count: int, decisive: int | None) -> Iterator[tuple[int | None, int]]:
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
        mask: Hides secrets.
        writer: Says where the value of an operand comes from.
    """

    def __init__(self, edges: Sequence[EvaluatedEdge], mask: Mask, writer: Callable[[str], str]) -> None:
        self._edges = edges
        self._mask = mask
        self._writer = writer
        self._explained: dict[int, list[Line]] = {}

    def explain(self, at: int) -> list[Line]:
        """Explain the condition of an edge with its values."""
        if at not in self._explained:
            self._explained[at] = list(self._explanation(self._edges[at]))
        return self._explained[at]

    def lines(self, at: int, *, in_full: bool) -> Iterator[Line]:
        """Write an edge and its condition; the values only ``in_full``, or when they are known already."""
        edge, mask = self._edges[at], self._mask
        mark, role, verdict = _outcome(edge)
        way = mask.text(way_text(edge.label, edge.condition, edge.target, at, len(self._edges)))
        tone: Role = "title" if edge.matched else "plain" if _reached(edge) else "dim"
        yield Line(((f"{mark:<{_MARK}}", role), (way, tone)), (verdict, role), hang=_INDENT, block=at)
        told = self.explain(at) if in_full or at in self._explained else self._bare(edge)
        for line in told:
            yield replace(line, block=at)

    def _bare(self, edge: EvaluatedEdge) -> list[Line]:
        condition = visible(self._mask.text(" ".join(edge.condition.split())))
        values = Line(
            (("its values are left out: they take too long to look up", "dim"),), indent=_INDENT + 2
        )
        return [Line(((condition, "dim"),), indent=_INDENT, hang=2), values]

    def _explanation(self, edge: EvaluatedEdge) -> Iterator[Line]:
        if edge.explanation.role == "python":
            return self._python(edge)
        return Asked(self._mask, self._writer, _reached(edge)).lines(edge.explanation, _INDENT)

    def _python(self, edge: EvaluatedEdge) -> Iterator[Line]:
        """Tell of a condition that nobody can see into; it is not called again to explain it."""
        told, mask = self._mask.explanation(edge.explanation), self._mask
        name = told.text.partition(": ")[0]
        name = "Python code" if name == "python" else visible(mask.text(name))
        if not _reached(edge):
            yield Line(((name, "dim"),), ("not called", "dim"), _INDENT, 2)
            return
        _, role, verdict = _outcome(edge)
        yield Line(((f"{name}, not called again", "plain"),), (verdict, role), _INDENT, 2)
        for line in told.code:
            yield Line(((visible(mask.text(line)), "dim"),), indent=_INDENT + 2, hang=4)
        if told.parts:
            yield Line((("it names, after this step:", "dim"),), indent=_INDENT)
            yield from Asked(mask, self._writer, reached=True).named(told.parts, _INDENT + 2)
        if edge.error is not None:
            yield Line(((visible(mask.text(edge.error)), "bad"),), indent=_INDENT + 2)


def _reached(edge: EvaluatedEdge) -> bool:
    return edge.matched is not None or edge.error is not None


def _outcome(edge: EvaluatedEdge) -> tuple[str, Role, str]:
    if edge.error is not None:
        return "FAILED", "bad", "failed"
    if edge.matched is None:
        return "·", "dim", "not reached"
    return ("TAKEN", "good", "true") if edge.matched else ("○", "dim", "false")


def question_lines(edges: Sequence[Edge], mask: Mask, describe: Callable[[Edge], str]) -> Iterator[Line]:
    """Tell what edges will ask, once their node has run; ``describe`` says a condition in words."""
    for at, edge in enumerate(edges[:MOST]):
        asks = describe(edge)
        condition = visible(mask.text(" ".join(asks.split())))
        way = way_text(edge.label, asks, edge.target, at, len(edges))
        yield Line(((f"{'·':<{_MARK}}", "dim"), (mask.text(way), "plain")), hang=_INDENT, block=at)
        python = edge.condition.kind == "predicate"
        yield Line(((condition, "dim"),), ("Python", "dim") if python else None, _INDENT, 2, at)
        yield blank()
    if len(edges) > MOST:
        yield Line(((f"… {plural(len(edges) - MOST, 'more edge')}", "dim"),), indent=_MARK)
