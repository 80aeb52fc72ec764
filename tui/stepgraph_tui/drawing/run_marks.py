"""What a run has to say of a graph's nodes and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.run import RunStatus

from .glyphs import State

if TYPE_CHECKING:
    from stepgraph.graph_parts import Edge
    from stepgraph.run import Run

_STANDING: dict[RunStatus, State] = {
    RunStatus.READY: "next",
    RunStatus.PAUSED: "waits",
    RunStatus.FAILED: "failed",
}


def node_states(run: Run) -> dict[str, State]:
    """The nodes that the run has been at, and the one where it stands; END where it has ended there."""
    states: dict[str, State] = {}
    for record in run.history:
        states[record.node] = "done"
    if run.status is RunStatus.ENDED and run.current is None and run.history:
        last = run.history[-1].next
        if last is not None and run.outcome == "end":
            states[last] = "done"
    if run.current is not None and run.status in _STANDING:
        states[run.current] = _STANDING[run.status]
    return states


def fired_edges(run: Run, edges: Sequence[Edge]) -> set[int]:
    """The edges that the run has taken, by their position.

    Args:
        run: The run.
        edges: The edges of a graph; when it is another version than the run's own, an edge counts as taken
            if it has the ends of one that was, and where there are several, its place among its node's.
    """
    leaving: dict[str, list[int]] = {}
    for position, edge in enumerate(edges):
        leaving.setdefault(edge.source, []).append(position)
    fired = set()
    for record in run.history:
        taken = next((number for number, edge in enumerate(record.edges) if edge.matched), None)
        if taken is None:
            continue
        positions = leaving.get(record.node, [])
        alike = [position for position in positions if edges[position].target == record.next]
        if taken < len(positions) and positions[taken] in alike:
            fired.add(positions[taken])
        elif alike:
            fired.add(alike[0])
    return fired
