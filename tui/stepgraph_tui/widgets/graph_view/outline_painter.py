"""Paint the lines of a listed graph, with everything that is said of its nodes and edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style

from stepgraph_tui.drawing.picture.graph_drawing import SHARE
from stepgraph_tui.drawing.picture.node_content import WORDS, NodeCaption, times_of
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import plural

from .outline_lines import OutlineLine

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.glyphs import Glyphs, State
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing

    from .marked_graph import MarkedGraph
    from .marks import Badge
    from .styles import GraphStyles

_UNREACHED = "Not reached from the start:"  # stands above the nodes that no way leads to
_INDENT = 2  # cells for each level
_BESIDE = 40  # cells for brackets, marks, counts of problems and what is said of an edge
_NEVER = "never taken"
_ARROWS = {"above": "↑^", "below": "↓v"}  # to where a node has its own line; the second for plain ASCII
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
            yield _UNREACHED, styles["hint"]
            return
        state, caption, badge = scene.state(line.node), drawing.caption(line.node), scene.badge(line.node)
        plain = "broken" if badge.errors else "picked" if line.node in scene.picked else "node"
        style = styles["hint" if line.elsewhere else state or plain]
        indent, status = _begin_of(line, caption, state, glyphs, scene.first(line.node, glyphs))
        yield indent, style
        if selected:
            style += styles["selected"]
        yield status, style
        hit = styles["hit"] if line.node in scene.hits and not line.elsewhere else Style.null()
        yield caption.name, style + hit
        if not line.elsewhere:
            yield " !" if caption.side_effects else "", styles["effects"]
            yield _badge_text(badge, glyphs), styles["broken" if badge.errors else "warning"]
            yield _word_of(state, scene.marks.visits(line.node)), style
        if line.edge is not None:
            wrong = _badge_text(scene.badge(line.edge), glyphs)
            share = self._share(line.edge) if line.edge in drawing.loops else ""
            text = _edge_of(
                f"{drawing.texts[line.edge]} {share}".strip(), wrong, faint=line.edge in scene.faint
            )
            yield text, styles.of_label(scene, line.edge)
        if hidden:
            yield f"  {glyphs.picked} {plural(hidden, 'line')}", styles["hint"]

    def _share(self, edge: int) -> str:
        """Write how many visits of its node an edge was taken on."""
        return self._model.scene.marks.share(edge, self._model.ends(edge)[0], SHARE)


def _begin_of(
    line: OutlineLine, caption: NodeCaption, state: State | None, glyphs: Glyphs, first: str
) -> tuple[str, str]:
    """Word what stands before the name: the indentation, then status, the mark of somebody, and type."""
    indent = " " * (_INDENT * line.level)
    if line.elsewhere:
        return indent + "  ", _ARROWS[line.elsewhere][glyphs.plain] + " "
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark}{first or ' '}{' ' if caption.end else caption.letter} "


def _word_of(state: State | None, visits: int) -> str:
    """Word what stands behind the name: the status, and how often the run was there."""
    words = "  ".join(filter(None, (WORDS[state] if state is not None else "", times_of(visits))))
    return f"  {words}" if words else ""


def _edge_of(text: str, problems: str, *, faint: bool) -> str:
    """Word the edge that leads there, in brackets.

    Args:
        text: Its number, label or condition.
        problems: What is wrong with it, in a few characters.
        faint: Whether it is never taken.
    """
    said = ", ".join(filter(None, (text, _NEVER if faint else "")))
    return f"  [{said}{problems}]" if said or problems else ""


def name_span(line: OutlineLine, drawing: GraphDrawing) -> tuple[int, int]:
    """Measure the cells from the status of a node to the end of its name."""
    begin = _INDENT * line.level
    name = drawing.caption(line.node).name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def _badge_text(badge: Badge, glyphs: Glyphs) -> str:
    """Word what is wrong: the mark, and how many problems there are if there are several."""
    said = badge.counts(glyphs) or badge.mark(glyphs)
    return f" {said}" if said else ""


def width_of(line: OutlineLine, drawing: GraphDrawing) -> int:
    """Measure the cells that a line takes at the most."""
    if line.node is None:
        return len(_UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    return name_span(line, drawing)[1] + cell_len(text) + _LONGEST_WORD + _BESIDE
