"""All about an edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.break_marks import leads
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.breaks import NO_LIST, BreakList
from stepgraph_tui.widgets.lines.page_lines import Line, blank, paragraph

from .break_lines import break_lines
from .facts import Masked, condition, edges_out, fact, problem_lines, section, ways
from .visit import taken_text

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.parts import Edge
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.problems import Problem
    from stepgraph_tui.run_view import RunSnapshot


def edge_lines(
    graph: StateGraph | CompiledGraph,
    index: int,
    problems: Sequence[Problem],
    moment: RunSnapshot | None,
    breaks: BreakList = NO_LIST,
) -> Iterator[Line]:
    """Make the page of an edge, by its position among all edges."""
    edges = list(graph.edges)
    edge = next((edge for edge in edges if edge.index == index), None)
    if edge is None:
        yield paragraph(f"The graph has no edge {index}.", "dim")
        return
    masked: Masked = moment.view.mask.text if moment is not None else str
    siblings = edges_out(edges, edge.source)
    at = [each.index for each in siblings].index(index)
    yield Line(
        ((f"{visible(edge.source)} → {visible(edge.target)}", "name"),),
        (f"edge {at + 1} of {len(siblings)}", "dim"),
        hang=2,
    )
    yield from break_lines(breaks, lambda each: each.kind == "edge" and leads(each, edge), masked)
    yield blank()
    if edge.label:
        yield fact("label", visible(masked(" ".join(edge.label.split()))))
    yield from _asks(edge, siblings, at, masked)
    if moment is not None:
        yield fact("taken", taken_text(moment, edge.source, at))
    yield from section("Problems", problem_lines(each for each in problems if each.place.edge == index))
    alike = sum(other.target == edge.target for other in siblings)
    if alike > 1:
        title = f"All {alike:,} edges from {visible(edge.source)} to {visible(edge.target)}"
        yield from section(title, ways(siblings, masked, edge.target))
    if len(siblings) > alike:
        yield from section(f"All edges of {visible(edge.source)}", ways(siblings, masked))


def _asks(edge: Edge, siblings: Sequence[Edge], at: int, masked: Masked) -> Iterator[Line]:
    yield paragraph("condition", "dim")
    yield condition(edge, masked, 2)
    if edge.broken is None and edge.condition.reads:
        yield fact("reads", ", ".join(visible(masked(key)) for key in sorted(edge.condition.reads)))
    if edge.broken is None and edge.condition.visits_read:
        yield fact("counts", f"visits of {', '.join(map(visible, sorted(edge.condition.visits_read)))}")
    before = next((n for n, each in enumerate(siblings[:at], 1) if each.unconditional), None)
    if before is not None:
        yield fact("shadowed", f"! never tried: edge {before} before it always matches", "warn")
    elif at:
        tried = "edge 1 does" if at == 1 else f"edges 1 to {at} do"
        yield fact("tried", f"when {tried} not match")
