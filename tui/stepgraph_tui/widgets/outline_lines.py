"""A graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from stepgraph.graph_parts import END
from stepgraph_tui.drawing.zoom import WORDS, Look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepgraph_tui.drawing.from_graph import GraphDrawing
    from stepgraph_tui.drawing.glyphs import Glyphs, State

    from .graph_view.badges import Badge
    from .graph_view.movement import Wiring

UNREACHED = "Not reached from the start:"
"""What stands above the nodes that no way leads to."""
_INDENT = 2  # cells for each level
_BESIDE = 40  # cells for brackets, marks, counts of problems and what is said of an edge
_NEVER = "never taken"
_LONGEST_WORD = max(map(len, WORDS.values()))


class Line(NamedTuple):
    """One line: a node, and the edge that leads there from a line above."""

    node: str | None
    """None for a heading."""
    edge: int | None = None
    level: int = 0
    """How often a way has parted before it: of several edges each begins a block of its own, one level
    deeper, while a single edge leads to the next line of the same block."""
    again: bool = False
    """Whether the node has a line of its own above."""


def outline(drawing: GraphDrawing, wiring: Wiring, start: str) -> list[Line]:
    """The lines of a graph; every edge and every node has exactly one, but END, where many ways may end."""
    seen: set[str] = set()
    lines: list[Line] = []
    if start in drawing.names:
        _walk(wiring, start, seen, lines)
    others = [name for name in drawing.names if name not in seen and name != END]
    if others:
        lines.append(Line(None))
        for name in others:
            if name not in seen:
                _walk(wiring, name, seen, lines)
    return lines


def _walk(wiring: Wiring, start: str, seen: set[str], lines: list[Line]) -> None:
    ahead: list[tuple[str, int | None, int]] = [(start, None, 0)]
    while ahead:
        node, edge, level = ahead.pop()
        if node in seen:
            lines.append(Line(node, edge, level, node != END))
            continue
        seen.add(node)
        lines.append(Line(node, edge, level))
        edges = wiring.at(node, "out")
        level += len(edges) > 1
        for leaving in reversed(edges):
            ahead.append((wiring.edges[leaving].target, leaving, level))


def begin_of(line: Line, look: Look, state: State | None, glyphs: Glyphs, *, picked: bool) -> tuple[str, str]:
    """What stands before the name: the indentation, then status, the mark of somebody, and type."""
    indent = " " * (_INDENT * line.level)
    if line.again:
        return indent + "    ", "^"
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark}{glyphs.picked if picked else ' '}{' ' if look.end else look.letter} "


def word_of(line: Line, state: State | None) -> str:
    """What stands behind the name: the status in a word."""
    word = WORDS[state] if state is not None and not line.again else ""
    return f"  {word}" if word else ""


def edge_of(text: str, problems: str, *, faint: bool) -> str:
    """The edge that leads there, in brackets.

    Args:
        text: Its number, label or condition.
        problems: What is wrong with it, in a few characters.
        faint: Whether it is never taken.
    """
    said = ", ".join(filter(None, (text, _NEVER if faint else "")))
    return f"  [{said}{problems}]" if said or problems else ""


def name_of(line: Line, look: Look) -> str:
    """The name with the mark of side effects."""
    return look.name if line.again or not look.side_effects else f"{look.name} !"


def name_span(line: Line, drawing: GraphDrawing) -> tuple[int, int]:
    """The cells from the status of a node to the end of its name."""
    begin = _INDENT * line.level
    name = drawing.looks[line.node].name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def badge_text(badge: Badge, glyphs: Glyphs) -> str:
    """What is wrong: the mark, and how many problems there are if there are several."""
    said = badge.counts(glyphs) or badge.mark(glyphs)
    return f" {said}" if said else ""


def width_of(lines: Sequence[Line], drawing: GraphDrawing) -> int:
    """How many cells the longest line takes at the most; 0 without lines."""
    if not lines:
        return 0
    names = {name: _cells(look.name) for name, look in drawing.looks.items()}
    texts = [*map(_cells, drawing.texts), 0]
    widths = [
        _INDENT * level + names[node] + texts[-1 if edge is None else edge]
        for node, edge, level, _ in lines
        if node is not None
    ]
    return max(len(UNREACHED), max(widths) + _LONGEST_WORD + _BESIDE)


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)
