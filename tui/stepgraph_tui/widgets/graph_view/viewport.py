"""The part of a picture that is seen: painted row by row, scrolled, and asked what lies under the mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.cache import LRUCache
from textual.geometry import Offset, Region, Size
from textual.strip import Strip

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.lines import wrapped

from .laid_out_graph import anchored
from .painter import Minimap, Painter

if TYPE_CHECKING:
    from textual.scroll_view import ScrollView

    from stepgraph_tui.drawing.picture.run_marks import Part

    from .laid_out_graph import LaidOutGraph
    from .marks import MarkedGraph
    from .painter import GraphStyles

_KEPT = 512  # painted rows
_MANY = 64  # parts; when this many change, all that is seen is repainted
_ACROSS, _DOWN = 4, 2  # cells that stay free around what is brought into view


class Viewport:
    """Shows a picture in a widget; only the rows that are seen are ever painted.

    Args:
        widget: The widget; it is scrolled and refreshed from here alone.
        model: The graph, with what there is to say of its parts.
        styles: What that looks like.
        moved: Called when another part of the picture may be seen.
    """

    def __init__(
        self,
        widget: ScrollView,
        model: MarkedGraph,
        styles: GraphStyles,
        moved: Callable[[], object],
    ) -> None:
        self._widget, self._model, self._styles = widget, model, styles
        self._moved = moved
        self.map: Minimap | None = None
        """Where in the whole picture one is; None before there is a picture."""
        self._wants_map: bool | None = None  # None when nobody said
        self._is_map_due = False
        self.laid_out: LaidOutGraph | None = None
        """The picture; None before there is one."""
        self.painter: Painter | None = None
        self.strips: LRUCache[int, tuple[int, int, Strip]] = LRUCache(_KEPT)
        self._to_reveal: Part | None = None  # as soon as it can be
        self._lean: int | None = None  # where a small picture stands across its flow; None for the middle

    def show(self, laid_out: LaidOutGraph) -> None:
        """Show a picture. After an edit, what somebody looks at stays where it is, as far as it can."""
        shift = self._shift_after_edit(laid_out)
        looked_at = shift is None or self._is_looked_at()
        self.laid_out = laid_out
        self.painter = Painter(laid_out, self._model.scene, self._styles)
        self.map = Minimap(laid_out, self._model.scene, self._styles)
        self._widget.virtual_size = Size(laid_out.picture.width, laid_out.picture.height)
        self._lean = None
        if shift is not None:
            self._put_at(shift)
        self._settle(looked_at)
        self.repaint_all()

    def _shift_after_edit(self, laid_out: LaidOutGraph) -> Offset | None:
        """Find where the picture belongs; None when it is not that of the same graph after an edit."""
        old, node = self.laid_out, self._model.scene.node
        if old is None or (old.drawing.zoom, old.picture.direction) != (
            laid_out.drawing.zoom,
            laid_out.picture.direction,
        ):
            return None
        wanted = [node, *self._model.wiring.neighbors(node)] if node is not None else []
        return anchored(old, self.shift, self.seen, wanted, laid_out)

    def _is_looked_at(self) -> bool:
        """Check whether what is selected is seen, or is new."""
        part, laid_out = self._model.scene.selected, self.laid_out
        if part is None or laid_out is None or not laid_out.has(part):
            return True
        return self.seen.overlaps(laid_out.place_of(part))

    def _put_at(self, shift: Offset) -> None:
        """Put the picture's first cell somewhere on the screen, or as near as it can be."""
        room = self._room
        if room > 0:
            self._lean = min(max(shift.y if self._flows_right else shift.x, 0), room)
        self.scroll(-shift.x, -shift.y)

    def _settle(self, looked_at: bool = True) -> None:
        """See what is to be seen, and nothing beyond the picture's ends."""
        self.scroll(*self._widget.scroll_offset)
        wanted = self._to_reveal
        if wanted is None and looked_at:
            wanted = self._model.scene.selected
        if wanted is not None and not self._is_whole(wanted):
            self.reveal(wanted)
        self._moved()
        self.ask_for_map()

    def _is_whole(self, part: Part) -> bool:
        """Check whether all of a node or an edge's label is seen; then nothing need move for it."""
        laid_out = self.laid_out
        if (
            laid_out is None
            or not laid_out.has(part)
            or not self.seen.contains_region(laid_out.place_of(part))
        ):
            return False
        self._to_reveal = None
        return True

    # Where things are

    @property
    def _flows_right(self) -> bool:
        return self.laid_out is not None and self.laid_out.picture.direction == "LR"

    @property
    def _room(self) -> int:
        """How many cells of the widget the picture leaves free across its flow."""
        if self.laid_out is None:
            return 0
        picture, size = self.laid_out.picture, self._widget.size
        return size.height - picture.height if self._flows_right else size.width - picture.width

    @property
    def shift(self) -> Offset:
        """Where the picture's first cell is seen.

        A small picture is in the middle across its flow, until an edit changes its size.
        """
        x, y = self._widget.scroll_offset
        room = max(0, self._room)
        lean = room // 2 if self._lean is None else min(self._lean, room)
        return Offset(-x, lean - y) if self._flows_right else Offset(lean - x, -y)

    @property
    def seen(self) -> Region:
        """The part of the picture that is seen, in its own cells."""
        return Region(-self.shift.x, -self.shift.y, *self._widget.size)

    def part_at(self, offset: Offset | None) -> Part | None:
        """Find the node or the edge at a cell of the widget."""
        if offset is None or self.laid_out is None or self._map_at(offset) is not None:
            return None
        return self.laid_out.at(*(offset - self.shift))

    def _map_at(self, offset: Offset | None) -> Offset | None:
        """Find the cell of the picture that the map shows at a cell of the widget."""
        return self.map.shown_at(offset) if self.map is not None and offset is not None else None

    # Scrolling

    def scroll(self, x: float | None = None, y: float | None = None) -> None:
        """Scroll to a place at once, as far as there is one."""
        if self._widget.is_attached:
            self._widget.scroll_to(x, y, animate=False, force=True)

    def pull(self, by: Offset) -> None:
        """Move the picture along."""
        self.scroll(*(self._widget.scroll_offset - by))

    def pan(self, across: float, down: float) -> None:
        """Move on by some pages; where all is seen from top to bottom, down means to the right."""
        if not down or self._widget.max_scroll_y > 0:
            width, height = self._widget.size
            self.pull(Offset(-round(across * width), -round(down * height)))
        else:
            self.pan(down, 0)

    def go_by_map(self, offset: Offset | None) -> bool:
        """Bring into the middle what the map shows at a cell of the widget; False where there is no map."""
        cell = self._map_at(offset)
        if cell is not None:
            width, height = self._widget.size
            self.scroll(cell.x - width // 2, cell.y - height // 2)
        return cell is not None

    def toggle_map(self) -> str:
        """Show the map or hide it; say why where it is not shown."""
        if self.map is None:
            return "there is no picture yet"
        self._wants_map = not self.map.region
        self.put_map()
        if not self._wants_map or self.map.region:
            return ""
        self._wants_map = None
        fits = self._widget.max_scroll_x <= 0 and self._widget.max_scroll_y <= 0
        return "the whole picture is in view" if fits else "there is no room for the map here"

    def ask_for_map(self) -> None:
        """Show the map again after all that changes now."""
        if self._widget.is_attached and not self._is_map_due:
            self._is_map_due = True
            self._widget.call_later(self.put_map)

    def put_map(self) -> None:
        """Show the map of what is seen now, in a corner where it covers nothing that matters."""
        self._is_map_due = False
        if self.map is None or self.laid_out is None:
            return
        scene, before = self._model.scene, self.map.region
        parts = (scene.selected, scene.running or scene.marks.place)
        kept_free = [
            self.laid_out.place_of(part).translate(self.shift)
            for part in parts
            if part is not None and self.laid_out.has(part)
        ]
        if self.map.place(self._widget.size, self.seen, kept_free, wanted=self._wants_map):
            self._widget.refresh(*filter(None, (before, self.map.region)))

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view, with some cells around it."""
        laid_out, (width, height) = self.laid_out, self._widget.size
        if laid_out is None or not width or not height or not laid_out.has(part):
            self._to_reveal = part
            return
        self._to_reveal = None
        place = laid_out.place_of(part)
        x, y = self._widget.scroll_offset
        self.scroll(
            scrolled_to(x, width, place.x, place.width, _ACROSS),
            scrolled_to(y, height, place.y, place.height, _DOWN),
        )

    def resize(self) -> None:
        """Keep in view what is selected: the widget has another size."""
        self._lean = None
        self._settle()
        self.repaint_all()

    # Painting

    def line(self, y: int, hint: str) -> Strip:
        """Paint a line of the widget.

        Args:
            y: The line.
            hint: What to say where there is no picture.
        """
        width = self._widget.size.width
        if self.painter is None or not self.painter.laid_out.boxes:
            return self._hint_line(y, width, hint)
        left, row = -self.shift.x, y - self.shift.y
        kept = self.strips.get(row)
        if kept is not None and kept[:2] == (left, width):
            strip = kept[2]
        else:
            strip = self.painter.strip(row, left, width)
            self.strips[row] = (left, width, strip)
        return self.map.over(strip, y, width) if self.map is not None else strip

    def _hint_line(self, y: int, width: int, hint: str) -> Strip:
        lines = wrapped(hint, max(1, width))
        number = y - self._widget.size.height // 2 + len(lines) // 2
        text = lines[number] if 0 <= number < len(lines) else ""
        left = max(0, (width - cell_len(text)) // 2)
        style = self._styles["hint"]
        return Strip([Segment(" " * left, style), Segment(text, style)]).crop_extend(0, width, style)

    def touch(self, parts: Iterable[Part]) -> None:
        """Repaint the cells of these nodes and edges, and no others."""
        laid_out, parts = self.laid_out, list(parts)
        if laid_out is None:
            return
        if len(parts) > _MANY:
            self.repaint_all()
        else:
            self.repaint(
                chain.from_iterable(_regions(laid_out, part) for part in parts if laid_out.has(part))
            )
        self.ask_for_map()

    def repaint_all(self) -> None:
        """Repaint all that is seen."""
        self.strips.clear()
        self._widget.refresh()

    def repaint(self, regions: Iterable[Region]) -> None:
        """Repaint some cells of the picture."""
        seen = self.seen
        for region in regions:
            for row in [row for row in self.strips.keys() if region.y <= row < region.bottom]:  # noqa: SIM118
                self.strips.discard(row)
            if seen.overlaps(region):
                self._widget.refresh(region.intersection(seen).translate(self.shift))


def _regions(laid_out: LaidOutGraph, part: Part) -> Iterator[Region]:
    """Yield all cells of a node or an edge."""
    then = laid_out.then(part)
    if not isinstance(then, int):
        yield laid_out.place_of(part)
        return
    route = laid_out.routes[then]
    for one, other in pairwise(route.points):
        (left, right), (top, bottom) = sorted((one[0], other[0])), sorted((one[1], other[1]))
        yield Region(left, top, right - left + 1, bottom - top + 1)
    if route.label is not None:
        yield Region(route.label.x, route.label.y, route.label.width, 1)


def scrolled_to(at: int, size: int, start: int, length: int, margin: int) -> int:
    """Find the nearest place to scroll to from which a part is seen; its beginning when it does not fit."""
    if length > size:
        return start
    margin = min(margin, (size - length) // 2)
    return min(max(at, start + length + margin - size), max(0, start - margin))
