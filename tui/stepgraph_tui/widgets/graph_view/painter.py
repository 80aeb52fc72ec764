"""Paint rows of a picture as strips, with all marks of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Region, Size
from textual.strip import Strip

from ...drawing.picture.glyphs import State
from ...drawing.picture.graph_drawing import SHARE
from ...drawing.picture.node_content import HEAVY, box_content, times_of
from ...text.cells import cell_len, set_cell_size
from ..part_styles import MUTED, PartStyles
from .marks import TONES

if TYPE_CHECKING:
    from textual.widget import Widget

    from ...drawing.picture.paint import BoxContent
    from ...drawing.picture.run_marks import Part
    from .laid_out_graph import LaidOutGraph
    from .marks import Scene
    from .picture_rows import PictureSpan


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
        """Paint a row of the picture, or what there is of it, in ``width`` cells from a column on.

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
        return Strip(segments).crop_extend(left - start, left - start + width, base)

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
        is_shown = edge is not None and (edge == self.scene.edge or self.scene.marks.fired(edge))
        chosen = next((one for one in bundle if self.laid_out.now(one) == edge), None) if is_shown else None
        return set_cell_size(drawing.bundle_label(line, chosen), width)

    def _tone(self, owner: int, edge: int | None) -> str:
        return self.scene.tone(edge, back=self.laid_out.routes[owner].back)

    def _port(self, span: PictureSpan, owner: int, edge: int | None) -> tuple[str, Style]:
        drawing, scene = self.laid_out.drawing, self.scene
        source = self.laid_out.now(drawing.edges[owner].source)
        state = scene.state(source) if source is not None else None
        glyphs = drawing.glyphs
        sets = (glyphs.ports, glyphs.fired, glyphs.heavy_ports, glyphs.heavy_fired)
        heavy = state in HEAVY
        fired = edge is not None and scene.marks.fired(edge)
        glyph = sets[2 * heavy + fired][span.detail]
        tone = scene.tone(edge)
        return glyph, self._rim_style(source, state) if tone in _AS_NODES else self.styles[tone]

    # Nodes

    def _rim_style(self, node: str | None, state: State | None) -> Style:
        if state is not None and state in _LOUD:
            return self.styles[state]
        return self.styles["picked" if node in self.scene.picked else "frame"]

    def _box_parts(self, span: PictureSpan, owner: str) -> Iterator[tuple[str, Style]]:
        node = self.laid_out.now(owner)
        state = self.scene.state(node) if node is not None else None
        rim = self._rim_style(node, state)
        if span.kind == "frame":
            heavy = state in HEAVY
            yield from self._frame_parts(span, node, span.heavy if heavy else span.text, rim)
        else:
            yield from self._content_parts(span, owner, node, state, rim)

    def _frame_parts(
        self, span: PictureSpan, node: str | None, text: str, rim: Style
    ) -> Iterator[tuple[str, Style]]:
        """Paint a stretch of the frame; the upper one counts problems."""
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
        plain = "broken" if scene.badge(node).errors else "picked" if node in scene.picked else "node"
        style = styles[state or plain]
        if node in scene.hits:
            style += styles["hit"]
        return style + styles["selected"] if node == scene.node else style


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
        """Check whether the picture is large enough beside the pane for a map to help."""
        picture = self._laid_out.picture
        return len(picture.boxes) > _MANY and picture.width * picture.height > _WORTH * pane.area

    def _fits(self, pane: Size) -> bool:
        picture = self._laid_out.picture
        return picture.width <= pane.width and picture.height <= pane.height

    def place(self, pane: Size, seen: Region, keep_free: Iterable[Region], *, wanted: bool | None) -> bool:
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
        """Choose what is in a cell of the map, and its style."""
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


_LOOKS = {
    "node": "$foreground",
    "frame": "$foreground 50%",
    "start": "$text-primary",
    "done": "$text-success",
    "next": "bold $text-primary",
    "waits": "bold $text-warning",
    "failed": "bold $text-error",
    "runs": "bold $text-accent",
    "faint": "$foreground 45%",
    "edge": "$foreground 55%",
    "back": "$foreground 45%",
    "wrong": "$text-error",
    "fired": "$text-success",
    "taken": "bold $text-primary",
    "chosen": "bold $text-accent",
    "label": "$foreground 85%",
    "selected": "bold reverse",
    "hit": "bold underline $text-warning",
    "broken": "$text-error",
    "warning": "bold $text-warning",
    "picked": "bold $text-accent",
    "break": "bold $text-error",
    "break-hit": "bold underline reverse $text-warning",
    "hint": MUTED,
    "signs": "bold $text-warning",
    "map": "$foreground 55%",
    "map-seen": "reverse $foreground 80%",
    "map-place": "bold $text-accent",
    "map-place-seen": "bold reverse $text-accent",
}
"""A selected part, a found one and the marks tell themselves apart without color, too."""


class GraphStyles(PartStyles):
    """The styles of a picture's parts, as the theme has them now.

    Args:
        widget: The pane with the picture.
    """

    def __init__(self, widget: Widget) -> None:
        super().__init__(widget, _LOOKS, over=("selected", "hit"))

    def of_label(self, scene: Scene, edge: int | None, *, hit: bool) -> Style:
        """Choose the style of an edge's text, and mark it as what was found."""
        tone = scene.tone(edge)
        style = self["label" if tone == "edge" else tone]
        if hit:
            style += self["hit"]
        return style + self["selected"] if tone == "chosen" else style

    def of_break(self, scene: Scene, part: Part | None) -> Style:
        """Choose the style of a breakpoint's sign, and mark the one that was hit."""
        is_hit = part is not None and part == scene.breaks.hit
        return self["break-hit" if is_hit else "break"]
