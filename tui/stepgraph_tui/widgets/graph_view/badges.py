"""How much is wrong with each node and edge of a graph, counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from stepgraph.graph_parts import Edge
    from stepgraph.problems import Problem
    from stepgraph_tui.drawing.picture.glyphs import Glyphs
    from stepgraph_tui.drawing.picture.run_marks import Part


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
    errors: dict[Part, int] = {}
    warnings: dict[Part, int] = {}
    for problem in problems:
        place, counts = problem.place, errors if problem.is_error else warnings
        edge = position(place.edge) if place.edge is not None else None
        source = edges[edge].source if edge is not None else None
        if edge is not None:
            counts[edge] = counts.get(edge, 0) + 1
        if source is not None and source != place.node:
            counts[source] = counts.get(source, 0) + 1
        if place.node is not None:
            counts[place.node] = counts.get(place.node, 0) + 1
    parts = errors.keys() | warnings.keys()
    return {part: Badge(errors.get(part, 0), warnings.get(part, 0)) for part in parts}
