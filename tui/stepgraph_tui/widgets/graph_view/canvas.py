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

from stepgraph_tui.widgets.lines import wrapped

from .anchoring import anchored
from .graph_pane import GraphPane
from .painter import Painter

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import Glyphs
    from stepgraph_tui.drawing.picture.run_marks import Part

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
        self._lean: int | None = None  # where a small picture stands across its flow; None for the middle
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
        """Show a picture. After an edit, what somebody looks at stays where it is, as far as it can."""
        shift = self._shift_after_edit(sheet)
        looked_at = shift is None or self._is_looked_at()
        self._painter = Painter(sheet, self.scene, self.palette)
        self.virtual_size = Size(sheet.picture.width, sheet.picture.height)
        self._lean = None
        if shift is not None:
            self._put_at(shift)
        self._settle(looked_at)
        self.repaint_all()

    def _shift_after_edit(self, sheet: Sheet) -> Offset | None:
        """Where the picture belongs; None when it is not that of the same graph after an edit."""
        old, node = self.sheet, self.selected
        if old is None or (old.drawing.zoom, old.picture.direction) != (
            sheet.drawing.zoom,
            sheet.picture.direction,
        ):
            return None
        wanted = [node, *self._wiring.neighbours(node)] if node is not None else []
        return anchored(old, self.shift, self.seen, wanted, sheet)

    def _is_looked_at(self) -> bool:
        """Whether what is selected is seen, or is new."""
        part, sheet = self.scene.selected, self.sheet
        if part is None or sheet is None or not sheet.has(part):
            return True
        return self.seen.overlaps(sheet.place_of(part))

    def _put_at(self, shift: Offset) -> None:
        """Put the picture's first cell somewhere on the screen, or as near as it can be."""
        room = self._room
        if room > 0:
            self._lean = min(max(shift.y if self._flows_right else shift.x, 0), room)
        self.scroll_at_once(-shift.x, -shift.y)

    def _settle(self, looked_at: bool = True) -> None:
        """See what is to be seen, and nothing beyond the picture's ends."""
        self.scroll_at_once(*self.scroll_offset)
        wanted = self._to_reveal
        if wanted is None and looked_at:
            wanted = self.scene.selected
        if wanted is not None:
            self.reveal(wanted)
        self.moved()

    @property
    def _flows_right(self) -> bool:
        return self.sheet is not None and self.sheet.picture.direction == "LR"

    @property
    def _room(self) -> int:
        """How many cells of the pane the picture leaves free across its flow."""
        if self.sheet is None:
            return 0
        picture = self.sheet.picture
        return self.size.height - picture.height if self._flows_right else self.size.width - picture.width

    @property
    def shift(self) -> Offset:
        """Where the picture's first cell is seen.

        A small picture stands in the middle across its flow, until an edit changes its size.
        """
        x, y = self.scroll_offset
        room = max(0, self._room)
        lean = room // 2 if self._lean is None else min(self._lean, room)
        return Offset(-x, lean - y) if self._flows_right else Offset(lean - x, -y)

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
        lines = wrapped(self.hint(), max(1, width))
        number = y - self.size.height // 2 + len(lines) // 2
        hint = lines[number] if 0 <= number < len(lines) else ""
        left = max(0, (width - cell_len(hint)) // 2)
        style = self.palette["hint"]
        return Strip([Segment(" " * left, style), Segment(hint, style)]).crop_extend(0, width, style)

    # What changes

    def touch(self, parts: Iterable[Part]) -> None:
        """Paint anew the cells of these nodes and edges, and no others."""
        sheet, parts = self.sheet, list(parts)
        if sheet is None:
            return
        if len(parts) > _MANY:
            self.repaint_all()
            return
        self.repaint(chain.from_iterable(self._regions(sheet, part) for part in parts if sheet.has(part)))

    def repaint_all(self) -> None:
        """Paint anew all that is seen."""
        self._strips.clear()
        self.refresh()

    def repaint(self, regions: Iterable[Region]) -> None:
        """Paint anew some cells of the picture."""
        seen = self.seen
        for region in regions:
            for row in [row for row in self._strips.keys() if region.y <= row < region.bottom]:  # noqa: SIM118
                self._strips.discard(row)
            if seen.overlaps(region):
                self.refresh(region.intersection(seen).translate(self.shift))

    def _regions(self, sheet: Sheet, part: Part) -> Iterator[Region]:
        """All cells of a node or an edge."""
        then = sheet.then(part)
        if not isinstance(then, int):
            yield sheet.place_of(part)
            return
        route = sheet.picture.routes[then]
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
        self._lean = None
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

    def under(self, event: events.MouseEvent) -> Part | None:
        """The node or the edge that the mouse points at."""
        offset = event.get_content_offset(self)
        if offset is None or self.sheet is None:
            return None
        part = self.sheet.at(*(offset - self.shift))
        return part if part is not None and self.has(part) else None

    def on_click(self, event: events.Click) -> None:
        """Select what lies there; a second click shows all of it."""
        part = self.under(event)
        if isinstance(part, int):
            source = self._ends(part)[0]
            self.choose(self.selected if self.selected in self._ends(part) else source, part)
        elif part is not None:
            self.choose(part)
        if part is not None and event.chain == 2:
            self.action_inspect()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the picture where nothing lies."""
        if event.button == 1 and self.under(event) is None:
            self._grip = event.screen_offset
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Pull the picture along."""
        if self._grip is not None:
            moved = event.screen_offset - self._grip
            self._grip = event.screen_offset
            x, y = self.scroll_offset - moved
            self.scroll_at_once(x, y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
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
