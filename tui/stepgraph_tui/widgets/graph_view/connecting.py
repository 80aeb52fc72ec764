"""Drawing an edge with the mouse: from anywhere on one node's box to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Offset
from textual.reactive import var

from stepgraph.graphs.parts import END

from .canvas import Canvas
from .rubber import Rubber

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.values.problems import Problem

    from .moved import Names

_PACE = 0.05  # seconds between two pulls at the picture
_PULL = Offset(4, 2)  # cells that it moves each time


@dataclass(slots=True)
class _Drag:
    """A line on its way."""

    source: str
    pointer: Offset
    """Where the mouse is, from the pane's first cell."""
    has_left: bool = False
    """Whether it was outside the box of the source; as long as it was not, this may be a click."""


class Connecting(Canvas):
    """A canvas on which edges are drawn with the mouse, as long as it is told to be one."""

    connecting: var[bool] = var(False, init=False)
    """Whether a line can be drawn from a node; a click without moving selects all the same."""

    _drag: _Drag | None = None
    _over: bool = False  # a line was drawn with this press of the button: no click follows
    _pulling: Timer | None = None

    def watch_connecting(self) -> None:
        """Let go of a line that cannot be finished any more."""
        self._end_drag()

    def draw(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Sequence[Problem] | None = (),
        renamed: Names | None = None,
    ) -> None:
        """Draw a graph; a line on its way in the one before is forgotten."""
        self._end_drag()
        super().draw(graph, problems, renamed)

    def moved(self) -> None:
        """Keep the end of the line at the mouse, whatever lies there now."""
        super().moved()
        self._stretch()

    def back(self) -> bool:
        """Give up the line that is being drawn; else leave what was begun last."""
        return self._end_drag() or super().back()

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of a node."""
        self._over = False
        source = self.under(event) if self.connecting and event.button == 1 else None
        if isinstance(source, str) and source != END:
            self._drag = _Drag(source, event.get_content_offset_capture(self))
            self._pulling = self.set_interval(_PACE, self._pull)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Lead the line to where the mouse is."""
        if self._drag is not None:
            self._drag.pointer = event.get_content_offset_capture(self)
            self._stretch()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Connect the nodes if the line leads to one."""
        if self._drag is None:
            return
        self._drag.pointer = event.get_content_offset_capture(self)
        self._stretch()
        source, target = self._drag.source, self.scene.lit
        self._end_drag()
        if target is not None:
            self.post_message(self.Connected(source, target))

    def on_click(self, event: events.Click) -> None:
        """Select nothing at the end of a line."""
        if self._over:
            event.prevent_default()

    def on_mouse_release(self) -> None:
        """Give up the line when something else takes the mouse."""
        self._end_drag()

    def on_blur(self) -> None:
        """Give up the line when something else comes up."""
        self._end_drag()

    # The line

    def _end_drag(self) -> bool:
        """Forget the line; False where there is none."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        self._over = drag.has_left
        if self._pulling is not None:
            self._pulling.stop()
        self.release_mouse()
        self._show_line(None, None)
        return True

    def _stretch(self) -> None:
        """Draw the line anew, and light the node that it leads to."""
        drag, sheet = self._drag, self.sheet
        if drag is None or sheet is None:
            return
        if not sheet.has(drag.source):
            self._end_drag()
            return
        box, end = sheet.place_of(drag.source), drag.pointer - self.shift
        drag.has_left = drag.has_left or not box.contains_point(end)
        if not drag.has_left:
            return
        part = sheet.at(*end) if self.content_size.region.contains_point(drag.pointer) else None
        target = part if isinstance(part, str) and self.has(part) else None
        lit = sheet.place_of(target) if target is not None else None
        self._show_line(Rubber(box, end, lit, self.glyphs), target)

    def _show_line(self, line: Rubber | None, target: str | None) -> None:
        """Show a line and what it leads to; only the cells of the old one and of this one are painted."""
        scene = self.scene
        before, scene.rubber = scene.rubber, line
        for rubber in (before, line):
            if rubber is not None:
                self.repaint(rubber.regions)
        if target != scene.lit:
            changed = {node for node in (scene.lit, target) if node is not None}
            scene.lit = target
            self.touch(changed)

    def _pull(self) -> None:
        """Bring more of the picture into view while the mouse is at the edge of the pane."""
        drag = self._drag
        if drag is None or not drag.has_left:
            return
        (x, y), (width, height) = drag.pointer, self.size
        across = _PULL.x * ((x >= width - 1) - (x <= 0))
        down = _PULL.y * ((y >= height - 1) - (y <= 0))
        if across or down:
            self.scroll_at_once(self.scroll_offset.x + across, self.scroll_offset.y + down)
