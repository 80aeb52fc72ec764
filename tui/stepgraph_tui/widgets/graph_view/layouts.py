"""The layouts of a graph that is edited: each is made once, a small one at once, a large one in a thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from stepgraph_tui.drawing import Direction, Picture, TooLargeToDrawError, lay_out
from stepgraph_tui.drawing.picture.graph_drawing import Subgraph
from stepgraph_tui.drawing.picture.node_content import Zoom

from .laid_out_graph import LaidOutGraph

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.widget import Widget

    from stepgraph_tui.drawing import Diagram
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

    from .part_mapping import Names

_PATIENCE = 0.1  # seconds that a layout waits for a frame at the most
AT_ONCE = 60
"""Nodes; with so many, and few edges for each, a layout takes some 15 ms."""
_EDGES = 3  # for each node
_KEPT = 8
"""Former layouts of each kind; undo gives back the very picture that there was."""


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
    past: Iterable[LaidOutGraph] = (),
    shown: tuple[Picture, Names] | None = None,
) -> LaidOutGraph:
    """Lay a graph out, or take over a layout that is right: that of what an undo brings back, too.

    Args:
        drawing: The graph in some detail; broken ones are drawn as far as they are told.
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
            return LaidOutGraph(drawing, diagram, _relabelled(old.picture, old.names))
    try:
        picture = lay_out(diagram if shown is None else replace(diagram, previous=_relabelled(*shown)))
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


def _relabelled(picture: Picture, names: Names) -> Picture:
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
        self._made: dict[Wanted, LaidOutGraph] = {}  # of parts of the graph only that drawn last
        self._past: dict[Wanted, deque[LaidOutGraph]] = {}  # of the whole before, the latest first
        self._waits: tuple[Wanted, Answer] | None = None
        self._is_busy = False

    @property
    def is_working(self) -> bool:
        """Whether what was asked for last is on its way."""
        return self._waits is not None

    def renew(self, drawing: GraphDrawing, shown: LaidOutGraph | None, names: Names) -> None:
        """Take another graph to lay out; all that was laid out before is out of date.

        Args:
            drawing: The graph.
            shown: What is on the screen; it is to be changed as little as possible.
            names: The nodes of the graph before that have another name now.
        """
        whole = {key: made for key, made in self._made.items() if key.part is None}
        for key, laid_out in whole.items():
            self._past.setdefault(key, deque(maxlen=_KEPT)).appendleft(laid_out)
        self._made = {}
        if shown is None or shown.drawing.part is None:
            self._base = shown
        else:
            self._base = next(iter(whole.values()), self._base)
        for old in {*chain(*self._past.values()), shown, self._base}:
            if old is not None:
                old.outdate(drawing.edges, names)
        self._drawing = drawing
        self._waits = None

    def start_afresh(self) -> None:
        """Let nothing stay where it was in former pictures, if there are any."""
        if self._past:
            self._made, self._past, self._base = {}, {}, None

    def _is_small(self, part: Subgraph | None) -> bool:
        """Tell whether layouts are made at once."""
        if self._drawing is None:
            return True
        nodes, edges = part or (self._drawing.names, self._drawing.edges)
        return len(nodes) <= AT_ONCE and len(edges) <= _EDGES * AT_ONCE

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
        (zoom, direction, part), past, base = key, tuple(self._past.get(key, ())), self._base
        if part is not None:  # its nodes stand as they do in the whole
            base = next((made for one, made in self._made.items() if one.part is None), base)
        shown = (base.picture, base.names) if base is not None and not base.refused else None
        return lambda: lay_out_graph(drawing.at(zoom, part), direction, past, shown)
