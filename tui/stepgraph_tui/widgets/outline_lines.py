"""A graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from stepgraph.graph_parts import END
from stepgraph_tui.drawing.zoom import WORDS, Look

if TYPE_CHECKING:
    from collections.abc import Collection

    from stepgraph_tui.drawing.from_graph import GraphDrawing
    from stepgraph_tui.drawing.glyphs import Glyphs, State

    from .graph_view.movement import Wiring

UNREACHED = "Not reached from the start:"
"""What stands above the nodes that no way leads to."""
_INDENT = 2  # cells for each level
_LONGEST_WORD = max(map(len, WORDS.values()))


@dataclass(frozen=True, slots=True)
class Line:
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
    lines = list(_walk(wiring, start, seen)) if start in drawing.looks else []
    others = [name for name in drawing.looks if name not in seen and name != END]
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


def begin_of(line: Line, look: Look, state: State | None, glyphs: Glyphs) -> tuple[str, str]:
    """What stands before the name: the indentation, then status and type."""
    indent = " " * (_INDENT * line.level)
    if line.again:
        return indent + "    ", "^"
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark} {' ' if look.end else look.letter} "


def end_of(line: Line, drawing: GraphDrawing, state: State | None) -> tuple[str, str]:
    """What stands behind the name: the status in a word, and the edge in brackets."""
    word = WORDS[state] if state is not None and not line.again else ""
    text = drawing.texts[line.edge] if line.edge is not None else ""
    return f"  {word}" if word else "", f"  [{text}]" if text else ""


def name_of(line: Line, look: Look, broken: Collection[str], glyphs: Glyphs) -> str:
    """The name with its marks."""
    if line.again:
        return look.name
    effects = " !" if look.side_effects else ""
    return f"{look.name}{effects}{' ' + glyphs.marks['failed'] if line.node in broken else ''}"


def name_span(line: Line, drawing: GraphDrawing) -> tuple[int, int]:
    """The cells from the status of a node to the end of its name."""
    begin = _INDENT * line.level
    name = drawing.looks[line.node].name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def width_of(line: Line, drawing: GraphDrawing) -> int:
    """How many cells a line takes at the most."""
    if line.node is None:
        return len(UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    name = drawing.looks[line.node].name
    return _INDENT * line.level + cell_len(name) + cell_len(text) + _LONGEST_WORD + 14
