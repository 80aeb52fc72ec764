"""What a run has to say of a graph's nodes and edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus

from .glyphs import State
from .trail import Trail

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge
    from stepgraph.runs.run import Run

STANDING: dict[RunStatus, State] = {
    RunStatus.READY: "next",
    RunStatus.PAUSED: "waits",
    RunStatus.FAILED: "failed",
}
"""What is said of the node at which a run stands."""


def node_states(run: Run) -> dict[str, State]:
    """The nodes that the run has been at, and the one where it stands; END where it has ended there."""
    states: dict[str, State] = {}
    for record in run.history:
        states[record.node] = "done"
    if run.status is RunStatus.ENDED and run.current is None and run.history:
        last = run.history[-1].next
        if last is not None and run.outcome == "end":
            states[last] = "done"
    if run.current is not None and run.status in STANDING:
        states[run.current] = STANDING[run.status]
    return states


def fired_edges(run: Run, edges: Sequence[Edge]) -> set[int]:
    """The edges that the run has taken, by their position.

    Args:
        run: The run.
        edges: The edges of a graph, also of another version than the run's own.
    """
    trail = Trail(edges)
    steps = run.history
    trail.read(steps)
    return {edge for edge in range(len(edges)) if trail.reached(edge, run.step)}
