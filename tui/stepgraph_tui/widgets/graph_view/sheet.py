"""A graph laid out, ready to be looked at row by row and asked what lies where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from textual.geometry import Region

from stepgraph_tui.drawing import lay_out
from stepgraph_tui.drawing.from_graph import GraphDrawing

from .rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph_tui.drawing import Direction, Picture
    from stepgraph_tui.drawing.glyphs import Glyphs
    from stepgraph_tui.drawing.trail import Part
    from stepgraph_tui.drawing.zoom import Zoom


class Sheet:
    """A picture of a graph, and what it was made of.

    Args:
        drawing: The graph with its texts.
        picture: Its layout.
    """

    def __init__(self, drawing: GraphDrawing, picture: Picture) -> None:
        self.drawing, self.picture = drawing, picture
        self.rows = Rows(picture, drawing.glyphs)
        self.boxes = {box.id: box for box in picture.boxes}
        """The boxes by their nodes."""
        self.back = frozenset(route.edge for route in picture.routes if route.back)
        """The edges that lead against the flow."""
        self._starts = (
            sorted(box.x for box in picture.boxes),
            sorted(box.y for box in picture.boxes),
        )
        self._ends = (
            sorted(box.x + box.width for box in picture.boxes),
            sorted(box.y + box.height for box in picture.boxes),
        )

    @classmethod
    def of(
        cls,
        graph: StateGraph | CompiledGraph,
        zoom: Zoom,
        direction: Direction,
        glyphs: Glyphs,
        previous: Sequence[str] = (),
    ) -> Sheet:
        """Lay a graph out.

        Args:
            graph: The graph; broken ones are drawn as far as they are told.
            zoom: The level of detail.
            direction: Which way the edges flow.
            glyphs: The characters to draw with.
            previous: The order of the picture before an edit.
        """
        drawing = GraphDrawing(graph, zoom=zoom, glyphs=glyphs)
        return cls(drawing, lay_out(drawing.diagram(direction, previous)))

    def place_of(self, part: Part) -> Region:
        """The cells of a node, or those of an edge's label; without one, where the edge begins."""
        if isinstance(part, str):
            box = self.boxes[part]
            return Region(box.x, box.y, box.width, box.height)
        label = self.picture.routes[part].label
        if label is not None:
            return Region(label.x, label.y, label.width, 1)
        return Region(*self.picture.routes[part].port, 1, 1)

    def at(self, x: int, y: int) -> Part | None:
        """What lies at a cell, or beside it: a node, else an edge."""
        near = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
        found = [part for dy, dx in near if (part := self._exactly_at(x + dx, y + dy)) is not None]
        if found and isinstance(self._exactly_at(x, y), str):
            return found[0]
        return next((part for part in found if isinstance(part, int)), None)

    def _exactly_at(self, x: int, y: int) -> Part | None:
        for piece in self.rows.pieces(y, x, x + 1):
            return piece.owner
        return None

    @cached_property
    def parts(self) -> list[Part]:
        """All nodes and edges in the order of reading: line by line."""
        places = {part: self.place_of(part) for part in (*self.boxes, *range(len(self.picture.routes)))}
        return sorted(places, key=lambda part: (places[part].y, places[part].x))

    def has(self, part: Part) -> bool:
        """Whether the picture has a node or an edge."""
        return part in self.boxes if isinstance(part, str) else part < len(self.picture.routes)

    def beyond(self, seen: Region) -> tuple[int, int, int, int]:
        """How many nodes reach above, below, to the left and to the right of a part of the picture."""
        count = len(self.boxes)
        (left, top), (right, bottom) = self._starts, self._ends
        return (
            bisect_left(top, seen.y),
            count - bisect_right(bottom, seen.bottom),
            bisect_left(left, seen.x),
            count - bisect_right(right, seen.right),
        )
