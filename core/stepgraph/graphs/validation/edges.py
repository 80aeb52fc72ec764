"""The edges: their ends and conditions one by one, and the order in which they are tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ...conditions import Chosen, HandlerPredicate
from ...nodes.router import normalized
from ...values.handler_names import HANDLER_HINT, is_handler
from ..parts import END
from .report import CheckedGraph, comma_list, edge_name, quoted

if TYPE_CHECKING:
    from ..parts import Edge
    from .report import Report


def check_edges(checked: CheckedGraph, report: Report) -> None:
    """Report what is wrong with the edges."""
    known = {name for name in checked.nodes if name.strip()} - {END}
    counted = checked.nodes.keys()
    for edge in checked.edges:
        if edge.source not in known:
            _source(edge, checked, report)
        if edge.target not in known and edge.target != END:
            _target(edge, checked, report)
        if edge.label and not str(edge.label).strip():
            message = f"{edge_name(edge)} has a blank label, which nobody can see"
            report.error("G029", message, ("edges", edge.index, "label"), "write a word, or leave label out")
        if edge.broken is not None:
            message = f"{edge_name(edge)}: {edge.broken.message}"
            excerpt = edge.broken.caret() if edge.broken.text.strip() else ""
            report.error("G016", message, ("edges", edge.index, "when"), edge.broken.hint, excerpt=excerpt)
        elif not edge.condition.visits_read <= counted or edge.condition.kind == "predicate":
            _condition(edge, checked, report)


def _source(edge: Edge, checked: CheckedGraph, report: Report) -> None:
    path = ("edges", edge.index, "from")
    if not edge.source.strip():
        report.error(
            "G012", f"{edge_name(edge)} does not say which node it leaves", path, "give a node's name"
        )
    elif edge.source == END:
        report.error("G013", f"{edge_name(edge)} leaves END, where every run ends", path, "remove it")
    elif edge.source not in checked.nodes:
        message = f"{edge_name(edge)} leaves {quoted(edge.source)}, which is not a node of the graph"
        report.error("G010", message, path, checked.names.hint(edge.source))


def _target(edge: Edge, checked: CheckedGraph, report: Report) -> None:
    path = ("edges", edge.index, "to")
    if not edge.target.strip():
        hint = "give a node's name, or END"
        report.error("G012", f"{edge_name(edge)} does not say where it leads", path, hint)
    elif edge.target != END and edge.target not in checked.nodes:
        message = f"{edge_name(edge)} leads to {quoted(edge.target)}, which is not a node of the graph"
        hint = checked.names.hint(edge.target)
        if edge.target.strip("_ ").casefold() == "end":
            hint = 'the end is written "END"'
        report.error("G011", message, path, hint)


def _condition(edge: Edge, checked: CheckedGraph, report: Report) -> None:
    path = ("edges", edge.index, "when")
    for node in sorted(edge.condition.visits_read - checked.nodes.keys()):
        message = f"{edge_name(edge)} asks for visits of {quoted(node)}, which is not a node of the graph"
        report.error("G020", message, path, checked.names.hint(node), node)
    if isinstance(edge.condition, HandlerPredicate) and not is_handler(edge.condition.ref):
        message = (
            f"{edge_name(edge)}: the predicate {quoted(edge.condition.ref)} is not written as module:function"
        )
        report.error("G021", message, (*path, "predicate"), HANDLER_HINT)


def check_routing(checked: CheckedGraph, report: Report) -> None:
    """Report edges that are never taken, nodes without a fallback, and edges that are doubled."""
    must_match, safe = checked.settings.on_no_match == "fail", checked.safe
    for name, edges in checked.outgoing.items():
        if checked.shadowed:
            _shadowed(edges, checked, report)
        if len({edge.target for edge in edges}) < len(edges):
            _doubled(edges, checked, report)
        if checked.facts[name].chooses is not None:
            _choices(name, edges, report)
        if edges and must_match and name not in safe:
            message = f"node {quoted(name)} has no fallback: a run fails when no condition of its edges holds"
            hint = f"add a last [[edges]] with from = {quoted(name)} and without when"
            report.warning("G104", message, ("nodes", name), hint)


def shadowed(checked: CheckedGraph) -> dict[int, str]:
    """Find the edges that are never taken, by position, each with the reason in words.

    The reason counts the edges of the node, as drawings do.
    """
    return {
        index: f"edge {checked.outgoing[before.source].index(before) + 1} {_why(before)}"
        for index, before in checked.shadowed.items()
    }


def _shadowed(edges: list[Edge], checked: CheckedGraph, report: Report) -> None:
    for edge in edges:
        before = checked.shadowed.get(edge.index)
        if before is None:
            continue
        message = f"{edge_name(edge)} is never taken: {edge_name(before)} {_why(before)}"
        report.warning("G103", message, ("edges", edge.index), "move its [[edges]] up, or remove it")


def _why(before: Edge) -> str:
    return f"is tried first and {'always matches' if before.unconditional else 'has the same condition'}"


def _choices(name: str, edges: list[Edge], report: Report) -> None:
    """Report edges that a node cannot choose among by their labels."""
    chosen = [edge for edge in edges if isinstance(edge.condition, Chosen)]
    if edges and len(chosen) < 2:
        count = "no edge" if not chosen else "only one edge"
        message = f"node {quoted(name)} has {count} to choose: it chooses among those without when"
        hint = "give it two or more [[edges]] with a label and without when"
        report.error("G052", message, ("nodes", name), hint)
    first: dict[str, Edge] = {}
    for edge in chosen:
        word = normalized(edge.choice)
        before = first.setdefault(word, edge)
        if before is edge and word and "\n" not in word:
            continue
        path = ("edges", edge.index, "label")
        if before is edge:
            message = (
                f"{edge_name(edge)} has the label {quoted(edge.choice)}, which is no word to choose it by"
            )
            report.error("G053", message, path, "write a word or two on one line")
        else:
            same = f"{quoted(edge.choice)}, like {edge_name(before)}"
            message = f"{edge_name(edge)} is chosen by the label {same}"
            report.error("G053", message, path, "give each edge a label of its own")


def _doubled(edges: list[Edge], checked: CheckedGraph, report: Report) -> None:
    first: dict[str, Edge] = {}
    for edge in edges:
        if edge.index in checked.shadowed or isinstance(edge.condition, Chosen):
            continue
        before = first.setdefault(edge.target, edge)
        if before is not edge:
            message = f"{edge_name(edge)} has the same ends as {edge_name(before)}"
            report.warning("G105", message, ("edges", edge.index), "join their conditions by `or`")


def check_reachability(checked: CheckedGraph, report: Report) -> None:
    """Report nodes that no run comes to, and those from which no run comes to an end."""
    if not checked.nodes:
        return
    _unreachable(checked, report)
    _endless(checked, report)


def _reached(start: str, leads: Mapping[str, Iterable[str]]) -> set[str]:
    """Collect every place that can be reached from one, itself included."""
    reached, ahead = {start}, [start]
    while ahead:
        for place in leads.get(ahead.pop(), ()):
            if place not in reached:
                reached.add(place)
                ahead.append(place)
    return reached


def _unreachable(checked: CheckedGraph, report: Report) -> None:
    start: object = checked.settings.start
    if not isinstance(start, str) or start not in checked.nodes:
        return
    reached = _reached(start, checked.leads)
    missed = [name for name in checked.nodes if name not in reached]
    ends = {END, *checked.nodes}
    sources = reached - {END}
    if missed and any(edge.target not in ends for edge in checked.edges if edge.source in sources):
        return  # where that edge was meant to lead is not known, which is reported as an error elsewhere
    for name in missed:
        message = f"node {quoted(name)} is never reached from the start {quoted(start)}"
        hint = f"add [[edges]] with to = {quoted(name)}, or remove it"
        report.warning("G100", message, ("nodes", name), hint)


def _endless(checked: CheckedGraph, report: Report) -> None:
    leads = checked.leads
    back: dict[str, list[str]] = defaultdict(list)
    for name, targets in leads.items():
        for target in targets:
            back[target].append(name)
    lost = checked.nodes.keys() - _reached(END, back)
    if not lost:
        return
    import networkx as nx  # few graphs have a cycle without a way out, and it takes long to import

    trapped: set[str] = set()
    # Every way out of a lost node leads to another one.
    closed: nx.DiGraph[str] = nx.DiGraph({name: leads[name] for name in leads if name in lost})
    cycles: Iterable[set[str]] = nx.strongly_connected_components(closed)
    for cycle in cycles:
        if any(target not in cycle for name in cycle for target in leads[name]):
            continue
        trapped |= cycle
        _trap([name for name in checked.nodes if name in cycle], report)
    for name in checked.nodes:
        if name in lost and name not in trapped:
            message = f"no path leads from node {quoted(name)} to END"
            report.warning("G101", message, ("nodes", name), "it only leads into a cycle with no way out")


def _trap(cycle: list[str], report: Report) -> None:
    what = f"node {quoted(cycle[0])} leads" if len(cycle) == 1 else f"nodes {comma_list(cycle)} lead"
    back = "to itself" if len(cycle) == 1 else "to each other"
    message = f"{what} only {back}: the cycle has no way out, and runs in it end at max_steps"
    report.warning(
        "G102", message, ("nodes", cycle[0]), 'add [[edges]] that leave it, such as with to = "END"'
    )
