"""Paint pictures as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ...text.cells import cell_len, cells_of, set_cell_size
from ..layout.layering import TooLargeToDrawError
from ..model import Box, Picture, Point, Route
from .glyphs import DOWN, LEFT, RIGHT, UNICODE, UP, Glyphs

if TYPE_CHECKING:
    from stepgraph.graphs import Edge


_MOST = 4_000_000
"""Cells of a text; a star of 700 edges has as many."""


@dataclass(frozen=True, slots=True)
class BoxContent:
    """What is in and around a box."""

    lines: Sequence[str]
    """Its content line by line; no wider than the box was asked to be."""
    heavy: bool = False
    """Whether its frame is heavy."""
    ends: tuple[str, str] = ("", "")
    """What is at both ends of each row of a box without a frame."""
    badge_at: int | None = None
    """Where in the first line the mark of problems stands; None when there is none, or at the end."""
    signs_at: range = range(0)
    """Where in the first line the signs of the node stand: that it has side effects, or asks a person."""


class CellGrid:
    """Cells to write on; a wide character takes one cell and leaves the next one empty."""

    def __init__(self, width: int, height: int) -> None:
        self.rows = [[" "] * width for _ in range(height)]

    def write(self, x: int, y: int, text: str) -> None:
        """Write a text into a row."""
        cells = cells_of(text)
        self.rows[y][x : x + len(cells)] = cells

    def lines(self) -> list[str]:
        """Join the cells of each row, without the blanks at its end."""
        return ["".join(row).rstrip() for row in self.rows]


def paint(
    picture: Picture,
    contents: Mapping[str, BoxContent],
    *,
    fired: Collection[int] = (),
    glyphs: Glyphs = UNICODE,
) -> list[str]:
    """Paint a picture as lines of text.

    Args:
        picture: What the layout made.
        contents: What is in each box.
        fired: The edges that were taken.
        glyphs: The characters to draw with.

    Raises:
        TooLargeToDrawError: The text would have many millions of characters.
    """
    if picture.width * picture.height > _MOST:
        raise TooLargeToDrawError(f"{picture.width:,} x {picture.height:,} cells are too many for a text")
    canvas = CellGrid(picture.width, picture.height)
    sides = [bytearray(picture.width) for _ in range(picture.height)]
    for route in picture.routes:
        _paint_line(canvas, sides, route, glyphs.back if route.back else glyphs.lines)
    for box in picture.boxes:
        _paint_box(canvas, box, contents[box.id], glyphs)
    boxes = {box.id: box for box in picture.boxes}
    for route in picture.routes:
        heavy = contents[route.source].heavy
        _paint_ends(canvas, route, boxes[route.source], (heavy, route.edge in fired), glyphs)
        if route.label is not None:
            canvas.write(route.label.x, route.label.y, route.label.text)
    return canvas.lines()


def _paint_box(canvas: CellGrid, box: Box, content: BoxContent, glyphs: Glyphs) -> None:
    inner = box.width - 2
    if box.framed:
        frame = glyphs.heavy if content.heavy else glyphs.frame
        canvas.write(box.x, box.y, frame[2] + frame[0] * inner + frame[3])
        canvas.write(box.x, box.y + box.height - 1, frame[5] + frame[0] * inner + frame[4])
        ends, first, rows = (frame[1], frame[1]), box.y + 1, box.height - 2
    else:
        ends, first, rows = content.ends, box.y, box.height
    for row in range(rows):
        text = content.lines[row] if row < len(content.lines) else ""
        text = set_cell_size(text, box.width - len(ends[0]) - len(ends[1]))
        canvas.write(box.x, first + row, ends[0] + text + ends[1])


def side_of(start: Point, end: Point) -> int:
    """Return the side of the first cell at which the second lies."""
    if start[0] == end[0]:
        return DOWN if end[1] > start[1] else UP
    return RIGHT if end[0] > start[0] else LEFT


_OPPOSITE = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


def _paint_line(canvas: CellGrid, sides: list[bytearray], route: Route, lines: str) -> None:
    """Draw a line between its ends; where another one has been, the two cross.

    Args:
        canvas: The cells.
        sides: The sides at which lines leave each cell, so far.
        route: The line.
        lines: The characters by these sides.
    """
    rows = canvas.rows

    def touch(x: int, y: int, at: int) -> None:
        sides[y][x] |= at
        rows[y][x] = lines[sides[y][x]]

    for (x, y), (to_x, to_y) in pairwise(route.points):
        side = side_of((x, y), (to_x, to_y))
        touch(x, y, side)
        touch(to_x, to_y, _OPPOSITE[side])
        for between in range(min(x, to_x) + 1, max(x, to_x)):
            touch(between, y, LEFT | RIGHT)
        for between in range(min(y, to_y) + 1, max(y, to_y)):
            touch(x, between, UP | DOWN)


def _paint_ends(
    canvas: CellGrid, route: Route, source: Box, marks: tuple[bool, bool], glyphs: Glyphs
) -> None:
    (x, y), (head_x, head_y) = route.port, route.head
    if source.framed:
        heavy, fired = marks
        sets = (glyphs.ports, glyphs.fired, glyphs.heavy_ports, glyphs.heavy_fired)
        canvas.rows[y][x] = sets[2 * heavy + fired][side_of(*route.points[:2])]
    canvas.rows[head_y][head_x] = glyphs.heads[side_of(*route.points[-2:])]


_MANY = 5
"""Parallel edges: from this many on they are drawn as a bundle, fewer one by one."""


@dataclass(frozen=True)
class DrawnEdges:
    """The edges that have a line of their own, and those that share one."""

    lines: Sequence[int]
    """The edge of each line, in order; of a bundle its first one."""
    bundles: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """All edges of each bundle, by the first of them."""
    first: dict[int, int] = field(default_factory=dict)
    """The first edge of its bundle for each edge that is in one."""

    def at(self, line: int) -> tuple[int, ...]:
        """List the edges that a line stands for."""
        return self.bundles.get(line, (line,))


def bundled(edges: Sequence[Edge], drawn: Sequence[int]) -> DrawnEdges:
    """Assign each edge its line; edges between the same two nodes share one if they are many.

    Args:
        edges: All edges of the graph.
        drawn: The positions of those that are drawn, in order.
    """
    parallel: dict[tuple[str, str], list[int]] = {}
    for edge in drawn:
        parallel.setdefault((edges[edge].source, edges[edge].target), []).append(edge)
    bundles = {alike[0]: tuple(alike) for alike in parallel.values() if len(alike) >= _MANY}
    if not bundles:
        return DrawnEdges(drawn)
    first = {edge: line for line, bundle in bundles.items() for edge in bundle}
    return DrawnEdges([edge for edge in drawn if first.get(edge, edge) == edge], bundles, first)


def bundle_text(texts: Sequence[str], width: int, more: str) -> str:
    """Write how many edges a bundle has, and the texts of as many as fit: ``x12: 1 high, 2 low, …``."""
    joined, between = f"x{len(texts)}", ": "
    for number, text in enumerate(texts, 1):
        longer = f"{joined}{between}{text}"
        if cell_len(longer) + (number < len(texts)) * len(f", {more}") > width:
            return f"{joined}{between}{more}" if number > 1 else joined
        joined, between = longer, ", "
    return joined
