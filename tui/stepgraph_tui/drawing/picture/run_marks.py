"""What a run marks in a graph: where it has been, which edges it took, and where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.runs import Part as Part
from stepgraph.runs import Trail as Trail
from stepgraph.runs import fired_edges as fired_edges
from stepgraph.stores import RunStatus

from ...text.plain import LONG, took, value_text
from ...view.runs import RunStory, StepStory
from .glyphs import BreakSign, State

if TYPE_CHECKING:
    from stepgraph.graphs import Edge
    from stepgraph.runs import Run
    from stepgraph.runs.debug import Breakpoint


PLACE_STATES: dict[RunStatus, State] = {
    RunStatus.READY: "next",
    RunStatus.PAUSED: "waits",
    RunStatus.FAILED: "failed",
}
"""The state of the node at which a run stands."""


class LastVisit(NamedTuple):
    """The last visit of a node, in words."""

    times: int
    """How often the run had come there, this time included."""
    took: str
    said: str
    """The beginning of what the node put out."""


def visit_of(step: StepStory) -> LastVisit:
    """Describe a visit in as many words as a box has room for."""
    record, output = step.record, step.own_output
    if output is None:
        output = value_text(step.updates) if record.row.updates else ""
    return LastVisit(record.visit, took(record.duration), " ".join(output[:LONG].split()))


def share(times: int, visits: int, room: int) -> str:
    """Write a share of the visits: ``2/3``, or ``67%`` where there is no room for that."""
    text = f"{times}/{visits}"
    return text if len(text) <= room else f"{round(100 * times / visits)}%"


def node_states(run: Run) -> dict[str, State]:
    """Mark the nodes that the run has been at, and the one where it stands; END where it has ended there."""
    states: dict[str, State] = {}
    for record in run.history:
        states[record.node] = "done"
    if run.status is RunStatus.ENDED and run.current is None and run.history:
        last = run.history[-1].next
        if last is not None and run.outcome == "end":
            states[last] = "done"
    if run.current is not None and run.status in PLACE_STATES:
        for node in (*run.plan.around(run.current), run.current):
            states[node] = PLACE_STATES[run.status]
    return states


def last_visits(story: RunStory) -> dict[str, LastVisit]:
    """Describe the last visit of each node that the run has been at."""
    last = {step.record.node: step for step in story.steps()}
    return {node: visit_of(step) for node, step in last.items()}


_LOUDNESS: tuple[BreakSign, ...] = ("off", "broken", "when", "on")


@dataclass(frozen=True, slots=True)
class BreakMarks:
    """The signs at nodes, by their names, and at edges, by their count in the graph file."""

    signs: Mapping[Part, BreakSign] = field(default_factory=dict)
    hit: Part | None = None
    """The part whose breakpoint the run halts at."""


NO_BREAKS = BreakMarks()


def break_marks(
    breakpoints: Iterable[Breakpoint],
    edges: Iterable[Edge],
    broken: Collection[str] = (),
    hit: Breakpoint | None = None,
) -> BreakMarks:
    """Mark the nodes and edges at which breakpoints wait; of several at one place the loudest is seen.

    Args:
        breakpoints: The breakpoints.
        edges: The edges of the graph.
        broken: The ids of those that can never be met.
        hit: The one that the run halts at.
    """
    edges, signs, at = list(edges), dict[Part, BreakSign](), None
    for each in breakpoints:
        sign = "broken" if each.id in broken else sign_of(each)
        for part in _parts_of(each, edges):
            signs[part] = max(sign, signs.get(part, sign), key=_LOUDNESS.index)
            if hit is not None and each.id == hit.id:
                at = part
    return BreakMarks(signs, at) if signs else NO_BREAKS


def sign_of(breakpoint: Breakpoint) -> BreakSign:
    """Choose the sign of a breakpoint that is in order."""
    if not breakpoint.enabled:
        return "off"
    plain = breakpoint.when is None and breakpoint.log is None and not breakpoint.is_counted
    return "on" if plain else "when"


def leads(breakpoint: Breakpoint, edge: Edge) -> bool:
    """Check whether a breakpoint on an edge means this one."""
    ends = (breakpoint.node, breakpoint.target) == (edge.source, edge.target)
    return ends and breakpoint.label in (None, edge.describe())


def _parts_of(breakpoint: Breakpoint, edges: Iterable[Edge]) -> Iterator[Part]:
    if breakpoint.kind == "edge":
        yield from (edge.index for edge in edges if leads(breakpoint, edge))
    elif breakpoint.node:
        yield breakpoint.node
