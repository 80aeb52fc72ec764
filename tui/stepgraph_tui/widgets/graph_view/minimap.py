"""A small map of the whole picture in a corner of its pane: where the boxes are, and what of it is seen."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Offset, Region, Size
from textual.strip import Strip

if TYPE_CHECKING:
    from .laid_out_graph import LaidOutGraph
    from .scene import Scene
    from .styles import GraphStyles

_WORTH, _MANY = 4, 30  # screens and boxes; a picture of more has a map without being asked
_LEAST = Size(30, 13)  # cells of a pane that has room for a map
_SHARE = Size(5, 4)  # parts of the pane, of which the map takes one
_SIZES = (Size(8, 3), Size(24, 10))  # cells inside its frame, at the least and at the most


class Minimap:
    """Draws the map.

    Args:
        laid_out: The picture.
        scene: What there is to say of its parts.
        styles: What that looks like.
    """

    def __init__(self, laid_out: LaidOutGraph, scene: Scene, styles: GraphStyles) -> None:
        self._laid_out, self._scene, self._styles = laid_out, scene, styles
        self._inside = Size(0, 0)
        self._boxes: set[tuple[int, int]] = set()
        self._texts: dict[tuple[int, int], str] = {}
        self.region = Region()
        """The cells of the pane that it covers; none where it is not shown."""
        self._seen = Region()

    def is_worth(self, pane: Size) -> bool:
        """Tell whether the picture is so much larger than the pane that a map helps."""
        picture = self._laid_out.picture
        return len(picture.boxes) > _MANY and picture.width * picture.height > _WORTH * pane.area

    def _fits(self, pane: Size) -> bool:
        picture = self._laid_out.picture
        return picture.width <= pane.width and picture.height <= pane.height

    def put(self, pane: Size, seen: Region, keep_free: Iterable[Region], *, wanted: bool | None) -> bool:
        """Choose where the map goes: into the first corner in which it covers nothing that matters.

        Args:
            pane: How large the pane is.
            seen: What is seen of the picture, in its cells.
            keep_free: Cells of the pane that it must not cover.
            wanted: Whether somebody asked for it; None when nobody said.

        Returns:
            Whether it looks otherwise than before.
        """
        before = self.region, self._seen, self._texts
        shown = (self.is_worth(pane) if wanted is None else wanted) and not self._fits(pane)
        self.region = Region()
        if shown and pane.width >= _LEAST.width and pane.height >= _LEAST.height:
            least, most = _SIZES
            inside = Size(
                min(max(pane.width // _SHARE.width, least.width), most.width),
                min(max(pane.height // _SHARE.height, least.height), most.height),
            )
            width, height = inside.width + 2, inside.height + 2
            free = list(keep_free)
            for x, y in ((1, 1), (1, 0), (0, 1), (0, 0)):
                region = Region(x * (pane.width - width), y * (pane.height - height), width, height)
                if not any(region.overlaps(other) for other in free):
                    self._draw(inside, seen)
                    self.region = region
                    break
        return before != (self.region, self._seen, self._texts)

    def _draw(self, inside: Size, seen: Region) -> None:
        if inside != self._inside:
            self._inside = inside
            self._boxes = {
                cell
                for box in self._laid_out.picture.boxes
                for cell in self._scaled(Region(box.x, box.y, box.width, box.height))
            }
        self._seen = _around(list(self._scaled(seen)))
        self._texts = {}
        node, glyphs = self._scene.running or self._scene.marks.place, self._laid_out.drawing.glyphs
        state = self._scene.state(node) if node is not None else None
        if node is not None and state is not None and self._laid_out.has(node):
            middle = self._laid_out.place_of(node).center
            cell = next(iter(self._scaled(Region(int(middle[0]), int(middle[1]), 1, 1))), None)
            if cell is not None:
                self._texts[cell] = glyphs.marks[state]

    def _scaled(self, region: Region) -> Iterable[tuple[int, int]]:
        """Yield the cells of the map that show some cells of the picture."""
        picture, (width, height) = self._laid_out.picture, self._inside
        area = region.intersection(Region(0, 0, picture.width, picture.height))
        if not area:
            return
        for y in range(area.y * height // picture.height, (area.bottom - 1) * height // picture.height + 1):
            for x in range(area.x * width // picture.width, (area.right - 1) * width // picture.width + 1):
                yield x, y

    def shown_at(self, offset: Offset) -> Offset | None:
        """Find the cell of the picture that a cell of the pane shows on the map; None beside the map."""
        if not self.region.contains_point(offset):
            return None
        picture, (width, height) = self._laid_out.picture, self._inside
        x, y = offset - self.region.offset - (1, 1)
        return Offset(
            (2 * x + 1) * picture.width // (2 * width), (2 * y + 1) * picture.height // (2 * height)
        )

    def over(self, strip: Strip, y: int, width: int) -> Strip:
        """Lay the map's part of a row over what the pane shows there."""
        if not self.region or not self.region.y <= y < self.region.bottom:
            return strip
        left, right = self.region.x, self.region.right
        parts = [strip.crop(0, left), Strip(self._segments(y - self.region.y)), strip.crop(right, width)]
        return Strip.join(parts)

    def _segments(self, row: int) -> list[Segment]:
        frame, style = self._laid_out.drawing.glyphs.frame, self._styles["frame"]
        width, height = self._inside
        if row in (0, height + 1):
            left, right = (frame[2], frame[3]) if row == 0 else (frame[5], frame[4])
            return [Segment(left + frame[0] * width + right, style)]
        cells = [self._cell(x, row - 1) for x in range(width)]
        inner = [
            Segment("".join(text for text, _ in run), self._styles[name])
            for name, run in ((name, list(run)) for name, run in groupby(cells, key=lambda cell: cell[1]))
        ]
        return [Segment(frame[1], style), *inner, Segment(frame[1], style)]

    def _cell(self, x: int, y: int) -> tuple[str, str]:
        """Choose what stands in a cell of the map, and its style."""
        seen = self._seen.contains(x, y)
        if (x, y) in self._texts:
            return self._texts[x, y], "map-place-seen" if seen else "map-place"
        text = self._laid_out.drawing.glyphs.dot if (x, y) in self._boxes else " "
        return text, "map-seen" if seen else "map"


def _around(cells: list[tuple[int, int]]) -> Region:
    if not cells:
        return Region()
    (left, top), (right, bottom) = cells[0], cells[-1]
    return Region.from_corners(left, top, right + 1, bottom + 1)
