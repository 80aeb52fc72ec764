"""Where a run can come, and whether it can end: what the edges that can be taken lead to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..parts import END
from .names import listed, quoted

if TYPE_CHECKING:
    from .checked_graph import CheckedGraph
    from .report import Report


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
    what = f"node {quoted(cycle[0])} leads" if len(cycle) == 1 else f"nodes {listed(cycle)} lead"
    back = "to itself" if len(cycle) == 1 else "to each other"
    message = f"{what} only {back}: the cycle has no way out, and runs in it end at max_steps"
    report.warning(
        "G102", message, ("nodes", cycle[0]), 'add [[edges]] that leave it, such as with to = "END"'
    )
