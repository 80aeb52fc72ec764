"""The way of a run through a graph: which nodes it came to, and which edges it took."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..graphs.parts import END

if TYPE_CHECKING:
    from ..graphs.parts import Edge
    from .records import Departure, StepRecord
    from .run import Run

Part = str | int
"""A node by its name, or an edge by its position."""


class Trail:
    """The way of a run through a graph: when it came to each part, and how it left each node.

    It grows with the run: reading a run again costs no more than its new steps, and any past moment can
    be looked at without walking the steps.

    Args:
        edges: The edges of a graph; when it is another version than the run's own, an edge counts as taken
            if it has the ends of one that was, and where there are several, its place among its node's.
    """

    def __init__(self, edges: Sequence[Edge]) -> None:
        self._edges = edges
        self._came: dict[Part, list[int]] = {}  # at which steps, in the order of the first ones
        self._went: list[Part] = []  # one after the other
        self._at: list[int] = []  # and at which step that was
        self._left: dict[str, tuple[list[int], list[int]]] = {}  # of each node: the steps, and the edges
        self._edge_found: dict[Departure, int | None] = {}
        self._steps: Sequence[StepRecord] = ()
        self._read = 0

    @cached_property
    def _leaving(self) -> dict[str, list[int]]:
        """The edges of each node; made when there is a run."""
        leaving: dict[str, list[int]] = {}
        for position, edge in enumerate(self._edges):
            leaving.setdefault(edge.source, []).append(position)
        return leaving

    @cached_property
    def _names(self) -> frozenset[str]:
        """The nodes that edges leave or lead to."""
        return frozenset(end for edge in self._edges for end in (edge.source, edge.target))

    def drawn_at(self, node: str | None) -> str | None:
        """Find where a node is drawn: one inside of a subgraph that is one node here, at that node."""
        drawn = node
        while drawn is not None and drawn not in self._names and "/" in drawn:
            drawn = drawn.rpartition("/")[0]
        return drawn if drawn in self._names else node

    def read(self, steps: Sequence[StepRecord], departures: Sequence[Departure] | None = None) -> None:
        """Read on. The steps are those of one run, each time at least as many as before.

        Args:
            steps: All steps so far.
            departures: Theirs, where somebody has them: then no step is read.
        """
        self._steps = steps
        begin = self._read
        way = departures[begin:] if departures is not None else (record.departure for record in steps[begin:])
        for step, departure in enumerate(way, begin + 1):
            self._come_to(departure.node, step)
            if departure.next == END:
                self._come_to(END, step)
            taken = self._edge_of(departure)
            if taken is not None:
                self._come_to(taken, step)
                at, edges = self._left.setdefault(self._edges[taken].source, ([], []))
                at.append(step)
                edges.append(taken)
            if not departure.failed:
                self._read = step  # a step whose routing failed may be routed again

    def _come_to(self, part: Part, step: int) -> None:
        came = self._came.setdefault(part, [])
        if not came or came[-1] < step:
            came.append(step)
            self._went.append(part)
            self._at.append(step)

    def edge_of(self, record: StepRecord) -> int | None:
        """Find the position of the edge that a step took; None where it took none of these."""
        return self._edge_of(record.departure)

    def _edge_of(self, departure: Departure) -> int | None:
        if departure not in self._edge_found:
            self._edge_found[departure] = self._find_edge(departure)
        return self._edge_found[departure]

    def _find_edge(self, departure: Departure) -> int | None:
        node, next_, taken, failed = departure
        if taken is None or failed:
            return None
        leaving = self._leaving.get(node, [])
        if not leaving:  # where a subgraph is one node, its edges are those of where the run leaves it
            leaving = self._leaving.get(node.removesuffix("/END"), [])
        likely = leaving[taken : taken + 1]  # in another version of the graph it may be another one
        # What leaves a subgraph leads to END where its inside is drawn alone.
        led = (next_, END) if (next_ or "").endswith("/END") else (next_,)
        return next((edge for edge in (*likely, *leaving) if self._edges[edge].target in led), None)

    @property
    def parts(self) -> Collection[Part]:
        """All nodes and edges that the run has come to, in the order in which it first did."""
        return self._came.keys()

    def reached(self, part: Part, step: int) -> bool:
        """Check whether the run had been at a node, or had taken an edge, once a step was completed."""
        came = self._came.get(part)
        return came is not None and came[0] <= step

    def times(self, part: Part, step: int) -> int:
        """Count how often the run had come to a node, or had taken an edge, once a step was completed."""
        return bisect_right(self._came.get(part, ()), step)

    def last_at(self, node: str, step: int) -> StepRecord | None:
        """Look up the last visit of a node once a step was completed."""
        times = self.times(node, step)
        return self._steps[self._came[node][times - 1] - 1] if times else None

    def left_by(self, node: str, step: int) -> int | None:
        """Look up the edge by which the run had left a node last, once a step was completed."""
        at, edges = self._left.get(node, ([], []))
        number = bisect_right(at, step)
        return edges[number - 1] if number else None

    def between(self, one: int, other: int) -> Iterable[Part]:
        """List the parts that were come to after one of two steps and not after the other.

        Where the two lie far apart these are all, which costs less than to walk the steps between.
        """
        low, high = sorted((one, other))
        start, end = bisect_right(self._at, low), bisect_right(self._at, high)
        if end - start > len(self._came):
            return self._came
        found = self._went[start:end]
        return {
            *found,
            *(edge for node in found if isinstance(node, str) for edge in self._leaving.get(node, ())),
        }


def fired_edges(run: Run, edges: Sequence[Edge]) -> set[int]:
    """Find the edges that the run has taken, by their position.

    Args:
        run: The run.
        edges: The edges of a graph, also of another version than the run's own.
    """
    trail = Trail(edges)
    steps = run.history
    trail.read(steps)
    return {edge for edge in range(len(edges)) if trail.reached(edge, run.step)}
