"""A graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from stepgraph.graph_parts import END
from stepgraph_tui.drawing.zoom import WORDS, Look

if TYPE_CHECKING:
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
    lines = list(_walk(wiring, start, seen)) if start in drawing.names else []
    others = [name for name in drawing.names if name not in seen and name != END]
    if others:
        lines.append(Line(None))
        for name in others:
            if name not in seen:
                lines += _walk(wiring, name, seen)
    return lines


def _walk(wiring: Wiring, start: str, seen: set[str]) -> Iterator[Line]:
    ahead = [Line(start)]
    while ahead:
        line = ahead.pop()
        node = line.node
        if node is None or node in seen:
            yield Line(node, line.edge, line.level, again=node != END)
            continue
        seen.add(node)
        yield line
        edges = wiring.at(node, "out")
        level = line.level + (len(edges) > 1)
        ahead += (Line(wiring.edges[edge].target, edge, level) for edge in reversed(edges))


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


def width_of(line: Line, drawing: GraphDrawing) -> int:
    """How many cells a line takes at the most."""
    if line.node is None:
        return len(UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    name = drawing.looks[line.node].name
    return _INDENT * line.level + cell_len(name) + cell_len(text) + _LONGEST_WORD + _BESIDE
