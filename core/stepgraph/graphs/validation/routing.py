"""How the edges of one node work together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import quoted
from .outline import Outline, edge_name

if TYPE_CHECKING:
    from ..builder import StateGraph
    from ..parts import Edge
    from .report import Report


def check_routing(outline: Outline, report: Report) -> None:
    """Report edges that are never taken, nodes without a fallback, and edges that are doubled."""
    must_match = outline.settings.on_no_match == "fail"
    for name, edges in outline.outgoing.items():
        if outline.shadowed:
            _shadowed(edges, outline, report)
        if len(edges) > 1:
            _doubled(edges, outline, report)
        if edges and must_match and name not in outline.safe:
            message = f"node {quoted(name)} has no fallback: a run fails when no condition of its edges holds"
            hint = "add a last edge without a condition"
            report.warning("G104", message, ("nodes", name), hint)


def shadowed(graph: StateGraph) -> dict[int, str]:
    """The edges that are never taken, by position, each with the reason in words.

    The reason counts the edges of the node, as drawings do.
    """
    outline = Outline(graph)
    return {
        index: f"edge {outline.outgoing[before.source].index(before) + 1} {_why(before)}"
        for index, before in outline.shadowed.items()
    }


def _shadowed(edges: list[Edge], outline: Outline, report: Report) -> None:
    for edge in edges:
        before = outline.shadowed.get(edge.index)
        if before is None:
            continue
        message = f"{edge_name(edge)} is never taken: {edge_name(before)} {_why(before)}"
        report.warning("G103", message, ("edges", edge.index), "move it up, or remove it")


def _why(before: Edge) -> str:
    return f"is tried first and {'always matches' if before.unconditional else 'has the same condition'}"


def _doubled(edges: list[Edge], outline: Outline, report: Report) -> None:
    first: dict[str, Edge] = {}
    for edge in edges:
        if edge.index in outline.shadowed:
            continue
        before = first.setdefault(edge.target, edge)
        if before is not edge:
            message = f"{edge_name(edge)} has the same ends as {edge_name(before)}"
            report.warning("G105", message, ("edges", edge.index), "join their conditions by `or`")
