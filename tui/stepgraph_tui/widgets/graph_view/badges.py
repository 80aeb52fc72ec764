"""How much is wrong with each node and edge of a graph, counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stepgraph.graph_parts import Edge
    from stepgraph.problems import Problem
    from stepgraph_tui.drawing.glyphs import Glyphs
    from stepgraph_tui.drawing.trail import Part


class Badge(NamedTuple):
    """The problems of a node or an edge; a node answers for the edges that leave it, too."""

    errors: int = 0
    warnings: int = 0

    def mark(self, glyphs: Glyphs) -> str:
        """The worst of them in one character."""
        return glyphs.error if self.errors else glyphs.warning if self.warnings else ""

    def counts(self, glyphs: Glyphs) -> str:
        """How many there are, in a few characters without a blank; empty for a single one, or for none."""
        if self.errors + self.warnings < 2:
            return ""
        pairs = ((glyphs.error, self.errors), (glyphs.warning, self.warnings))
        return "".join(f"{mark}{count}" for mark, count in pairs if count)


NO_PROBLEMS = Badge()


def badges_of(
    problems: Iterable[Problem], edges: Sequence[Edge], position: Callable[[int], int | None]
) -> dict[Part, Badge]:
    """The badges of those nodes and edges that have problems.

    Args:
        problems: What is wrong with the graph.
        edges: Its edges.
        position: Where among them the edge is that a problem names by its own count.
    """
    counts: dict[Part, list[int]] = {}
    for problem in problems:
        place = problem.place
        parts: set[Part] = set() if place.node is None else {place.node}
        edge = position(place.edge) if place.edge is not None else None
        if edge is not None:
            parts |= {edge, edges[edge].source}
        for part in parts:
            counts.setdefault(part, [0, 0])[not problem.is_error] += 1
    return {part: Badge(*found) for part, found in counts.items()}
