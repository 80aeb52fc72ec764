"""Rows of a picture as Strips, with everything that is said of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip

from stepgraph_tui.drawing.picture.node_content import HEAVY, box_content

from .scene import TONES

if TYPE_CHECKING:
    from rich.style import Style

    from stepgraph_tui.drawing.picture.glyphs import State

    from .rows import Piece
    from .scene import Scene
    from .sheet import Sheet
    from .styles import Palette

_LOUD = HEAVY | {"failed"}  # the states that a frame tells, too
_AS_NODES: frozenset[str] = frozenset({"edge", "faint"})  # edges that begin as their node's frame looks


class Painter:
    """Paints a sheet. It keeps nothing: what a row looks like is asked of the scene each time.

    Args:
        sheet: The sheet.
        scene: What there is to say of its parts.
        palette: What that looks like.
    """

    def __init__(self, sheet: Sheet, scene: Scene, palette: Palette) -> None:
        self.sheet, self.scene, self.palette = sheet, scene, palette
        glyphs = sheet.drawing.glyphs
        self._faint = str.maketrans(glyphs.lines + glyphs.back, glyphs.faint * 2)

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
        strip = Strip(segments).crop_extend(left - start, left - start + width, base)
        return self._with_rubber(strip, y, left, width)

    def _with_rubber(self, strip: Strip, y: int, left: int, width: int) -> Strip:
        drawn = self.scene.rubber.text(y) if self.scene.rubber is not None else None
        if drawn is None:
            return strip
        x, text = drawn
        begin, end = max(x, left), min(x + len(text), left + width)
        if begin >= end:
            return strip
        line = Segment(text[begin - x : end - x], self.palette["rubber"])
        return Strip.join([strip.crop(0, begin - left), Strip([line]), strip.crop(end - left, width)])

    def _parts(self, piece: Piece) -> Iterator[tuple[str, Style]]:
        """The texts of a piece; together as wide as it is."""
        owner = piece.owner
        if isinstance(owner, str):
            yield from self._box_parts(piece, owner)
            return
        edge = self.sheet.now(owner)
        if piece.kind == "label":
            yield piece.text, self._label_style(edge)
        elif piece.kind == "port":
            yield self._port(piece, owner, edge)
        else:
            yield self._line(piece, owner, edge)

    # Edges

    def _line(self, piece: Piece, owner: int, edge: int | None) -> tuple[str, Style]:
        tone = self._tone(owner, edge)
        style = self.palette[tone]
        if piece.kind == "head":
            wrong = self.scene.badge(edge).errors
            text = self.sheet.drawing.glyphs.error if wrong else piece.text
            return text, style + self.palette["selected"] if tone == "chosen" else style
        if piece.detail >= 0:  # where two lines cross, the louder one is seen
            other = self._tone(piece.detail, self.sheet.now(piece.detail))
            style = self.palette[max(tone, other, key=TONES.index)]
        if tone == "chosen":
            return piece.heavy, style
        return piece.text.translate(self._faint) if tone == "faint" else piece.text, style

    def _tone(self, owner: int, edge: int | None) -> str:
        return self.scene.tone(edge, back=self.sheet.picture.routes[owner].back)

    def _label_style(self, edge: int | None) -> Style:
        tone = self.scene.tone(edge)
        style = self.palette["label" if tone == "edge" else tone]
        if edge in self.scene.hits:
            style += self.palette["hit"]
        return style + self.palette["selected"] if tone == "chosen" else style

    def _port(self, piece: Piece, owner: int, edge: int | None) -> tuple[str, Style]:
        drawing, scene = self.sheet.drawing, self.scene
        source = self.sheet.now(drawing.edges[owner].source)
        state = scene.state(source) if source is not None else None
        glyphs = drawing.glyphs
        sets = (glyphs.ports, glyphs.fired, glyphs.heavy_ports, glyphs.heavy_fired)
        heavy = state in HEAVY or (source is not None and source == scene.lit)
        fired = edge is not None and scene.marks.fired(edge)
        glyph = sets[2 * heavy + fired][piece.detail]
        tone = scene.tone(edge)
        return glyph, self._rim_style(source, state) if tone in _AS_NODES else self.palette[tone]

    # Nodes

    def _rim_style(self, node: str | None, state: State | None) -> Style:
        if node is not None and node == self.scene.lit:
            return self.palette["rubber"]
        if state is not None and state in _LOUD:
            return self.palette[state]
        return self.palette["picked" if node in self.scene.picked else "frame"]

    def _box_parts(self, piece: Piece, owner: str) -> Iterator[tuple[str, Style]]:
        node = self.sheet.now(owner)
        state = self.scene.state(node) if node is not None else None
        rim = self._rim_style(node, state)
        if piece.kind == "frame":
            heavy = state in HEAVY or (node is not None and node == self.scene.lit)
            yield from self._frame_parts(piece, node, piece.heavy if heavy else piece.text, rim)
        else:
            yield from self._content_parts(piece, owner, node, state, rim)

    def _frame_parts(
        self, piece: Piece, node: str | None, text: str, rim: Style
    ) -> Iterator[tuple[str, Style]]:
        """A stretch of the frame; on the upper one, how many problems there are."""
        counts = self.scene.badge(node).counts(self.sheet.drawing.glyphs) if piece.detail == 0 else ""
        end = len(text) - 2  # one cell of the frame and its corner, or a port, come behind
        if counts and end - len(counts) >= 2:
            yield text[: end - len(counts)], rim
            yield counts, self._badge_style(node)
            text = text[end:]
        yield text, rim

    def _content_parts(
        self, piece: Piece, owner: str, node: str | None, state: State | None, rim: Style
    ) -> Iterator[tuple[str, Style]]:
        drawing, box = self.sheet.drawing, self.sheet.boxes[owner]
        badge = self.scene.badge(node).mark(drawing.glyphs)
        picked = node in self.scene.picked
        caption = drawing.captions[owner]
        content = box_content(caption, drawing.zoom, box, state, drawing.glyphs, badge=badge, picked=picked)
        text = content.lines[piece.detail] if piece.detail < len(content.lines) else ""
        begin, end = content.ends
        if begin:
            yield begin, rim
        room = piece.width - cell_len(begin) - cell_len(end)
        if piece.detail == 0:
            yield from self._name_parts(set_cell_size(text, room), content.badge_at, node, state)
        else:
            yield set_cell_size(text, room), rim
        if end:
            yield end, self._badge_style(node) if badge and end == badge else rim

    def _name_parts(
        self, text: str, badge_at: int | None, node: str | None, state: State | None
    ) -> Iterator[tuple[str, Style]]:
        style = self._name_style(node, state)
        if badge_at is None:
            yield text, style
            return
        badge = self._badge_style(node)
        if node is not None and node == self.scene.node:
            badge += self.palette["selected"]
        yield text[:badge_at], style
        yield text[badge_at : badge_at + 1], badge
        yield text[badge_at + 1 :], style

    def _badge_style(self, node: str | None) -> Style:
        return self.palette["broken" if self.scene.badge(node).errors else "warning"]

    def _name_style(self, node: str | None, state: State | None) -> Style:
        scene, palette = self.scene, self.palette
        if node is None:
            return palette["node"]
        if node == scene.lit:
            return palette["lit"]
        plain = "broken" if scene.badge(node).errors else "picked" if node in scene.picked else "node"
        style = palette[state or plain]
        if node in scene.hits:
            style += palette["hit"]
        return style + palette["selected"] if node == scene.node else style
