"""The input and the output of the layout: plain values in integer cells, for any painter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Direction = Literal["TB", "LR"]
"""Which way the edges flow: from top to bottom, or from left to right."""
Zoom = Literal["card", "compact", "chip"]
"""Name, type, status and the last visit on three lines; all on one line in a frame; the name alone."""

Point = tuple[int, int]
"""A cell: its column and its row."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A box to place."""

    id: str
    width: int
    """At least this many cells; the layout widens a box whose edges need more room."""
    height: int
    """At least this many rows."""
    framed: bool = True
    """Whether its outermost cells are a frame, on which ports are drawn."""


@dataclass(frozen=True, slots=True)
class DiagramEdge:
    """A line to route. Parallel edges and self-loops are welcome."""

    source: str
    target: str
    label: str = ""
    """One line of text, put on the line near its source."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A graph to lay out; every edge's ends are among the nodes."""

    nodes: Sequence[DiagramNode]
    """In declaration order; the first is where reading starts."""
    edges: Sequence[DiagramEdge]
    """In declaration order; each is known by its position."""
    direction: Direction = "TB"
    previous: Picture | None = None
    """The picture before an edit, in any direction: what did not change stays where it was in that."""


@dataclass(frozen=True, slots=True)
class Box:
    """A placed node."""

    id: str
    x: int
    y: int
    width: int
    height: int
    framed: bool
    layer: int
    """How many layers lie before it; boxes of one layer stand side by side."""

    def holds(self, point: Point) -> bool:
        """Check whether a cell is the box's."""
        return self.x <= point[0] < self.x + self.width and self.y <= point[1] < self.y + self.height


@dataclass(frozen=True, slots=True)
class Label:
    """An edge's text; it takes the place of the line that it lies on."""

    text: str
    x: int
    y: int
    width: int
    """In cells: a wide character takes two."""


@dataclass(frozen=True, slots=True)
class Route:
    """A routed edge: straight runs from a cell of the source's rim to the cell before the target."""

    edge: int
    """The edge's position in the diagram."""
    source: str
    target: str
    points: tuple[Point, ...]
    """The port, every bend, and the arrowhead's cell."""
    back: bool = False
    """Whether it leads against the flow."""
    label: Label | None = None

    @property
    def port(self) -> Point:
        """The cell of the source's rim that it leaves from."""
        return self.points[0]

    @property
    def head(self) -> Point:
        """The arrowhead's cell."""
        return self.points[-1]


@dataclass(frozen=True, slots=True)
class Picture:
    """A laid-out graph."""

    width: int
    height: int
    direction: Direction
    boxes: tuple[Box, ...]
    """In the order of the diagram's nodes."""
    routes: tuple[Route, ...]
    """In the order of the diagram's edges."""
    order: tuple[str, ...]
    """The nodes across the flow: from left to right, or from top to bottom for LR."""
    crossings: int = 0
    """How often lines cross from one layer to the next."""
