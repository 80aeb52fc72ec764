"""Rows of a picture as Strips, with everything that is said of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from stepgraph_tui.drawing.zoom import HEAVY, face_of

from .scene import TONES

if TYPE_CHECKING:
    from rich.style import Style

    from stepgraph_tui.drawing.glyphs import State

    from .rows import Piece
    from .scene import Scene
    from .sheet import Sheet
    from .styles import Palette

_LOUD = HEAVY | {"failed"}  # the states that a frame tells, too


class Painter:
    """Paints a sheet. It keeps nothing: what a row looks like is asked of the scene each time.

    Args:
        sheet: The sheet.
        scene: What there is to say of its parts.
        palette: What that looks like.
    """

    def __init__(self, sheet: Sheet, scene: Scene, palette: Palette) -> None:
        self.sheet, self.scene, self.palette = sheet, scene, palette

    def strip(self, y: int, left: int, width: int) -> Strip:
        """A row of the picture, or what there is of it, in so many cells from a column on.

        Args:
            y: The row; there need not be one.
            left: The first column; it may lie before the picture.
            width: How many cells are wanted.
        """
        base = self.palette["node"]
        segments: list[Segment] = []
        at = start = left
        for piece in (
            self.sheet.rows.pieces(y, left, left + width) if 0 <= y < self.sheet.picture.height else ()
        ):
            if piece.x > at:
                segments.append(Segment(" " * (piece.x - at), base))
            elif piece.x < at:
                start = piece.x
            segments += (Segment(text, style) for text, style in self._parts(piece))
            at = piece.x + piece.width
        return Strip(segments).crop_extend(left - start, left - start + width, base)

    def _parts(self, piece: Piece) -> Iterator[tuple[str, Style]]:
        """The texts of a piece; together as wide as it is."""
        owner = piece.owner
        if isinstance(owner, str):
            yield from self._box_parts(piece, owner)
        elif piece.kind == "label":
            yield piece.text, self._label_style(owner)
        elif piece.kind == "port":
            yield self._port(piece, owner)
        else:
            chosen = owner == self.scene.edge
            style = self._line_style(piece, owner)
            if chosen and piece.kind == "head":
                style += self.palette["selected"]
            yield piece.heavy if chosen else piece.text, style

    def _line_style(self, piece: Piece, edge: int) -> Style:
        edges = [edge] if piece.detail < 0 else [edge, piece.detail]
        tones = [self.scene.tone(edge, back=edge in self.sheet.back) for edge in edges]
        return self.palette[max(tones, key=TONES.index)]  # where two lines cross, the louder one is seen

    def _label_style(self, edge: int) -> Style:
        tone = self.scene.tone(edge)
        style = self.palette["label" if tone == "edge" else tone]
        if edge in self.scene.hits:
            style += self.palette["hit"]
        return style + self.palette["selected"] if tone == "chosen" else style

    def _port(self, piece: Piece, edge: int) -> tuple[str, Style]:
        drawing, scene = self.sheet.drawing, self.scene
        state = scene.state(drawing.edges[edge].source)
        glyphs = drawing.glyphs
        sets = (glyphs.ports, glyphs.fired, glyphs.heavy_ports, glyphs.heavy_fired)
        glyph = sets[2 * (state in HEAVY) + scene.marks.fired(edge)][piece.detail]
        tone = scene.tone(edge)
        return glyph, self._rim_style(state) if tone == "edge" else self.palette[tone]

    def _rim_style(self, state: State | None) -> Style:
        return self.palette[state if state is not None and state in _LOUD else "frame"]

    def _box_parts(self, piece: Piece, node: str) -> Iterator[tuple[str, Style]]:
        state = self.scene.state(node)
        rim = self._rim_style(state)
        if piece.kind == "frame":
            yield piece.heavy if state in HEAVY else piece.text, rim
            return
        drawing, box, broken = self.sheet.drawing, self.sheet.boxes[node], node in self.scene.broken
        face = face_of(drawing.looks[node], drawing.zoom, box, state, drawing.glyphs, broken=broken)
        text = face.lines[piece.detail] if piece.detail < len(face.lines) else ""
        begin, end = face.ends
        if begin:
            yield begin, rim
        style = self._name_style(node, state, broken=broken) if piece.detail == 0 else rim
        yield set_cell_size(text, piece.width - len(begin) - len(end)), style
        if end:
            yield end, rim

    def _name_style(self, node: str, state: State | None, *, broken: bool) -> Style:
        scene, palette = self.scene, self.palette
        style = palette[state or ("broken" if broken else "node")]
        if node in scene.hits:
            style += palette["hit"]
        return style + palette["selected"] if node == scene.node else style
