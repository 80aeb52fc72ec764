"""Where a run can come, and whether it can end: networkx's algorithms on the edges that can be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from ..graph import END
from .names import listed, quoted

if TYPE_CHECKING:
    from ..graph import Edge
    from .outline import Outline
    from .report import Report


def check_reachability(outline: Outline, report: Report) -> None:
    """Report nodes that no run comes to, and those from which no run comes to an end."""
    if not outline.nodes:
        return
    graph = _live(outline)
    _unreachable(graph, outline, report)
    _endless(graph, outline, report)


def _live(outline: Outline) -> nx.DiGraph[Any]:
    """The graph of the edges that can be taken.

    What is reported as an error elsewhere counts as a way out, so that one mistake is reported once:
    a node without edges, and an edge to an unknown node.
    """
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(outline.nodes)
    graph.add_node(END)
    may_stop = outline.settings.on_no_match == "end"
    for name, edges in outline.outgoing.items():
        if not edges or (may_stop and not any(edge.unconditional for edge in edges)):
            graph.add_edge(name, END)
        for edge in edges:
            if edge.index not in outline.shadowed:
                graph.add_edge(name, edge.target if edge.target in outline.nodes else END)
    return graph


def _unreachable(graph: nx.DiGraph[Any], outline: Outline, report: Report) -> None:
    start: object = outline.settings.start
    if not isinstance(start, str) or start not in outline.nodes:
        return
    reached = nx.descendants(graph, start) | {start}
    if any(_is_lost(edge, outline) for name in reached - {END} for edge in outline.outgoing[name]):
        return  # where that edge was meant to lead is not known
    for name in outline.nodes:
        if name not in reached:
            message = f"node {quoted(name)} is never reached from the start {quoted(start)}"
            report.warning("G100", message, ("nodes", name), "lead an edge to it, or remove it")


def _is_lost(edge: Edge, outline: Outline) -> bool:
    """Whether the edge leads nowhere, which is reported as an error elsewhere."""
    return edge.target != END and edge.target not in outline.nodes


def _endless(graph: nx.DiGraph[Any], outline: Outline, report: Report) -> None:
    lost = set(outline.nodes) - nx.ancestors(graph, END)
    if not lost:
        return
    trapped: set[str] = set()
    for cycle in nx.strongly_connected_components(graph.subgraph(lost)):
        if any(target not in cycle for name in cycle for target in graph.successors(name)):
            continue
        trapped |= cycle
        _trap([name for name in outline.nodes if name in cycle], report)
    for name in outline.nodes:
        if name in lost and name not in trapped:
            message = f"no path leads from node {quoted(name)} to END"
            report.warning("G101", message, ("nodes", name), "it only leads into a cycle with no way out")


def _trap(cycle: list[str], report: Report) -> None:
    what = f"node {quoted(cycle[0])} leads" if len(cycle) == 1 else f"nodes {listed(cycle)} lead"
    back = "to itself" if len(cycle) == 1 else "to each other"
    message = f"{what} only {back}: the cycle has no way out, and runs in it end at max_steps"
    report.warning("G102", message, ("nodes", cycle[0]), "add an edge that leaves it, such as one to END")
