"""The marks of breakpoints: the signs at the nodes and edges of a graph, and which of them was hit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .glyphs import BreakSign
from .run_marks import Part

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge
    from stepgraph.runs.debug.breakpoint import Breakpoint

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
    """Tell whether a breakpoint on an edge means this one."""
    ends = (breakpoint.node, breakpoint.target) == (edge.source, edge.target)
    return ends and breakpoint.label in (None, edge.describe())


def _parts_of(breakpoint: Breakpoint, edges: Iterable[Edge]) -> Iterator[Part]:
    if breakpoint.kind == "edge":
        yield from (edge.index for edge in edges if leads(breakpoint, edge))
    elif breakpoint.node:
        yield breakpoint.node
