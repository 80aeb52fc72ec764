"""Cut the rows of a picture into spans of one node or edge each, as they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual.cache import LRUCache

from stepgraph_tui.drawing.picture.glyphs import DOWN, LEFT, RIGHT, UP
from stepgraph_tui.drawing.picture.paint import side_of

if TYPE_CHECKING:
    from stepgraph_tui.drawing import Box, Picture, Route
    from stepgraph_tui.drawing.model import Point
    from stepgraph_tui.drawing.picture.glyphs import Glyphs
    from stepgraph_tui.drawing.picture.run_marks import Part

_ROWS, _COLUMNS = 32, 128  # of a tile: boxes and upright lines are kept by the tiles that they touch
_KEPT = 512  # stretches of rows
Tile = tuple[int, int]
_OPPOSITE = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


class PictureSpan(NamedTuple):
    """A part of a row that belongs to one node or edge."""

    x: int
    width: int
    kind: Literal["frame", "content", "port", "line", "head", "label"]
    owner: Part
    """The node of a frame or a content, else the edge."""
    text: str = ""
    """What is there; the painter knows what is in a content or at a port."""
    heavy: str = ""
    """The same for a heavy frame, or for an edge that stands out."""
    detail: int = -1
    """Of a content its row in the box, of a port its side, of a crossing the other edge; of a frame 0 where
    something short may be on it."""


class PictureRows:
    """The rows of a picture, each as spans of one node or edge.

    Args:
        picture: The picture.
        glyphs: The characters to draw with.
    """

    def __init__(self, picture: Picture, glyphs: Glyphs) -> None:
        self._glyphs = glyphs
        self._back = {route.edge for route in picture.routes if route.back}
        self._boxes: defaultdict[Tile, list[Box]] = defaultdict(list)
        self._upright: defaultdict[Tile, list[tuple[int, int, int, int]]] = defaultdict(list)
        self._lying: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)  # this and more by row
        self._bends: defaultdict[int, list[PictureSpan]] = defaultdict(list)
        self._labels: defaultdict[int, list[PictureSpan]] = defaultdict(list)
        self._ports: defaultdict[str, list[tuple[Point, int, int]]] = defaultdict(list)
        self._made: LRUCache[tuple[int, int, int], list[PictureSpan]] = LRUCache(_KEPT)
        for box in picture.boxes:
            for tile in _tiles(box.x, box.x + box.width, box.y, box.y + box.height):
                self._boxes[tile].append(box)
        for route in picture.routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        edge, points, glyphs = route.edge, route.points, self._glyphs
        sides = [side_of(*run) for run in pairwise(points)]
        self._ports[route.source].append((points[0], sides[0], edge))
        for (start, end), side in zip(pairwise(points), sides, strict=True):
            (x, last), (y, bottom) = sorted((start[0], end[0])), sorted((start[1], end[1]))
            if side in (LEFT, RIGHT):
                self._lying[y].append((x + 1, last, edge))
            else:
                for tile in _tiles(x, x + 1, y, bottom):
                    self._upright[tile].append((x, y, bottom, edge))
        lines = glyphs.back if route.back else glyphs.lines
        for (x, y), before, behind in zip(points[1:-1], sides, sides[1:], strict=False):
            turn = _OPPOSITE[before] | behind
            self._bends[y].append(PictureSpan(x, 1, "line", edge, lines[turn], glyphs.heavy_lines[turn]))
        (x, y), head = route.head, glyphs.heads[sides[-1]]
        self._bends[y].append(PictureSpan(x, 1, "head", edge, head, head))
        if route.label is not None:
            label = route.label
            self._labels[label.y].append(PictureSpan(label.x, label.width, "label", edge, label.text))

    def spans(self, y: int, left: int, right: int) -> Sequence[PictureSpan]:
        """List the spans of a row between two columns, from left to right; no two share a cell."""
        first, last = left // _COLUMNS, (right - 1) // _COLUMNS + 1
        made = self._made.get((y, first, last))
        if made is None:
            found = self._spans(y, first, last)
            made = sorted(found, key=lambda span: span.x)
            self._made[y, first, last] = made
        begin = bisect_right(made, left, key=lambda span: span.x + span.width)
        end = bisect_right(made, right - 1, key=lambda span: span.x)
        return made[begin:end]

    def _spans(self, y: int, first: int, last: int) -> Iterator[PictureSpan]:
        """Yield the spans of a row in some columns of tiles, perhaps with a little more beside them."""
        left, right = first * _COLUMNS, last * _COLUMNS
        labels = [
            label for label in self._labels.get(y, ()) if left < label.x + label.width and label.x < right
        ]
        yield from labels
        tiles = [(column, y // _ROWS) for column in range(first, last)]
        boxes = {box.id: box for tile in tiles for box in self._boxes.get(tile, ())}
        for box in boxes.values():
            if box.y <= y < box.y + box.height:
                yield from self._box_spans(box, y)
        hidden = {(x, label.owner) for label in labels for x in range(label.x, label.x + label.width)}
        upright = {
            x: edge
            for tile in tiles
            for x, top, bottom, edge in self._upright.get(tile, ())
            if top < y < bottom and (x, edge) not in hidden
        }
        yield from self._lines(y, left, right, upright, labels)
        for bend in self._bends.get(y, ()):
            if left <= bend.x < right and (bend.x, bend.owner) not in hidden:
                yield bend

    def _lines(
        self, y: int, left: int, right: int, upright: dict[int, int], labels: Sequence[PictureSpan]
    ) -> Iterator[PictureSpan]:
        crossed: set[int] = set()
        for start, end, edge in self._lying.get(y, ()):
            if left < end and start < right:
                own = [label for label in labels if label.owner == edge]
                yield from self._level(max(start, left), min(end, right), edge, upright, own, crossed)
        for x, edge in upright.items():
            if x not in crossed:
                yield self._line(x, 1, edge, UP | DOWN)

    def _level(
        self,
        start: int,
        end: int,
        edge: int,
        upright: dict[int, int],
        labels: Sequence[PictureSpan],
        crossed: set[int],
    ) -> Iterator[PictureSpan]:
        """Cut a level line where others cross it and where its label stands."""
        cuts = [(x, x + 1, other) for x, other in upright.items() if start <= x < end]
        cuts += [(label.x, label.x + label.width, -1) for label in labels if start < label.x + label.width]
        for x, behind, other in sorted(cuts):
            if x >= end:
                break
            if x > start:
                yield self._line(start, x - start, edge, LEFT | RIGHT)
            if other >= 0:
                crossed.add(x)
                glyph = self._glyphs.lines[UP | RIGHT | DOWN | LEFT]
                yield PictureSpan(x, 1, "line", edge, glyph, glyph, other)
            start = behind
        if end > start:
            yield self._line(start, end - start, edge, LEFT | RIGHT)

    def _line(self, x: int, width: int, edge: int, sides: int) -> PictureSpan:
        glyphs = self._glyphs
        lines = glyphs.back if edge in self._back else glyphs.lines
        return PictureSpan(x, width, "line", edge, lines[sides] * width, glyphs.heavy_lines[sides] * width)

    def _box_spans(self, box: Box, y: int) -> Iterator[PictureSpan]:
        row = y - box.y
        if not box.framed:
            yield PictureSpan(box.x, box.width, "content", box.id, detail=row)
            return
        ports = {x: (side, edge) for (x, port_y), side, edge in self._ports.get(box.id, ()) if port_y == y}
        for x, (side, edge) in ports.items():
            yield PictureSpan(x, 1, "port", edge, detail=side)
        light, heavy = (self._border(box, row, frame) for frame in (self._glyphs.frame, self._glyphs.heavy))
        inside = box.x + 1 if 0 < row < box.height - 1 else None
        if inside is not None:
            yield PictureSpan(inside, box.width - 2, "content", box.id, detail=row - 1)
        gaps = list(_gaps(box.x, box.x + box.width, sorted(ports), inside))
        widest = max(gaps, key=lambda gap: (gap[1] - gap[0], gap), default=None) if row == 0 else None
        for begin, end in gaps:
            cut = slice(begin - box.x, end - box.x)
            detail = 0 if (begin, end) == widest else -1
            yield PictureSpan(begin, end - begin, "frame", box.id, light[cut], heavy[cut], detail)

    def _border(self, box: Box, row: int, frame: str) -> str:
        """Draw a row of the frame; between its sides, where it has only these, nothing."""
        if 0 < row < box.height - 1:
            return frame[1] + " " * (box.width - 2) + frame[1]
        left, right = (frame[2], frame[3]) if row == 0 else (frame[5], frame[4])
        return left + frame[0] * (box.width - 2) + right


def _tiles(left: int, right: int, top: int, bottom: int) -> Iterator[Tile]:
    """Yield the tiles that some cells lie in."""
    for row in range(top // _ROWS, (bottom - 1) // _ROWS + 1):
        for column in range(left // _COLUMNS, (right - 1) // _COLUMNS + 1):
            yield column, row


def _gaps(begin: int, end: int, ports: list[int], inside: int | None) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a frame's row that are frame."""
    if inside is not None:
        yield from ((x, x + 1) for x in (begin, end - 1) if x not in ports)
        return
    for port in ports:
        if port > begin:
            yield begin, port
        begin = port + 1
    if end > begin:
        yield begin, end
