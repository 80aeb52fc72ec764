"""Draw the line from a node to the mouse, while an edge is drawn with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.geometry import Offset, Region

from stepgraph_tui.drawing.picture.glyphs import DOWN, LEFT, RIGHT, UP

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import Glyphs

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
