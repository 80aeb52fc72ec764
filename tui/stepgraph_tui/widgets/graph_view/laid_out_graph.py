"""A graph that is laid out: it is looked at row by row, and asked what lies where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal, cast

from textual.geometry import Offset, Region

from .part_mapping import Kind, PartMapping, join_renamings
from .picture_rows import PictureRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepgraph.graphs.parts import Edge
    from stepgraph_tui.drawing import Box, Diagram, Picture
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .part_mapping import Names

_NEAR = 2  # layers: so far off is what still counts as beside a box whose own layer ends there


class LaidOutGraph:
    """A picture of a graph, and what it was made of.

    The graph may be edited while its old picture is still on the screen. ``outdate`` tells so; from then on
    it is asked, and answers, about the parts of the graph as it is now. Only ``boxes``, ``picture`` and
    ``rows`` speak of it as it was drawn.

    Args:
        drawing: The graph with its texts.
        diagram: What of it was laid out.
        picture: Its layout.
        rows: The rows of the same picture, if they were made before.
        refused: Why there is no picture, though there is a graph; else empty.
    """

    def __init__(
        self,
        drawing: GraphDrawing,
        diagram: Diagram,
        picture: Picture,
        rows: PictureRows | None = None,
        *,
        refused: str = "",
    ) -> None:
        self.drawing, self.diagram, self.picture, self.refused = drawing, diagram, picture, refused
        self.rows = rows or PictureRows(picture, drawing.glyphs)
        self.boxes = {box.id: box for box in picture.boxes}
        """The boxes by their nodes."""
        self.routes = {route.edge: route for route in picture.routes}
        """The lines by their edges: some of the graph's, where only a part of it is drawn."""
        self.names: Names = {}
        """The nodes that have another name now."""
        self._edges: Sequence[Edge] | None = None  # as they are now; None as long as they are the same
        self._mapping: PartMapping | None = None
        self._starts = (
            sorted(box.x for box in picture.boxes),
            sorted(box.y for box in picture.boxes),
        )
        self._ends = (
            sorted(box.x + box.width for box in picture.boxes),
            sorted(box.y + box.height for box in picture.boxes),
        )

    # After an edit

    def outdate(self, edges: Sequence[Edge], names: Names) -> None:
        """Tell that the graph was edited.

        Args:
            edges: Its edges now.
            names: The nodes that were renamed.
        """
        self.names = join_renamings(self.names, names)
        self._edges, self._mapping = edges, None

    def now(self, part: Kind) -> Kind | None:
        """Map a part that is drawn here to what it is by now; None when that is not known."""
        return part if self._edges is None else self._since(self._edges).now(part)

    def edges_of(self, line: int) -> tuple[int, ...]:
        """List the edges that a line stands for, by what they are now, as far as that is known."""
        edges = self.drawing.drawn.at(line)
        if self._edges is None:
            return edges
        found = (self.now(edge) for edge in edges)
        return tuple(edge for edge in found if edge is not None)

    def then(self, part: Kind) -> Kind | None:
        """Map a part of the graph to its box or line here; None when it has none, or that is not known."""
        then = part if self._edges is None else self._since(self._edges).then(part)
        if then is None:
            return None
        drawn = self.drawing.drawn.first.get(then, then) if isinstance(then, int) else then
        return cast("Kind", drawn) if drawn in self.boxes or drawn in self.routes else None

    def _since(self, edges: Sequence[Edge]) -> PartMapping:
        if self._mapping is None:
            self._mapping = PartMapping(self.drawing.edges, edges, self.names)
        return self._mapping

    # Where things are

    def has(self, part: Part) -> bool:
        """Tell whether a node or an edge is drawn here."""
        return self.then(part) is not None

    def place_of(self, part: Part) -> Region:
        """Find the cells of a node, or those of an edge's label; without one, where the edge begins.

        Args:
            part: One that is drawn here.
        """
        then = self.then(part)
        if isinstance(then, str):
            box = self.boxes[then]
            return Region(box.x, box.y, box.width, box.height)
        assert then is not None  # noqa: S101  # as promised
        label = self.routes[then].label
        if label is not None:
            return Region(label.x, label.y, label.width, 1)
        return Region(*self.routes[then].port, 1, 1)

    def at(self, x: int, y: int) -> Part | None:
        """Find what lies at a cell, or beside it: a node, else an edge."""
        near = [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
        found = [part for dy, dx in near if (part := self._exactly_at(x + dx, y + dy)) is not None]
        if found and isinstance(self._exactly_at(x, y), str):
            return self.now(found[0])
        edge = next((part for part in found if isinstance(part, int)), None)
        return self.now(edge) if edge is not None else None

    def _exactly_at(self, x: int, y: int) -> Part | None:
        for span in self.rows.spans(y, x, x + 1):
            return span.owner
        return None

    def lies(self, node: str, other: str, by: Literal[-1, 1]) -> Literal["straight", "aside", "elsewhere"]:
        """Tell whether a box lies further along the flow (1) or against it (-1), perhaps straight ahead."""
        then, there = self.then(node), self.then(other)
        if then is None or there is None:
            return "elsewhere"
        box, end = self.boxes[then], self.boxes[there]
        if (end.layer - box.layer) * by <= 0:
            return "elsewhere"
        (begin, behind), (start, stop) = self._across(box), self._across(end)
        return "straight" if begin < stop and start < behind else "aside"

    def beside(self, node: str, by: Literal[-1, 1]) -> str | None:
        """Find the nearest box before a node's own or after it, across the flow.

        It is the neighbour in the node's layer; where that has none, the nearest of the layers around it.
        """
        then = self.then(node)
        if then is None:
            return None
        own = self.boxes[then]
        begin, end = self._across(own)

        def gap(box: Box) -> int:
            return self._across(box)[0] - end if by > 0 else begin - self._across(box)[1]

        near = [box for box in self.picture.boxes if abs(box.layer - own.layer) <= _NEAR and gap(box) >= 0]
        found = min(near, key=lambda box: (abs(box.layer - own.layer), gap(box)), default=None)
        return self.now(found.id) if found is not None else None

    def _across(self, box: Box) -> tuple[int, int]:
        """Measure where a box begins and ends across the flow."""
        if self.picture.direction == "TB":
            return box.x, box.x + box.width
        return box.y, box.y + box.height

    @property
    def parts(self) -> Iterator[Part]:
        """All nodes and edges in the order of reading: line by line."""
        found = (self.now(part) for part in self._parts)
        return (part for part in found if part is not None)

    @cached_property
    def _parts(self) -> list[Part]:
        boxes = [(box.y, box.x, box.id) for box in self.picture.boxes]
        routes: list[tuple[int, int, Part]] = []
        for route in self.picture.routes:
            x, y = (route.label.x, route.label.y) if route.label is not None else route.port
            routes.append((y, x, route.edge))
        drawn = self.drawing.drawn
        parts = (part for *_, part in sorted([*boxes, *routes], key=lambda place: place[:2]))
        return [one for part in parts for one in (drawn.at(part) if isinstance(part, int) else (part,))]

    def seen_nodes(self, seen: Region) -> list[str]:
        """List the nodes that lie wholly in a part of the picture, from the top down."""
        boxes = [
            box
            for box in self.picture.boxes
            if seen.y <= box.y
            and box.y + box.height <= seen.bottom
            and seen.x <= box.x
            and box.x + box.width <= seen.right
        ]
        names = (self.now(box.id) for box in sorted(boxes, key=lambda box: (box.y, box.x)))
        return [name for name in names if name is not None]

    def beyond(self, seen: Region) -> tuple[int, int, int, int]:
        """Count the nodes that reach above, below, to the left and to the right of a part of the picture."""
        count = len(self.boxes)
        (left, top), (right, bottom) = self._starts, self._ends
        return (
            bisect_left(top, seen.y),
            count - bisect_right(bottom, seen.bottom),
            bisect_left(left, seen.x),
            count - bisect_right(right, seen.right),
        )


def anchored(
    old: LaidOutGraph, shift: Offset, seen: Region, wanted: Iterable[str], new: LaidOutGraph
) -> Offset | None:
    """Find where the first cell of a new picture belongs, so that what is looked at stays where it is.

    Args:
        old: The picture that is on the screen.
        shift: Where its first cell is.
        seen: The part of it that is seen.
        wanted: The nodes that matter most, the first before the others; of those that are seen in the old
            picture, one stays at its place, else the topmost of all.
        new: The picture after the edit.

    Returns:
        None when no node that is seen is in both.
    """
    there = [node for node in old.seen_nodes(seen) if new.has(node)]
    node = next((node for node in wanted if node in there), there[0] if there else None)
    if node is None:
        return None
    return old.place_of(node).offset + shift - new.place_of(node).offset
