"""A graph that is laid out: it is looked at row by row, and asked what lies where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from textual.geometry import Offset, Region

from ...drawing import Direction, Picture, TooLargeToDrawError, lay_out
from ...drawing.model import Zoom
from .marks import Kind, PartMapping, join_renamings
from .picture_rows import PictureRows

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

    from stepgraph.graphs import Edge

    from ...drawing import Box, Diagram
    from ...drawing.picture.graph_drawing import GraphDrawing
    from ...drawing.picture.run_marks import Part
    from .marks import Names


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
        """Mark the layout as outdated by an edit.

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
        """Check whether a node or an edge is drawn here."""
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
        """Return whether a box lies further along the flow (1) or against it (-1), perhaps straight ahead."""
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

        It is the neighbor in the node's layer; where that has none, the nearest of the layers around it.
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


_PATIENCE = 0.1  # seconds that a layout waits for a frame at the most
AT_ONCE = 60
"""Nodes: with this many, and few edges for each, a layout takes some 15 ms."""
_EDGES = 3  # for each node
_KEPT = 8
"""Former layouts of each kind; undo gives back the very picture that there was."""


class Wanted(NamedTuple):
    """What a layout is asked for."""

    zoom: Zoom
    direction: Direction


Answer = Callable[[LaidOutGraph], None]


def lay_out_graph(
    drawing: GraphDrawing,
    direction: Direction,
    past: Iterable[LaidOutGraph] = (),
    shown: tuple[Picture, Names] | None = None,
) -> LaidOutGraph:
    """Lay a graph out, or take over a layout that is right: that of what an undo brings back, too.

    Args:
        drawing: The graph in some detail; broken ones are drawn as far as possible.
        direction: Which way the edges flow.
        past: The layouts from before the last edits, in the same detail and direction.
        shown: The picture that is to be changed as little as possible, and its nodes that are renamed.
    """
    diagram = drawing.diagram(direction)
    for old in past:
        if old.refused or old.drawing.drawn != drawing.drawn:
            continue  # the same lines may stand for other edges
        if (old.diagram.nodes, old.diagram.edges) == (diagram.nodes, diagram.edges):
            return LaidOutGraph(drawing, diagram, old.picture, old.rows)
        if old.names and _renamed(old.diagram, old.names) == diagram:
            return LaidOutGraph(drawing, diagram, _relabeled(old.picture, old.names))
    try:
        picture = lay_out(diagram if shown is None else replace(diagram, previous=_relabeled(*shown)))
    except TooLargeToDrawError as error:
        return LaidOutGraph(drawing, diagram, Picture(0, 0, direction, (), (), ()), refused=str(error))
    return LaidOutGraph(drawing, diagram, drawing.numbered(picture))


def _renamed(diagram: Diagram, names: Names) -> Diagram:
    return replace(
        diagram,
        nodes=[replace(node, id=names.get(node.id, node.id)) for node in diagram.nodes],
        edges=[
            replace(e, source=names.get(e.source, e.source), target=names.get(e.target, e.target))
            for e in diagram.edges
        ],
    )


def _relabeled(picture: Picture, names: Names) -> Picture:
    if not names:
        return picture
    return replace(
        picture,
        boxes=tuple(replace(box, id=names.get(box.id, box.id)) for box in picture.boxes),
        routes=tuple(
            replace(e, source=names.get(e.source, e.source), target=names.get(e.target, e.target))
            for e in picture.routes
        ),
        order=tuple(names.get(node, node) for node in picture.order),
    )


