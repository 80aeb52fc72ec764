"""A picture of a graph on the screen: painted row by row as far as it is seen, scrolled, pointed at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.geometry import Offset, Region, Size
from textual.strip import Strip

from .graph_pane import GraphPane
from .painter import Painter

if TYPE_CHECKING:
    from stepgraph_tui.drawing.glyphs import Glyphs
    from stepgraph_tui.drawing.trail import Part

    from .sheet import Sheet

_KEPT = 512  # painted rows
_MANY = 64  # parts; when so many change, all that is seen is painted anew
_ACROSS, _DOWN = 4, 2  # cells that stay free around what is brought into view


class Canvas(GraphPane):
    """One canvas for the whole picture; only the rows that are seen are ever painted.

    Args:
        glyphs: The characters to draw with.
        id: The widget's id.
    """

    def __init__(self, *, glyphs: Glyphs, id: str | None = None) -> None:
        super().__init__(glyphs=glyphs, id=id)
        self._painter: Painter | None = None
        self._strips: LRUCache[int, tuple[int, int, Strip]] = LRUCache(_KEPT)
        self._to_reveal: Part | None = None  # as soon as it can be
        self._grip: Offset | None = None  # where the mouse holds the picture

    def hint(self) -> str:
        """What to say where there is no picture."""
        return "There is no graph to draw."

    def moved(self) -> None:
        """Another part of the picture is seen."""

    # The picture

    @property
    def sheet(self) -> Sheet | None:
        """The picture; None before there is one."""
        return self._painter.sheet if self._painter is not None else None

    def put(self, sheet: Sheet) -> None:
        """Show a picture."""
        self._painter = Painter(sheet, self.scene, self.palette)
        self._strips.clear()
        self.virtual_size = Size(sheet.picture.width, sheet.picture.height)
        self._settle()
        self.refresh()

    def _settle(self) -> None:
        """See what is to be seen, and nothing beyond the picture's ends."""
        self.scroll_at_once(*self.scroll_offset)
        wanted = self._to_reveal if self._to_reveal is not None else self.scene.selected
        if wanted is not None:
            self.reveal(wanted)
        self.moved()

    @property
    def shift(self) -> Offset:
        """Where the picture's first cell is seen: a small picture stands in the middle across its flow."""
        x, y = self.scroll_offset
        if self.sheet is not None:
            picture = self.sheet.picture
            if picture.direction == "TB":
                x -= max(0, (self.size.width - picture.width) // 2)
            else:
                y -= max(0, (self.size.height - picture.height) // 2)
        return Offset(-x, -y)

    @property
    def seen(self) -> Region:
        """The part of the picture that is seen, in its own cells."""
        return Region(-self.shift.x, -self.shift.y, *self.size)

    def render_line(self, y: int) -> Strip:
        """A line of the screen."""
        width = self.size.width
        if self._painter is None or not self._painter.sheet.boxes:
            return self._hint_line(y, width)
        left, row = -self.shift.x, y - self.shift.y
        kept = self._strips.get(row)
        if kept is not None and kept[:2] == (left, width):
            return kept[2]
        strip = self._painter.strip(row, left, width)
        self._strips[row] = (left, width, strip)
        return strip

    def _hint_line(self, y: int, width: int) -> Strip:
        hint = self.hint() if y == self.size.height // 2 else ""
        left = max(0, (width - cell_len(hint)) // 2)
        style = self.palette["hint"]
        return Strip([Segment(" " * left, style), Segment(hint, style)]).crop_extend(0, width, style)

    # What changes

    def touch(self, parts: Iterable[Part]) -> None:
        """Paint anew the cells of these nodes and edges, and no others."""
        if self.sheet is None:
            return
        parts = list(filter(self.sheet.has, parts))
        if len(parts) > _MANY:
            self._strips.clear()
            self.refresh()
            return
        seen = self.seen
        for region in chain.from_iterable(self._regions(self.sheet, part) for part in parts):
            for row in [row for row in self._strips.keys() if region.y <= row < region.bottom]:  # noqa: SIM118
                self._strips.discard(row)
            if seen.overlaps(region):
                self.refresh(region.intersection(seen).translate(self.shift))

    def _regions(self, sheet: Sheet, part: Part) -> Iterator[Region]:
        """All cells of a node or an edge."""
        if isinstance(part, str):
            yield sheet.place_of(part)
            return
        route = sheet.picture.routes[part]
        for one, other in pairwise(route.points):
            (left, right), (top, bottom) = sorted((one[0], other[0])), sorted((one[1], other[1]))
            yield Region(left, top, right - left + 1, bottom - top + 1)
        if route.label is not None:
            yield Region(route.label.x, route.label.y, route.label.width, 1)

    def notify_style_update(self) -> None:
        """Paint everything anew in other colours."""
        super().notify_style_update()
        self._strips.clear()
        if self._painter is not None:
            self._painter = Painter(self._painter.sheet, self.scene, self.palette)

    # What is seen

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view, with some cells around it."""
        sheet, (width, height) = self.sheet, self.size
        if sheet is None or not width or not height or not sheet.has(part):
            self._to_reveal = part
            return
        self._to_reveal = None
        place = sheet.place_of(part)
        x, y = self.scroll_offset
        self.scroll_at_once(
            _scrolled(x, width, place.x, place.width, _ACROSS),
            _scrolled(y, height, place.y, place.height, _DOWN),
        )

    def on_resize(self) -> None:
        """Keep in view what is selected."""
        self._strips.clear()
        self._settle()

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Say what lies beyond."""
        super().watch_scroll_x(old_value, new_value)
        self.moved()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say what lies beyond."""
        super().watch_scroll_y(old_value, new_value)
        self.moved()

    # The mouse

    def _under(self, event: events.MouseEvent) -> Part | None:
        offset = event.get_content_offset(self)
        if offset is None or self.sheet is None:
            return None
        part = self.sheet.at(*(offset - self.shift))
        return part if part is not None and self.has(part) else None

    def on_click(self, event: events.Click) -> None:
        """Select what lies there; a second click shows all of it."""
        part = self._under(event)
        if isinstance(part, int):
            source = self._ends(part)[0]
            self.choose(self.selected if self.selected in self._ends(part) else source, part)
        elif part is not None:
            self.choose(part)
        if part is not None and event.chain == 2:
            self.action_inspect()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the picture where nothing lies."""
        if event.button == 1 and self._under(event) is None:
            self._grip = event.screen_offset
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pull the picture along."""
        if self._grip is not None:
            moved = event.screen_offset - self._grip
            self._grip = event.screen_offset
            x, y = self.scroll_offset - moved
            self.scroll_at_once(x, y)

    def on_mouse_up(self) -> None:
        """Let go of the picture."""
        if self._grip is not None:
            self._grip = None
            self.release_mouse()


def _scrolled(at: int, size: int, start: int, length: int, margin: int) -> int:
    """The nearest place to scroll to from which a part is seen; its beginning when it does not fit."""
    if length > size:
        return start
    margin = min(margin, (size - length) // 2)
    return min(max(at, start + length + margin - size), max(0, start - margin))
