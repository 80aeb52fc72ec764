"""The mouse on a picture: it pulls the picture along, and draws an edge from one node's box to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.geometry import Offset, Region

from stepgraph.graphs.parts import END

from ...drawing.picture.glyphs import DOWN, LEFT, RIGHT, UP
from ...drawing.picture.run_marks import Part

if TYPE_CHECKING:
    from textual.events import MouseEvent
    from textual.timer import Timer
    from textual.widget import Widget

    from ...drawing.picture.glyphs import Glyphs
    from .marked_graph import MarkedGraph
    from .viewport import Viewport


_CAME_FROM = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


class RubberBand:
    """A straight line or one with a bend, in the cells of a picture.

    Args:
        source: The box that it leaves; no line is seen as long as it ends in there, or in a box that
            touches it at the side where the line would leave.
        end: The cell that it leads to.
        target: The box that the cell lies in, if any; the line ends before it.
        glyphs: The characters to draw with.
    """

    def __init__(self, source: Region, end: Offset, target: Region | None, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._way = _way(source, end)
        """The side of the box that it leaves; 0 where there is nothing to see."""
        if self._way in (UP, DOWN):
            x = min(max(end.x, source.x + 1), max(source.x, source.right - 2))
            self._begin = Offset(x, source.bottom if self._way == DOWN else source.y - 1)
        else:
            self._begin = Offset(source.right if self._way == RIGHT else source.x - 1, end.y)
        if target is not None:
            if target.contains_point(self._begin):
                self._way = 0  # the boxes touch: no cell is left between them
            end = _before(target, self._begin, end)
        self._end = end
        self._left, self._right = sorted((self._begin.x, end.x))
        self._top, self._bottom = sorted((self._begin.y, end.y))

    @property
    def regions(self) -> Iterator[Region]:
        """The cells that it takes: an upright part and a level one, as far as there are such."""
        if self._way:
            yield Region(self._begin.x, self._top, 1, self._bottom - self._top + 1)
            yield Region(self._left, self._end.y, self._right - self._left + 1, 1)

    def text(self, y: int) -> tuple[int, str] | None:
        """Find where it begins in a row, and what stands there; None where the row has none of it."""
        if not self._way or not self._top <= y <= self._bottom:
            return None
        lines, heads = self._glyphs.heavy_lines, self._glyphs.heads
        if y != self._end.y:
            return self._begin.x, lines[UP | DOWN]
        length = self._right - self._left
        if not length:
            return self._left, heads[self._way]
        side = RIGHT if self._end.x > self._begin.x else LEFT
        first = lines[_CAME_FROM[self._way] | side]
        run = lines[LEFT | RIGHT] * (length - 1)
        return self._left, first + run + heads[RIGHT] if side == RIGHT else heads[LEFT] + run + first


def _way(source: Region, end: Offset) -> int:
    if source.contains_point(end):
        return 0
    if end.y >= source.bottom:
        return DOWN
    if end.y < source.y:
        return UP
    return RIGHT if end.x >= source.right else LEFT


def _before(target: Region, begin: Offset, end: Offset) -> Offset:
    """Find the cell beside a box where a line from somewhere comes to it."""
    if begin.x < target.x:
        return Offset(target.x - 1, end.y)
    if begin.x >= target.right:
        return Offset(target.right, end.y)
    return Offset(begin.x, target.y - 1 if begin.y < target.y else target.bottom)


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


Target = Literal["start", "end", "out", "in"]
"""Where a key goes in a graph: to its start, to its END, or to the next edge out of a node or into it."""


@dataclass(slots=True)
class Hits:
    """What was found, in the order of reading; after the last comes the first."""

    parts: Sequence[Part] = ()
    at: int = 0
    """Which of them is looked at."""

    @classmethod
    def of(cls, text: str, texts: Iterable[tuple[Part, str]], near: Part | None) -> Hits:
        """Look for a text, whatever its case, from a node or an edge on; for nothing when it is empty."""
        wanted = text.casefold()
        found: list[Part] = []
        first: int | None = None
        for part, said in texts:
            if part == near:
                first = len(found)
            if wanted and wanted in said.casefold():
                found.append(part)
        return cls(found, (first or 0) % max(1, len(found)))

    @property
    def part(self) -> Part | None:
        """What is looked at; None when nothing was found."""
        return self.parts[self.at] if self.parts else None

    def turn(self, by: int) -> None:
        """Look at the next one, or the one before."""
        self.at = (self.at + by) % max(1, len(self.parts))

    def __str__(self) -> str:
        return f"{self.at + 1} of {len(self.parts)}" if self.parts else "not found"


class GraphSelection:
    """The selected node, or one of its edges, and the hits of a search.

    Args:
        marked: The graph.
        say: Called when the person at the keyboard has selected something.
        findable: The nodes and edges in the order of reading, with their texts.
        put: Called with each selected node before it is shown, for a display that has a cursor of its own.
    """

    def __init__(
        self,
        marked: MarkedGraph,
        *,
        say: Callable[[], object],
        findable: Callable[[], Iterable[tuple[Part, str]]],
        put: Callable[[str | None], None] = lambda node: None,
    ) -> None:
        self._marked, self._say, self._findable, self._put = marked, say, findable, put
        self._hits = Hits()

    @property
    def node(self) -> str | None:
        """The selected node; where an edge is selected, the end of it that one came from."""
        return self._marked.scene.node

    @property
    def edge(self) -> int | None:
        """The selected edge, as the file counts them."""
        edge = self._marked.scene.edge
        return self._marked.wiring.edges[edge].index if edge is not None else None

    def select(self, node: str) -> None:
        """Select a node and bring it into view, without saying so."""
        if self._marked.has(node):
            self._show(node, None)

    def select_edge(self, count: int) -> None:
        """Select an edge, as the file counts them, and bring it into view, without saying so."""
        edge = self._marked.position_of(count)
        if edge is not None:
            self._show(self._end_of(edge), edge)

    def _end_of(self, edge: int) -> str:
        """Choose the end that an edge is selected from: the selected node if it is one of them."""
        ends = self._marked.ends(edge)
        return self.node if self.node is not None and self.node in ends else ends[0]

    def _show(self, node: str | None, edge: int | None) -> None:
        scene, display = self._marked.scene, self._marked.display
        self._put(node)
        before = scene.node, scene.edge
        scene.node, scene.edge = node, edge
        display.touch({part for part in (*before, node, edge) if part is not None})
        if scene.selected is not None:
            display.reveal(scene.selected)

    def choose(self, node: str | None, edge: int | None = None) -> None:
        """Select for the person at the keyboard, and say so."""
        if node is not None and (node, edge) != (self._marked.scene.node, self._marked.scene.edge):
            self._show(node, edge)
            self._say()

    def choose_part(self, part: Part) -> None:
        """Choose a node, or an edge from the selected end."""
        if isinstance(part, int):
            self.choose(self._end_of(part), part)
        else:
            self.choose(part)

    def go(self, to: Target) -> None:
        """Choose the node where a run begins, the END, or the next edge of the selected node."""
        if to == "start" and self._marked.graph is not None:
            self.choose(next(iter(self._marked.drawing.names), None))
        elif to == "end" and self._marked.has(END):
            self.choose(END)
        elif to in ("out", "in") and self.node is not None:
            edge = self._marked.wiring.next_edge(self.node, to, self._marked.scene.edge)
            if edge is not None:
                self.choose(self.node, edge)

    # Searching

    def find(self, text: str) -> str:
        """Choose the first match at or after what is selected, and mark all of them."""
        texts = [(part, said) for part, said in self._findable() if self._marked.has(part)]
        self._mark(Hits.of(text, texts, self._marked.scene.selected))
        return self._go_to_hit()

    def next(self, by: int) -> str:
        """Choose the next match or the one before."""
        self._hits.turn(by)
        return self._go_to_hit()

    def forget_hits(self) -> None:
        """Forget a search: the graph is another one, and nothing is marked in it."""
        self._hits = Hits()

    def end(self) -> bool:
        """Mark nothing any more; False where nothing was found."""
        searched = bool(self._hits.parts)
        self._mark(Hits())
        return searched

    def _mark(self, hits: Hits) -> None:
        scene = self._marked.scene
        marked = scene.hits
        self._hits, scene.hits = hits, frozenset(hits.parts)
        self._marked.display.touch({*marked, *scene.hits})

    def _go_to_hit(self) -> str:
        part = self._hits.part
        if isinstance(part, int):
            self.choose(self._marked.ends(part)[0], part)
        elif part is not None:
            self.choose(part)
        return str(self._hits)

    def back(self) -> bool:
        """End the search, else go from the edge back to its node; False where there is neither."""
        if self.end():
            return True
        on_edge = self._marked.scene.edge is not None
        if on_edge:
            self.choose(self.node)
        return on_edge

    # Copying

    def copied(self) -> str | None:
        """Copy the name of the node, or the text of the edge; its ends when it has none."""
        edge = self._marked.scene.edge
        if edge is None:
            return self.node
        return self._marked.drawing.texts[edge] or " -> ".join(self._marked.ends(edge))

    def copied_path(self) -> str | None:
        """Copy where the node or the edge is in the graph file."""
        if self.edge is not None:
            return f"edges[{self.edge}]"
        return f"nodes.{self.node}" if self.node not in (None, END) else None
