"""The graph as a picture to move about in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from textual import events, on
from textual.message import Message
from textual.reactive import reactive, var
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from ...commands import bindings
from ...drawing import Direction
from ...drawing.model import Zoom
from ...drawing.picture.glyphs import UNICODE, Glyphs
from ...drawing.picture.run_marks import NO_BREAKS, BreakMarks, Part
from ...text.cells import cell_len
from ...text.plain import plural
from ..chrome.pane import Pane
from .laid_out_graph import Layouts, Wanted
from .marks import MarkedGraph
from .mouse import GraphSelection, PictureMouse, Target
from .painter import GraphStyles
from .viewport import Viewport

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.values import Problem

    from ...drawing.outline import Side, Wiring
    from ...run_view import RunSnapshot
    from .laid_out_graph import LaidOutGraph
    from .marks import Names


Key = Literal["left", "down", "up", "right"]
"""Where somebody wants to go."""
Way = Literal["along", "against", "before", "after"]
"""The same as the graph has it: with the flow, against it, or to the neighbors across it."""

_WAYS: dict[Direction, dict[Key, Way]] = {
    "TB": {"down": "along", "up": "against", "left": "before", "right": "after"},
    "LR": {"right": "along", "left": "against", "up": "before", "down": "after"},
}


def way_of(key: Key, direction: Direction) -> Way:
    """Find what a key means in a picture that flows in a direction."""
    return _WAYS[direction][key]


def end_ahead(wiring: Wiring, laid_out: LaidOutGraph, node: str, side: Side, first: str | None) -> str | None:
    """Find the other end of the edge that a key follows from a node; None where there is only a self-loop.

    An edge whose box lies that way comes before one that leads elsewhere. Among these the one that is asked
    for is followed, then one to a box straight ahead, then the first in the order of the edges.

    Args:
        wiring: The edges.
        laid_out: The picture that somebody sees.
        node: Where to go from.
        side: Which edges to follow.
        first: The end that is asked for.
    """
    ends = [
        wiring.edges[edge].target if side == "out" else wiring.edges[edge].source
        for edge in wiring.at(node, side)
    ]
    by: Literal[-1, 1] = 1 if side == "out" else -1

    def rank(end: str) -> tuple[bool, bool, bool]:
        lies = laid_out.lies(node, end, by)
        return lies == "elsewhere", end != first, lies != "straight"

    return min((end for end in ends if end != node), key=rank, default=None)


class PictureCursor:
    """Moves the selection about in a picture; it knows where each node was come to from, along an edge.

    Args:
        marked: The graph, with what is selected of it.
    """

    def __init__(self, marked: MarkedGraph) -> None:
        self._marked = marked
        self._came: dict[str, str] = {}

    def rename(self, names: Names) -> None:
        """Know the nodes by their new names."""
        self._came = {names.get(to, to): names.get(come, come) for to, come in self._came.items()}

    def move(self, node: str, key: Key, laid_out: LaidOutGraph) -> str | None:
        """Find the node that a key leads to; None where there is none.

        Args:
            node: The selected node.
            key: Where somebody wants to go.
            laid_out: The picture that somebody sees.
        """
        edge, marks = self._marked.scene.edge, self._marked.scene.marks
        way = way_of(key, laid_out.picture.direction)
        found: str | None
        if way in ("before", "after"):
            return laid_out.beside(node, -1 if way == "before" else 1)
        if edge is not None:
            source, target = self._marked.ends(edge)
            if way == "against":
                return source
            node, found = source, target
        elif way == "against":
            return self._against(node, laid_out)
        else:
            fired = marks.trail.left_by(node, marks.step)
            first = self._marked.ends(fired)[1] if fired is not None else None
            found = end_ahead(self._marked.wiring, laid_out, node, "out", first)
        if found is not None:
            self._came[found] = node
        return found

    def _against(self, node: str, laid_out: LaidOutGraph) -> str | None:
        """Go back where the node was come to from, as long as an edge leads from there."""
        wiring, came = self._marked.wiring, self._came.get(node)
        if any(wiring.edges[edge].source == came for edge in wiring.at(node, "in")):
            return came
        return end_ahead(wiring, laid_out, node, "in", None)


_ZOOMS: tuple[Zoom, ...] = get_args(Zoom)  # from the most detail to the least
_TAB = 16  # cells of the pane's head that its tab and its line take
_ARROWS = {False: "↑↓←→", True: "^v<>"}  # by whether the screen is plain ASCII


class GraphView(Pane, ScrollView, inherit_bindings=False):
    """The graph as a picture: laid out once, moved about in by keys and by the mouse, marked by a run.

    One node is selected, and perhaps one of that node's edges.

    Args:
        glyphs: The characters to draw with.
        id: The widget's id.
    """

    BINDINGS = bindings("graph")
    DEFAULT_CSS = """
    GraphView {
        width: 1fr;
        height: 1fr;
        overflow: auto auto;
        scrollbar-size: 0 0;
    }
    """
    ALLOW_MAXIMIZE = False

    zoom: var[Zoom] = var[Zoom]("compact", init=False)
    """The level of detail."""
    direction: var[Direction] = var[Direction]("TB", init=False)
    """Which way the edges flow."""
    follow: var[bool] = var(True, init=False)
    """Whether the node that comes next is kept in view."""
    running: var[str | None] = var(None)
    """The node that runs now."""
    dimmed: var[Mapping[int, str]] = var[Mapping[int, str]](dict, init=False, always_update=True)
    """The edges that are never taken, by their count in the file, each with the reason in words."""
    marked: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes that somebody has marked, to do something with all of them."""
    pause_after: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes after which a continued run pauses."""
    breaks: var[BreakMarks] = var(NO_BREAKS, init=False, always_update=True)
    """The signs of breakpoints, at edges by their count in the file."""
    empty_hint: reactive[str] = reactive("", init=False)
    """What to do where the graph has no nodes, or where there is none."""
    refused_hint: reactive[str] = reactive("", init=False)
    """What to do where the graph is too large for a picture."""

    @dataclass
    class Selected(Message):
        """Somebody has selected a node, or one of its edges, in a pane."""

        pane: Widget
        node: str | None
        """The selected node; where an edge is selected, the end of it that one came from."""
        edge: int | None
        """The selected edge, as the file counts them; None when it is the node that is selected."""

    class Inspected(Message):
        """Somebody wants to see all of what is selected."""

    @dataclass
    class Told(Message):
        """A word for the person, about what a key could not do."""

        text: str

    class OutlineToggled(Message):
        """Somebody wants to see the outline, or not to see it any more."""

    class TooLarge(Message):
        """There is no picture of the graph: it has too many edges."""

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = MarkedGraph(glyphs)
        self._part_styles = GraphStyles(self)
        self.viewport = self.model.display = Viewport(
            self, self.model, self._part_styles, self._look_elsewhere
        )
        self.search = self.selection = GraphSelection(
            self.model,
            say=lambda: self.post_message(self.Selected(self, self.selection.node, self.selection.edge)),
            findable=self._findable,
        )
        self.mouse = PictureMouse(self, self.model, self.viewport)
        self._cursor = PictureCursor(self.model)
        self._layouts = Layouts(self, self._look_elsewhere)
        self._told = ""
        self.model.watch(self)
        for name, changed in {
            "zoom": self.lay_out,
            "direction": self.lay_out,
            "follow": self._look_elsewhere,
            "scroll_x": self._look_on,
            "scroll_y": self._look_on,
        }.items():
            self.watch(self, name, changed, init=False)
        self.watch(self, "zoom", self.refresh_bindings, init=False)

    # The graph and its layout

    def draw(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Sequence[Problem] | None = (),
        renamed: Names | None = None,
    ) -> None:
        """Draw a graph. What is selected or said of its parts stays so as far as the graph still has them.

        Args:
            graph: The graph; broken ones are drawn as far as possible.
            problems: What is wrong with it; None when that is not known yet.
            renamed: The nodes of the graph before that have another name now: the old with the new names.
        """
        names, before = renamed or {}, self.viewport.laid_out
        self.selection.forget_hits()
        self.model.take(graph, problems, names, self.moment)
        self._layouts.renew(self.model.drawing, before, names)
        self._cursor.rename(names)
        self.lay_out()
        if self.viewport.laid_out is before:
            self.viewport.repaint_all()  # it stays for a while, but the marks of its parts change
        self.marked = self.model.surviving(self.marked, names)

    @on(events.Mount)
    def lay_out(self) -> None:
        """Lay out what is to be drawn, now or in a thread."""
        if self.is_attached:
            self._layouts.ask(Wanted(self.zoom, self.direction), self._show_picture)

    def _show_picture(self, laid_out: LaidOutGraph) -> None:
        before = self.viewport.laid_out
        self.viewport.show(laid_out)
        if laid_out.refused and not (before is not None and before.refused):
            self.post_message(self.TooLarge())

    # What is shown of it

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the marks of a moment; the picture stays where it is."""
        self.model.show(moment)

    def render_line(self, y: int) -> Strip:
        """Paint a line of the screen."""
        return self.viewport.line(y, self._hint())

    def _hint(self) -> str:
        """Show a hint where there is no picture."""
        if self.model.graph is None:
            return self.empty_hint or "There is no graph to draw."
        laid_out = self.viewport.laid_out
        if laid_out is not None and laid_out.refused:
            return f"{laid_out.refused}. {self.refused_hint}"
        count = len(self.model.drawing.names)
        return f"Drawing {plural(count, 'node')}" if count else self.empty_hint or "The graph has no nodes."

    def notify_style_update(self) -> None:
        """Repaint everything in other colors."""
        super().notify_style_update()
        self.viewport.strips.clear()

    @on(events.Resize)
    def _resize(self) -> None:
        self.viewport.resize()

    def _look_on(self) -> None:
        self._look_elsewhere()
        self.viewport.ask_for_map()

    def _look_elsewhere(self) -> None:
        """Show in the pane's head what is visible, and how many nodes lie beyond it on each side."""
        laid_out = self.viewport.laid_out
        if laid_out is None or not self.size:
            return
        arrows = _ARROWS[self.model.glyphs.plain]
        beyond = zip(arrows, laid_out.beyond(self.viewport.seen), strict=True)
        where = "  ".join(f"{arrow} {count}" for arrow, count in beyond if count) or "all in view"
        if laid_out.refused:
            where = "not drawn"
        if self._layouts.is_working:
            where = f"drawing{self.model.glyphs.more}"
        follow = "follow   " if self.follow else ""
        text = f"{self.zoom}  {self.direction}  {follow}{where}"
        if cell_len(text) > self.size.width - _TAB:
            text = f"{follow}{where}"
        if text != self._told:
            self._told = text
            self.inform(text)

    # What is selected

    def _findable(self) -> Iterator[tuple[Part, str]]:
        """Yield the nodes by their names and the edges by their texts, line by line."""
        laid_out, drawing = self.viewport.laid_out, self.model.drawing
        if laid_out is None:
            return
        for part in laid_out.parts:
            if self.model.has(part):
                yield part, drawing.captions[part].name if isinstance(part, str) else drawing.texts[part]

    # What the keys do

    def action_move(self, key: Key) -> None:
        """Select a neighbor."""
        if self.viewport.laid_out is None or self.selection.node is None:
            self.selection.go("start")
        else:
            found = self._cursor.move(self.selection.node, key, self.viewport.laid_out)
            if found is not None:
                self.selection.choose(found)

    def action_go(self, to: Target) -> None:
        """Select the node where a run begins, the END, or the next edge of the selected node."""
        self.selection.go(to)

    def action_inspect(self) -> None:
        """Show all of what is selected."""
        if self.selection.node is not None:
            self.post_message(self.Inspected())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer more detail only where there is more, and less where there is less."""
        if action == "zoom":
            return self.zoom != _ZOOMS[0 if parameters == (1,) else -1]
        return super().check_action(action, parameters)

    def action_zoom(self, by: int) -> None:
        """Draw in more detail (1) or in less (-1)."""
        place = _ZOOMS.index(self.zoom) - by
        self.zoom = _ZOOMS[max(0, min(place, len(_ZOOMS) - 1))]

    def action_fit(self) -> None:
        """Draw afresh, in the most detail that fits, and go to the beginning."""
        self._layouts.start_afresh()
        self.zoom = self._layouts.fitting(_ZOOMS, self.direction, self.size)
        self.lay_out()
        self.viewport.scroll(0, 0)

    def action_turn(self) -> None:
        """Draw in the other direction."""
        self.direction = "LR" if self.direction == "TB" else "TB"

    def action_pan(self, across: float, down: float) -> None:
        """Move the picture on by some pages."""
        self.viewport.pan(across, down)

    def action_toggle_map(self) -> None:
        """Show where in the whole picture one is, or not."""
        refused = self.viewport.toggle_map()
        if refused:
            self.post_message(self.Told(refused))

    def action_toggle_outline(self) -> None:
        """Show the outline, or not."""
        self.post_message(self.OutlineToggled())

    # What every pane can do

    def back(self) -> bool:
        """End the search, or leave the edge."""
        return self.selection.back()

    def copied(self) -> str | None:
        """Copy the name of the node, or the text of the edge."""
        return self.selection.copied()

    def copied_path(self) -> str | None:
        """Copy where the node or the edge is in the graph file."""
        return self.selection.copied_path()

    # The mouse

    @on(events.MouseDown)
    @on(events.MouseMove)
    @on(events.MouseUp)
    def _lead(self, event: events.MouseEvent) -> None:
        if isinstance(event, events.MouseDown):
            self.mouse.press(event)
        elif isinstance(event, events.MouseMove):
            self.mouse.move(event)
        else:
            self.mouse.release()

    @on(events.Click)
    def _click(self, event: events.Click) -> None:
        """Select what lies there, or go where the map points; a second click shows all of it."""
        if self.viewport.go_by_map(event.get_content_offset(self)):
            return
        part = self.mouse.under(event)
        if part is None:
            return
        self.selection.choose_part(part)
        if event.chain == 2:
            self.action_inspect()
