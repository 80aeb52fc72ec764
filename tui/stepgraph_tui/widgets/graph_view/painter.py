"""Paint rows of a picture as strips, with everything that is said of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from stepgraph_tui.drawing.picture.graph_drawing import SHARE
from stepgraph_tui.drawing.picture.node_content import HEAVY, box_content, times_of
from stepgraph_tui.text.cells import cell_len, set_cell_size

from .scene import TONES

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import State
    from stepgraph_tui.drawing.picture.paint import BoxContent

    from .laid_out_graph import LaidOutGraph
    from .picture_rows import PictureSpan
    from .scene import Scene
    from .styles import GraphStyles

_LOUD = HEAVY | {"failed"}  # the states that a frame tells, too
_AS_NODES: frozenset[str] = frozenset({"edge", "faint"})  # edges that begin as their node's frame looks


class Painter:
    """Paints a graph that is laid out. It keeps nothing: it asks the scene each time.

    Args:
        laid_out: The graph.
        scene: What there is to say of its parts.
        styles: What that looks like.
    """

    def __init__(self, laid_out: LaidOutGraph, scene: Scene, styles: GraphStyles) -> None:
        self.laid_out, self.scene, self.styles = laid_out, scene, styles
        glyphs = laid_out.drawing.glyphs
        self._faint = str.maketrans(glyphs.lines + glyphs.back, glyphs.faint * 2)

    def strip(self, y: int, left: int, width: int) -> Strip:
        """Paint a row of the picture, or what there is of it, in so many cells from a column on.

        Args:
            y: The row; there need not be one.
            left: The first column; it may lie before the picture.
            width: How many cells are wanted.
        """
        base = self.styles["node"]
        segments: list[Segment] = []
        at = start = left
        for span in (
            self.laid_out.rows.spans(y, left, left + width) if 0 <= y < self.laid_out.picture.height else ()
        ):
            if span.x > at:
                segments.append(Segment(" " * (span.x - at), base))
            elif span.x < at:
                start = span.x
            segments += (Segment(text, style) for text, style in self._parts(span))
            at = span.x + span.width
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
        line = Segment(text[begin - x : end - x], self.styles["rubber"])
        return Strip.join([strip.crop(0, begin - left), Strip([line]), strip.crop(end - left, width)])

    def _parts(self, span: PictureSpan) -> Iterator[tuple[str, Style]]:
        """Yield the texts of a span; together they are as wide as it is."""
        owner = span.owner
        if isinstance(owner, str):
            yield from self._box_parts(span, owner)
            return
        edge = self._speaker(owner)
        if span.kind == "label":
            hit = not self.scene.hits.isdisjoint(self.laid_out.edges_of(owner))
            yield self._label(span, edge), self.styles.of_label(self.scene, edge, hit=hit)
        elif span.kind == "port":
            yield self._port(span, owner, edge)
        else:
            yield self._line(span, owner, edge)

    # Edges

    def _speaker(self, owner: int) -> int | None:
        """Find the edge that a line is painted as: of a bundle the one that stands out most."""
        return self.scene.speaker(self.laid_out.edges_of(owner))

    def _line(self, span: PictureSpan, owner: int, edge: int | None) -> tuple[str, Style]:
        tone = self._tone(owner, edge)
        style = self.styles[tone]
        if span.kind == "head":
            wrong = self.scene.badge(edge).errors
            text = self.laid_out.drawing.glyphs.error if wrong else span.text
            stop = None if wrong else self.scene.stop(self.laid_out.edges_of(owner))
            if stop is not None:
                sign = self.scene.breaks_at(stop, self.laid_out.drawing.glyphs)
                return sign, self.styles.of_break(self.scene, stop)
            return text, style + self.styles["selected"] if tone == "chosen" else style
        if span.detail >= 0:  # where two lines cross, the louder one is seen
            other = self._tone(span.detail, self._speaker(span.detail))
            style = self.styles[max(tone, other, key=TONES.index)]
        if tone == "chosen":
            return span.heavy, style
        return span.text.translate(self._faint) if tone == "faint" else span.text, style

    def _label(self, span: PictureSpan, edge: int | None) -> str:
        """Write the text of an edge; that of a loop has room in a card for how often it was taken."""
        drawing, owner = self.laid_out.drawing, span.owner
        if isinstance(owner, str):
            return span.text
        if owner in drawing.drawn.bundles:
            return self._bundle_label(owner, edge, span.width)
        if edge is None or drawing.zoom != "card" or owner not in drawing.loops:
            return span.text
        source = self.laid_out.now(drawing.edges[owner].source)
        share = self.scene.marks.share(edge, source, SHARE) if source is not None else ""
        return drawing.label(owner, self.laid_out.picture.direction, share)

    def _bundle_label(self, line: int, edge: int | None, width: int) -> str:
        """Write which edge of a bundle is selected or was taken, else what the bundle says."""
        drawing = self.laid_out.drawing
        bundle = drawing.drawn.bundles[line]
        told = edge is not None and (edge == self.scene.edge or self.scene.marks.fired(edge))
        chosen = next((one for one in bundle if self.laid_out.now(one) == edge), None) if told else None
        return set_cell_size(drawing.bundle_label(line, chosen), width)

    def _tone(self, owner: int, edge: int | None) -> str:
        return self.scene.tone(edge, back=self.laid_out.routes[owner].back)

    def _port(self, span: PictureSpan, owner: int, edge: int | None) -> tuple[str, Style]:
        drawing, scene = self.laid_out.drawing, self.scene
        source = self.laid_out.now(drawing.edges[owner].source)
        state = scene.state(source) if source is not None else None
        glyphs = drawing.glyphs
        sets = (glyphs.ports, glyphs.fired, glyphs.heavy_ports, glyphs.heavy_fired)
        heavy = state in HEAVY or (source is not None and source == scene.lit)
        fired = edge is not None and scene.marks.fired(edge)
        glyph = sets[2 * heavy + fired][span.detail]
        tone = scene.tone(edge)
        return glyph, self._rim_style(source, state) if tone in _AS_NODES else self.styles[tone]

    # Nodes

    def _rim_style(self, node: str | None, state: State | None) -> Style:
        if node is not None and node == self.scene.lit:
            return self.styles["rubber"]
        if state is not None and state in _LOUD:
            return self.styles[state]
        return self.styles["picked" if node in self.scene.picked else "frame"]

    def _box_parts(self, span: PictureSpan, owner: str) -> Iterator[tuple[str, Style]]:
        node = self.laid_out.now(owner)
        state = self.scene.state(node) if node is not None else None
        rim = self._rim_style(node, state)
        if span.kind == "frame":
            heavy = state in HEAVY or (node is not None and node == self.scene.lit)
            yield from self._frame_parts(span, node, span.heavy if heavy else span.text, rim)
        else:
            yield from self._content_parts(span, owner, node, state, rim)

    def _frame_parts(
        self, span: PictureSpan, node: str | None, text: str, rim: Style
    ) -> Iterator[tuple[str, Style]]:
        """Paint a stretch of the frame; the upper one says how many problems there are."""
        counts = self.scene.badge(node).counts(self.laid_out.drawing.glyphs) if span.detail == 0 else ""
        style = self._badge_style(node)
        if not counts and span.detail == 0 and node is not None and self.laid_out.drawing.zoom == "compact":
            counts, style = times_of(self.scene.marks.visits(node)), rim
        end = len(text) - 2  # one cell of the frame and its corner, or a port, come behind
        if counts and end - len(counts) >= 2:
            yield text[: end - len(counts)], rim
            yield counts, style
            text = text[end:]
        yield text, rim

    def _content_parts(
        self, span: PictureSpan, owner: str, node: str | None, state: State | None, rim: Style
    ) -> Iterator[tuple[str, Style]]:
        drawing, box = self.laid_out.drawing, self.laid_out.boxes[owner]
        badge = self.scene.badge(node).mark(drawing.glyphs)
        first = self.scene.first(node, drawing.glyphs)
        breaks = self.scene.breaks_at(node, drawing.glyphs)
        caption = drawing.captions[owner]
        visit = self.scene.marks.visit(node) if node is not None and drawing.zoom == "card" else None
        content = box_content(
            caption,
            drawing.zoom,
            box,
            state,
            drawing.glyphs,
            badge=badge,
            first=first,
            breaks=breaks,
            visit=visit,
        )
        text = content.lines[span.detail] if span.detail < len(content.lines) else ""
        begin, end = content.ends
        marked = self.styles["picked" if node in self.scene.picked else "warning"]
        stop = self.styles.of_break(self.scene, node) if breaks else marked
        if begin:
            yield begin, stop if begin == breaks else marked if begin == first else rim
        room = span.width - cell_len(begin) - cell_len(end)
        if span.detail == 0:
            marks: list[tuple[int | None, Style]] = [(0, marked)] if first and not begin else []
            marks += [(2, stop)] if breaks and not begin else []
            yield from self._name_parts(set_cell_size(text, room), content, node, state, marks)
        else:
            yield set_cell_size(text, room), rim
        if end:
            yield end, self._badge_style(node) if badge and end == badge else rim

    def _name_parts(
        self,
        text: str,
        content: BoxContent,
        node: str | None,
        state: State | None,
        marks: list[tuple[int | None, Style]],
    ) -> Iterator[tuple[str, Style]]:
        """Yield the line of the name, with the marks before and behind it in their own styles."""
        style, begin = self._name_style(node, state), 0
        chosen = self.styles["selected"] if node is not None and node == self.scene.node else Style.null()
        signs = ((at, self.styles["signs"]) for at in content.signs_at)
        behind = (*signs, (content.badge_at, self._badge_style(node)))
        for at, mark in (*marks, *behind):
            if at is not None:
                yield text[begin:at], style
                yield text[at : at + 1], mark + chosen
                begin = at + 1
        yield text[begin:], style

    def _badge_style(self, node: str | None) -> Style:
        return self.styles["broken" if self.scene.badge(node).errors else "warning"]

    def _name_style(self, node: str | None, state: State | None) -> Style:
        scene, styles = self.scene, self.styles
        if node is None:
            return styles["node"]
        if node == scene.lit:
            return styles["lit"]
        plain = "broken" if scene.badge(node).errors else "picked" if node in scene.picked else "node"
        style = styles[state or plain]
        if node in scene.hits:
            style += styles["hit"]
        return style + styles["selected"] if node == scene.node else style
