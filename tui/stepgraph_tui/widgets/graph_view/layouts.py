"""The layouts of a graph that is edited: each is made once, a small one at once, a large one in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from stepgraph_tui.drawing import Direction, lay_out
from stepgraph_tui.drawing.picture.graph_drawing import Subgraph
from stepgraph_tui.drawing.picture.node_content import Zoom

from .laid_out_graph import LaidOutGraph

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

    from stepgraph_tui.drawing import Diagram, Picture
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

    from .part_mapping import Names

_PATIENCE = 0.1  # seconds that a layout waits for a frame at the most
AT_ONCE = 60
"""Nodes; with so many a layout takes some 15 ms."""


class Wanted(NamedTuple):
    """What a layout is asked for."""

    zoom: Zoom
    direction: Direction
    part: Subgraph | None = None
    """What is to be drawn of the graph; None for all of it."""


Answer = Callable[[LaidOutGraph], None]


def lay_out_graph(
    drawing: GraphDrawing,
    direction: Direction,
    order: Sequence[str] = (),
    before: LaidOutGraph | None = None,
    names: Names | None = None,
) -> LaidOutGraph:
    """Lay a graph out, or take over a layout that is still right.

    Args:
        drawing: The graph in some detail; broken ones are drawn as far as they are told.
        direction: Which way the edges flow.
        order: The order of the picture before an edit.
        before: A layout from before an edit, in the same detail and direction.
        names: The nodes that have another name than there.
    """
    diagram = drawing.diagram(direction, order)
    if before is None:
        return LaidOutGraph(drawing, _laid_out(drawing, diagram))
    old = before.drawing.diagram(direction)
    if not names and (old.nodes, old.edges) == (diagram.nodes, diagram.edges):
        return LaidOutGraph(drawing, before.picture, before.rows)
    if names and _renamed(old, names) == replace(diagram, previous=()):
        return LaidOutGraph(drawing, _relabelled(before.picture, names))
    return LaidOutGraph(drawing, _laid_out(drawing, diagram))


def _laid_out(drawing: GraphDrawing, diagram: Diagram) -> Picture:
    """Lay a diagram out; where it is a part of the graph, its lines are known as those of the whole."""
    picture = lay_out(diagram)
    if drawing.part is None:
        return picture
    edges = drawing.drawn_edges
    routes = tuple(replace(route, edge=edges[route.edge]) for route in picture.routes)
    return replace(picture, routes=routes)


def _renamed(diagram: Diagram, names: Names) -> Diagram:
    return replace(
        diagram,
        nodes=[replace(node, id=names.get(node.id, node.id)) for node in diagram.nodes],
        edges=[
            replace(e, source=names.get(e.source, e.source), target=names.get(e.target, e.target))
            for e in diagram.edges
        ],
    )


def _relabelled(picture: Picture, names: Names) -> Picture:
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
        self._order: Sequence[str] = ()
        self._made: dict[Wanted, LaidOutGraph] = {}  # of parts of the graph only that drawn last
        self._before: dict[Wanted, LaidOutGraph] = {}  # of former versions, the latest of each kind
        self._waits: tuple[Wanted, Answer] | None = None
        self._is_busy = False

    @property
    def is_working(self) -> bool:
        """Whether what was asked for last is on its way."""
        return self._waits is not None

    def renew(self, drawing: GraphDrawing, shown: LaidOutGraph | None, names: Names) -> None:
        """Take another graph to lay out; all that was laid_out out before is out of date.

        Args:
            drawing: The graph.
            shown: What is on the screen; nodes that it has keep their order among themselves.
            names: The nodes of the graph before that have another name now.
        """
        self._before |= {key: made for key, made in self._made.items() if key.part is None}
        self._made = {}
        for laid_out in {*self._before.values(), *([shown] if shown is not None else [])}:
            laid_out.outdate(drawing.edges, names)
        if shown is not None and shown.drawing.part is None:
            self._order = shown.order
        self._drawing = drawing
        self._waits = None

    def _is_small(self, part: Subgraph | None) -> bool:
        """Tell whether layouts are made at once."""
        nodes = part.nodes if part is not None else self._drawing.names if self._drawing is not None else ()
        return len(nodes) <= AT_ONCE

    def now(self, key: Wanted) -> LaidOutGraph | None:
        """Make a layout while the caller waits; None without a graph."""
        if self._drawing is None:
            return None
        if key not in self._made:
            self._keep(key, self._job(self._drawing, key)())
        return self._made[key]

    def _keep(self, key: Wanted, laid_out: LaidOutGraph) -> None:
        self._made = {one: made for one, made in self._made.items() if one.part in (None, key.part)}
        self._made[key] = laid_out

    def ask(self, key: Wanted, answer: Answer) -> None:
        """Hand over a layout, now or later."""
        drawing, waited = self._drawing, self.is_working
        self._waits = None
        if self._is_small(key.part) or key in self._made:
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
                self._keep(key, laid_out)
            if self._waits is not None:
                self.ask(*self._waits)

        self._in_thread(self._job(drawing, key), take)

    def fitting(self, zooms: Sequence[Zoom], direction: Direction, part: Subgraph | None, size: Size) -> Zoom:
        """Choose the first detail in which the picture of a small graph fits; else the last one."""
        for zoom in zooms if self._is_small(part) else ():
            laid_out = self.now(Wanted(zoom, direction, part))
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
        (zoom, direction, part), before, order = key, self._before.get(key), self._order
        if part is not None:  # its nodes stand as they do in the whole
            order = next((made.order for one, made in self._made.items() if one.part is None), order)
        names = before.names if before is not None else {}
        return lambda: lay_out_graph(drawing.at(zoom, part), direction, order, before, names)
