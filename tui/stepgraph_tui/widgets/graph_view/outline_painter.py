"""Paint the lines of a listed graph, with everything that is said of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style

from stepgraph_tui.drawing.outline.lines import OutlineLine
from stepgraph_tui.drawing.outline.words import INDENT, UNREACHED, begin_of, edge_of, word_of
from stepgraph_tui.drawing.picture.graph_drawing import SHARE
from stepgraph_tui.drawing.picture.node_content import WORDS
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import plural

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import Glyphs
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

    from .marked_graph import MarkedGraph
    from .marks import Badge
    from .styles import GraphStyles

_BESIDE = 40  # cells for brackets, marks, counts of problems and what is said of an edge
_LONGEST_WORD = max(map(len, WORDS.values()))


class OutlinePainter:
    """Paints lines. It keeps nothing: it asks the graph's scene each time.

    Args:
        model: The graph, with what there is to say of its parts.
        styles: What that looks like.
    """

    def __init__(self, model: MarkedGraph, styles: GraphStyles) -> None:
        self._model, self._styles = model, styles

    def texts(self, line: OutlineLine, *, selected: bool, hidden: int = 0) -> Iterator[tuple[str, Style]]:
        """Yield the texts of a line.

        Args:
            line: The line.
            selected: Whether it is the line of the selected node.
            hidden: How many lines are folded away below it.
        """
        scene, styles, drawing, glyphs = (
            self._model.scene,
            self._styles,
            self._model.drawing,
            self._model.glyphs,
        )
        if line.node is None:
            yield UNREACHED, styles["hint"]
            return
        state, caption, badge = scene.state(line.node), drawing.caption(line.node), scene.badge(line.node)
        plain = "broken" if badge.errors else "picked" if line.node in scene.picked else "node"
        style = styles["hint" if line.elsewhere else state or plain]
        indent, status = begin_of(line, caption, state, glyphs, scene.first(line.node, glyphs))
        breaks = "" if line.elsewhere else scene.breaks_at(line.node, glyphs)
        yield indent, style
        if selected:
            style += styles["selected"]
        if breaks:  # between the type and the name
            yield status[:-1], style
            yield breaks, styles.of_break(scene, line.node)
        else:
            yield status, style
        hit = styles["hit"] if line.node in scene.hits and not line.elsewhere else Style.null()
        yield caption.name, style + hit
        if not line.elsewhere:
            yield f" {caption.signs}".rstrip(), styles["signs"]
            yield _badge_text(badge, glyphs), styles["broken" if badge.errors else "warning"]
            yield word_of(state, scene.marks.visits(line.node)), style
        if line.edge is not None:
            sign = scene.breaks_at(line.edge, glyphs)
            wrong = _badge_text(scene.badge(line.edge), glyphs) + (f" {sign}" if sign else "")
            share = self._share(line.edge) if line.edge in drawing.loops else ""
            text = edge_of(
                f"{drawing.texts[line.edge]} {share}".strip(), wrong, faint=line.edge in scene.faint
            )
            yield text, styles.of_label(scene, line.edge, hit=line.edge in scene.hits)
        if hidden:
            yield f"  {glyphs.picked} {plural(hidden, 'line')}", styles["hint"]

    def _share(self, edge: int) -> str:
        """Write how many visits of its node an edge was taken on."""
        return self._model.scene.marks.share(edge, self._model.ends(edge)[0], SHARE)


def name_span(line: OutlineLine, drawing: GraphDrawing) -> tuple[int, int]:
    """Measure the cells from the status of a node to the end of its name."""
    begin = INDENT * line.level
    name = drawing.caption(line.node).name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def _badge_text(badge: Badge, glyphs: Glyphs) -> str:
    """Word what is wrong: the mark, and how many problems there are if there are several."""
    said = badge.counts(glyphs) or badge.mark(glyphs)
    return f" {said}" if said else ""


def width_of(line: OutlineLine, drawing: GraphDrawing) -> int:
    """Measure the cells that a line takes at the most."""
    if line.node is None:
        return len(UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    return name_span(line, drawing)[1] + cell_len(text) + _LONGEST_WORD + _BESIDE
