"""A graph as a diagram shows it: boxes with texts, arrows with texts, and what a run has marked."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..graphs.parts import END
from ..stores.ledger import RunStatus
from .edge_texts import asked_by, edge_text

if TYPE_CHECKING:
    from ..runs.run import Run
    from ..runs.trail import Trail
    from .export import Exportable

Mark: TypeAlias = Literal["done", "next", "waits", "failed"]
START = "START"
"""What stands in a diagram for where a run begins."""
_STANDING: dict[RunStatus, Mark] = {
    RunStatus.READY: "next",
    RunStatus.PAUSED: "waits",
    RunStatus.FAILED: "failed",
}
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A box."""

    id: str
    """A word that no other box has."""
    name: str
    type: str
    mark: Mark | None = None
    visits: int = 0


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An arrow between two boxes, by their words."""

    source: str
    target: str
    text: str
    times: int = 0
    """How often a run took it."""


@dataclass(frozen=True)
class DrawnGraph:
    """A graph in the words of its boxes; all texts are masked."""

    name: str
    start: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    ended: bool = False
    """Whether a run has come to END."""

    @cached_property
    def has_run(self) -> bool:
        """Whether a run has marked it."""
        return any(node.mark is not None for node in self.nodes)


def drawn_graph(source: Exportable, keywords: Container[str]) -> DrawnGraph:
    """Put a graph into boxes and arrows.

    Args:
        source: The graph, perhaps with a run.
        keywords: Words that no box may have, in small letters.
    """
    graph, mask = source.graph, source.mask
    names = {name: mask.text(name) for name in graph.nodes}
    ids = _ids(names, keywords)
    trail, run = source.trail(), source.run
    step, marks = (run.step, _marks(run, trail)) if run is not None else (0, dict[str, Mark]())
    nodes = tuple(
        DrawnNode(ids[name], names[name], entry.type, marks.get(name), trail.times(name, step))
        for name, entry in graph.nodes.items()
    )
    edges = tuple(
        DrawnEdge(
            ids[edge.source],
            ids.get(edge.target, END),
            mask.text(edge_text(edge.label, asked_by(edge.condition))),
            trail.times(position, step),
        )
        for position, edge in enumerate(graph.edges)
    )
    ended = run is not None and trail.reached(END, step)
    return DrawnGraph(mask.text(graph.name), ids[graph.start], nodes, edges, ended)


def _marks(run: Run, trail: Trail) -> dict[str, Mark]:
    """Mark where a run has been, and where it stands."""
    marks: dict[str, Mark] = {part: "done" for part in trail.parts if isinstance(part, str)}
    if run.current is not None and run.status in _STANDING:
        marks[trail.shown(run.current) or run.current] = _STANDING[run.status]
    return marks


def _ids(names: dict[str, str], keywords: Container[str]) -> dict[str, str]:
    """Give each node a word: its name where that is one, so that a diagram differs where its graph does."""
    ids: dict[str, str] = {}
    taken = {START, END}
    for name, shown in names.items():
        if _WORD.fullmatch(shown) and shown.lower() not in keywords and shown not in taken:
            ids[name] = shown
            taken.add(shown)
    number = 0
    for name in names:
        if name not in ids:
            number += 1
            while f"n{number}" in taken:
                number += 1
            ids[name] = f"n{number}"
    return {name: ids[name] for name in names}