class Layouts:
    """The layouts of a graph by detail and direction, and those of what it was before the last edits.

    At most one is made in a thread at any time. Of those that are asked for meanwhile only the last is made
    after it, and one of a graph that was edited meanwhile is thrown away.

    Args:
        widget: Where layouts are asked for; it runs the thread, and takes its answers.
        working: Called when what is asked for takes a while, and when it is there.
    """

    def __init__(self, widget: Widget, working: Callable[[], object] = lambda: None) -> None:
        self._widget, self._working = widget, working
        self._drawing: GraphDrawing | None = None
        self._base: LaidOutGraph | None = None  # the whole before; changed as little as possible
        self._made: dict[Wanted, LaidOutGraph] = {}
        self._past: dict[Wanted, deque[LaidOutGraph]] = {}  # the latest first
        self._waits: tuple[Wanted, Answer] | None = None
        self._is_busy = False

    @property
    def is_working(self) -> bool:
        """Whether what was asked for last is on its way."""
        return self._waits is not None

    def renew(self, drawing: GraphDrawing, shown: LaidOutGraph | None, names: Names) -> None:
        """Replace the graph to lay out; all that was laid out before is out of date.

        Args:
            drawing: The graph.
            shown: What is on the screen; it is to be changed as little as possible.
            names: The nodes of the graph before that have another name now.
        """
        for key, laid_out in self._made.items():
            self._past.setdefault(key, deque(maxlen=_KEPT)).appendleft(laid_out)
        self._made, self._base = {}, shown
        for old in {*chain(*self._past.values()), shown}:
            if old is not None:
                old.outdate(drawing.edges, names)
        self._drawing = drawing
        self._waits = None

    def start_afresh(self) -> None:
        """Forget the places in former pictures, if there are any."""
        if self._past:
            self._made, self._past, self._base = {}, {}, None

    @property
    def _is_small(self) -> bool:
        """Whether layouts are made at once."""
        if self._drawing is None:
            return True
        nodes, edges = self._drawing.names, self._drawing.edges
        return len(nodes) <= AT_ONCE and len(edges) <= _EDGES * AT_ONCE

    def now(self, key: Wanted) -> LaidOutGraph | None:
        """Compute a layout while the caller waits; None without a graph."""
        if self._drawing is None:
            return None
        if key not in self._made:
            self._made[key] = self._job(self._drawing, key)()
        return self._made[key]

    def ask(self, key: Wanted, answer: Answer) -> None:
        """Request a layout, now or later."""
        drawing, waited = self._drawing, self.is_working
        self._waits = None
        if self._is_small or key in self._made:
            laid_out = self.now(key)
            if laid_out is not None:
                answer(laid_out)
        elif drawing is not None:
            self._waits = key, answer
            if not self._is_busy:
                self._begin(drawing, key)
        if self.is_working != waited:
            self._working()

    def _begin(self, drawing: GraphDrawing, key: Wanted) -> None:
        self._is_busy = True

        def take(laid_out: LaidOutGraph) -> None:
            self._is_busy = False
            if self._drawing is drawing:
                self._made[key] = laid_out
            if self._waits is not None:
                self.ask(*self._waits)

        self._in_thread(self._job(drawing, key), take)

    def fitting(self, zooms: Sequence[Zoom], direction: Direction, size: Size) -> Zoom:
        """Choose the first detail in which the picture of a small graph fits; else the last one."""
        for zoom in zooms if self._is_small else ():
            laid_out = self.now(Wanted(zoom, direction))
            if laid_out is None or laid_out.picture.width > size.width:
                continue
            if laid_out.picture.height <= size.height:
                return zoom
        return zooms[-1]

    def _in_thread(self, make: Callable[[], LaidOutGraph], take: Answer) -> None:
        painted = Event()  # the thread would slow down the frame that is due now

        def work() -> None:
            painted.wait(_PATIENCE)
            self._widget.call_later(take, make())

        self._widget.call_after_refresh(painted.set)
        self._widget.run_worker(work, thread=True, group="layout")

    def _job(self, drawing: GraphDrawing, key: Wanted) -> Callable[[], LaidOutGraph]:
        """Prepare the work for a layout; it looks at nothing that changes meanwhile."""
        (zoom, direction), past, base = key, tuple(self._past.get(key, ())), self._base
        shown = (base.picture, base.names) if base is not None and not base.refused else None
        return lambda: lay_out_graph(drawing.at(zoom), direction, past, shown)
