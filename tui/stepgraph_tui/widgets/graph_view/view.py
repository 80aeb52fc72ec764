"""The graph as a picture to move about in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import TYPE_CHECKING, Literal, get_args

from rich.cells import cell_len
from textual import on
from textual.message import Message
from textual.reactive import var

from stepgraph_tui.drawing import Direction
from stepgraph_tui.drawing.picture.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.words.text import plural

from .connecting import Connecting
from .layouts import Layouts
from .movement import Key, against, along, way_of

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .moved import Names
    from .sheet import Sheet

_ZOOMS: tuple[Zoom, ...] = get_args(Zoom)  # from the most detail to the least
_PATIENCE = 0.1  # seconds that a layout waits for a frame at the most
_TAB = 16  # cells of the pane's head that its tab and its line take
_ARROWS = {False: "↑↓←→", True: "^v<>"}  # by whether the screen is plain ASCII


class GraphView(Connecting):
    """The graph as a picture: laid out once, moved about in by keys and by the mouse, marked by a run.

    Args:
        glyphs: The characters to draw with.
        id: The widget's id.
    """

    zoom: var[Zoom] = var[Zoom]("compact", init=False)
    """The level of detail."""
    direction: var[Direction] = var[Direction]("TB", init=False)
    """Which way the edges flow."""

    class LaidOut(Message):
        """A thread has laid a graph out."""

        def __init__(self, sheet: Sheet, take: Callable[[Sheet], None]) -> None:
            super().__init__()
            self.sheet = sheet
            self.take = take

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self._layouts = Layouts(self._in_thread)
        self._came: dict[str, str] = {}  # where each node was come to from, along an edge
        self._told = ""

    # The layout

    def drawn(self, names: Names) -> None:
        """Lay the new graph out; nodes that were there before keep their order among themselves."""
        before = self.sheet
        self._layouts.renew(self.drawing, before, names)
        self._came = {names.get(to, to): names.get(come, come) for to, come in self._came.items()}
        self._lay_out()
        if self.sheet is before:
            self.repaint_all()  # it stays for a while, but other things are to be said of its parts

    def on_mount(self) -> None:
        """Lay out what was to be drawn before."""
        self._lay_out()

    def _in_thread(self, make: Callable[[], Sheet], take: Callable[[Sheet], None]) -> None:
        painted = Event()  # the thread would slow down the frame that is due now

        def work() -> None:
            painted.wait(_PATIENCE)
            self.post_message(self.LaidOut(make(), take))

        self.call_after_refresh(painted.set)
        self.run_worker(work, thread=True, group="layout")

    @on(LaidOut)
    def _take(self, message: LaidOut) -> None:
        message.stop()
        message.take(message.sheet)

    def _lay_out(self) -> None:
        if self.is_attached:
            self._layouts.ask(self.zoom, self.direction, self.put)

    def watch_zoom(self) -> None:
        """Draw in another detail."""
        self._lay_out()

    def watch_direction(self) -> None:
        """Draw in another direction."""
        self._lay_out()

    def hint(self) -> str:
        """What to say where there is no picture."""
        if self.graph is None:
            return super().hint()
        count = len(self.drawing.names)
        return f"Drawing {plural(count, 'node')}" if count else self.empty_hint or "The graph has no nodes."

    # What the keys do

    def action_move(self, key: Key) -> None:
        """Select a neighbour."""
        if self.sheet is None or self.selected is None:
            self.action_select_start()
            return
        node, edge = self.selected, self.scene.edge
        way = way_of(key, self.sheet.picture.direction)
        if way == "along":
            self._go_along(node, edge)
        elif way == "against":
            came = self._came.get(node)
            before = against(self._wiring, node, came, self.sheet.back)
            self.choose(self._ends(edge)[0] if edge is not None else before)
        else:
            by: Literal[-1, 1] = -1 if way == "before" else 1
            self.choose(self.sheet.beside(node, by))

    def _go_along(self, node: str, edge: int | None) -> None:
        assert self.sheet is not None  # noqa: S101  # there is a picture to go along in
        if edge is not None:
            node, target = self._ends(edge)
        else:
            marks = self.scene.marks
            fired = marks.trail.left_by(node, marks.step)
            found = along(self._wiring, node, fired, self.sheet.back)
            if found is None:
                return
            target = found
        self._came[target] = node
        self.choose(target)

    def action_zoom(self, by: int) -> None:
        """Draw in more detail (1) or in less (-1)."""
        place = _ZOOMS.index(self.zoom) - by
        self.zoom = _ZOOMS[max(0, min(place, len(_ZOOMS) - 1))]

    def action_fit(self) -> None:
        """Draw in the most detail that fits, and go to the beginning."""
        self.zoom = next(filter(self._fits, _ZOOMS), _ZOOMS[-1])
        self.scroll_at_once(0, 0)

    def _fits(self, zoom: Zoom) -> bool:
        sheet = self._layouts.now(zoom, self.direction) if self._layouts.is_small else None
        return sheet is not None and (
            sheet.picture.width <= self.size.width and sheet.picture.height <= self.size.height
        )

    def action_turn(self) -> None:
        """Draw in the other direction."""
        self.direction = "LR" if self.direction == "TB" else "TB"

    # What is said

    def findable(self) -> Iterator[tuple[Part, str]]:
        """The nodes by their names and the edges by their texts, line by line."""
        if self.sheet is None:
            return
        for part in self.sheet.parts:
            if self.has(part):
                texts = self.drawing
                yield part, texts.captions[part].name if isinstance(part, str) else texts.texts[part]

    def watch_follow(self, follow: bool) -> None:
        """Say so, too."""
        super().watch_follow(follow)
        self.moved()

    def moved(self) -> None:
        """Tell the pane's head what is seen, and how many nodes lie beyond it on each side."""
        super().moved()
        if self.sheet is None or not self.size:
            return
        beyond = zip(_ARROWS[self.glyphs.plain], self.sheet.beyond(self.seen), strict=True)
        where = "  ".join(f"{arrow} {count}" for arrow, count in beyond if count) or "all in view"
        follow = "follow   " if self.follow else ""
        text = f"{self.zoom}  {self.direction}  {follow}{where}"
        if cell_len(text) > self.size.width - _TAB:
            text = f"{follow}{where}"
        if text != self._told:
            self._told = text
            self.inform(text)
