"""The mouse on a picture: it pulls the picture along, and draws an edge from one node's box to another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.geometry import Offset

from stepgraph.graphs.parts import END

from .rubber_band import RubberBand

if TYPE_CHECKING:
    from textual.events import MouseEvent
    from textual.timer import Timer
    from textual.widget import Widget

    from stepgraph_tui.drawing.picture.run_marks import Part

    from .marked_graph import MarkedGraph
    from .viewport import Viewport

_PACE = 0.05  # seconds between two pulls at the picture
_PULL = Offset(4, 2)  # cells that it moves each time


@dataclass(slots=True)
class EdgeDrag:
    """A line on its way from a node to the mouse."""

    source: str
    pointer: Offset
    """Where the mouse is, from the widget's first cell."""
    has_left: bool = False
    """Whether it was outside the box of the source; as long as it was not, this may be a click."""


class PictureMouse:
    """What is done with the mouse while its button is pressed.

    Args:
        widget: Where the picture is; it captures the mouse.
        marked: The graph.
        viewport: What is seen of the picture.
        connect: Called with two nodes when a line was drawn from one to the other.
    """

    def __init__(
        self,
        widget: Widget,
        marked: MarkedGraph,
        viewport: Viewport,
        connect: Callable[[str, str], object],
    ) -> None:
        self._widget, self._marked, self._viewport, self._connect = widget, marked, viewport, connect
        self.connects = False
        """Whether a line can be drawn from a node; a click without moving selects all the same."""
        self.over = False
        """Whether a line was drawn with this press of the button, so that no click follows."""
        self._grip: Offset | None = None  # where the mouse holds the picture
        self._drag: EdgeDrag | None = None
        self._pulling: Timer | None = None

    def under(self, event: MouseEvent) -> Part | None:
        """Find the node or the edge that the mouse points at."""
        part = self._viewport.part_at(event.get_content_offset(self._widget))
        return part if part is not None and self._marked.has(part) else None

    def press(self, event: MouseEvent) -> None:
        """Take hold of a node to connect it, or of the picture where nothing lies."""
        self.over = False
        if event.button != 1:
            return
        part = self.under(event)
        if part is None:
            self._grip = event.screen_offset
            self._widget.capture_mouse()
        elif self.connects and isinstance(part, str) and part != END:
            self._drag = EdgeDrag(part, event.get_content_offset_capture(self._widget))
            self._pulling = self._widget.set_interval(_PACE, self.pull_at_edge)
            self._widget.capture_mouse()

    def move(self, event: MouseEvent) -> None:
        """Lead the line to where the mouse is, or pull the picture along."""
        if self._drag is not None:
            self._drag.pointer = event.get_content_offset_capture(self._widget)
            self.stretch()
        if self._grip is not None:
            by = event.screen_offset - self._grip
            self._grip = event.screen_offset
            self._viewport.pull(by)

    def release(self, event: MouseEvent) -> None:
        """Connect the nodes if the line leads to one; let go of the picture."""
        if self._drag is not None:
            self._drag.pointer = event.get_content_offset_capture(self._widget)
            self.stretch()
        if self._drag is not None:
            source, target = self._drag.source, self._marked.scene.lit
            self.end_drag()
            if target is not None:
                self._connect(source, target)
        if self._grip is not None:
            self._grip = None
            self._widget.release_mouse()

    # The line

    def end_drag(self) -> bool:
        """Forget the line; False where there is none."""
        drag, self._drag = self._drag, None
        if drag is None:
            return False
        self.over = drag.has_left
        if self._pulling is not None:
            self._pulling.stop()
        self._widget.release_mouse()
        self._show_line(None, None)
        return True

    def stretch(self) -> None:
        """Draw the line anew to where the mouse is, and light the node that it leads to."""
        drag, laid_out = self._drag, self._viewport.laid_out
        if drag is None or laid_out is None:
            return
        if not laid_out.has(drag.source):
            self.end_drag()
            return
        box, end = laid_out.place_of(drag.source), drag.pointer - self._viewport.shift
        drag.has_left = drag.has_left or not box.contains_point(end)
        if not drag.has_left:
            return
        seen = self._widget.content_size.region.contains_point(drag.pointer)
        part = laid_out.at(*end) if seen else None
        target = part if isinstance(part, str) and self._marked.has(part) else None
        lit = laid_out.place_of(target) if target is not None else None
        self._show_line(RubberBand(box, end, lit, self._marked.glyphs), target)

    def _show_line(self, line: RubberBand | None, target: str | None) -> None:
        """Show a line and what it leads to; only the cells of the old one and of this one are painted."""
        scene = self._marked.scene
        before, scene.rubber = scene.rubber, line
        for rubber in (before, line):
            if rubber is not None:
                self._viewport.repaint(rubber.regions)
        if target != scene.lit:
            changed = {node for node in (scene.lit, target) if node is not None}
            scene.lit = target
            self._viewport.touch(changed)

    def pull_at_edge(self) -> None:
        """Bring more of the picture into view while a line is held at the edge of the widget."""
        drag = self._drag
        if drag is None or not drag.has_left:
            return
        (x, y), (width, height) = drag.pointer, self._widget.size
        across = _PULL.x * ((x <= 0) - (x >= width - 1))
        down = _PULL.y * ((y <= 0) - (y >= height - 1))
        if across or down:
            self._viewport.pull(Offset(across, down))
