"""A graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from stepgraph.graph_parts import END
from stepgraph_tui.drawing.zoom import WORDS, Look

if TYPE_CHECKING:
    from stepgraph_tui.drawing.from_graph import GraphDrawing
    from stepgraph_tui.drawing.glyphs import Glyphs, State
    from stepgraph_tui.drawing.trail import Part

    from .graph_view.badges import Badge
    from .graph_view.movement import Wiring

UNREACHED = "Not reached from the start:"
"""What stands above the nodes that no way leads to."""
_INDENT = 2  # cells for each level
_BESIDE = 40  # cells for brackets, marks, counts of problems and what is said of an edge
_NEVER = "never taken"
_LONGEST_WORD = max(map(len, WORDS.values()))


class OutlineLine(NamedTuple):
    """One line: a node, and the edge that leads there from a line above."""

    node: str | None
    """None for a heading."""
    edge: int | None = None
    level: int = 0
    """How often a way has parted before it: of several edges each begins a block of its own, one level
    deeper, while a single edge leads to the next line of the same block."""
    again: bool = False
    """Whether the node has a line of its own above."""


class OutlineLines:
    """The lines of a graph; every edge and every node has exactly one, but END, where many ways may end.

    They are kept in columns: a large graph is listed anew after each edit, and then only what is looked at
    is ever made a line.

    Args:
        names: The nodes.
        wiring: The edges.
        start: The node where a run begins.
    """

    def __init__(self, names: Iterable[str] = (), wiring: Wiring | None = None, start: str = "") -> None:
        self._nodes: list[str | None] = []
        self._edges: list[int] = []  # -1 where none leads
        self._levels: list[int] = []
        self._own: dict[str, int] = {}  # of END the first
        self._ends: list[int] = []
        self._of_edges: dict[int, int] = {}
        if wiring is not None:
            self._list(list(names), wiring, start)

    def _list(self, names: Sequence[str], wiring: Wiring, start: str) -> None:
        if start in names:
            self._walk(wiring, start)
        others = [name for name in names if name not in self._own and name != END]
        if others:
            self._add(None, -1, 0)
            for name in others:
                if name not in self._own:
                    self._walk(wiring, name)

    def _walk(self, wiring: Wiring, start: str) -> None:
        ahead, levels = [-1], [0]
        while ahead:
            edge, level = ahead.pop(), levels.pop()
            node = wiring.edges[edge].target if edge >= 0 else start
            number = self._add(node, edge, level)
            if node == END:
                self._ends.append(number)
            if node not in self._own:
                self._own[node] = number
                leaving = wiring.at(node, "out")
                ahead += reversed(leaving)
                levels += [level + (len(leaving) > 1)] * len(leaving)

    def _add(self, node: str | None, edge: int, level: int) -> int:
        self._nodes.append(node)
        self._edges.append(edge)
        self._levels.append(level)
        number = len(self._nodes) - 1
        if edge >= 0:
            self._of_edges[edge] = number
        return number

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, number: int) -> OutlineLine:
        node, edge = self._nodes[number], self._edges[number]
        again = node is not None and node != END and self._own[node] != number
        return OutlineLine(node, edge if edge >= 0 else None, self._levels[number], again)

    def __iter__(self) -> Iterator[OutlineLine]:
        return map(self.__getitem__, range(len(self)))

    def of(self, part: Part) -> Sequence[int]:
        """Find where a node or an edge is listed; not where a line only says that its node stands above."""
        if part == END:
            return self._ends
        number = self._own.get(part) if isinstance(part, str) else self._of_edges.get(part)
        return () if number is None else (number,)


def begin_of(
    line: OutlineLine, look: Look, state: State | None, glyphs: Glyphs, *, picked: bool
) -> tuple[str, str]:
    """Write what stands before the name: the indentation, then status, the mark of somebody, and type."""
    indent = " " * (_INDENT * line.level)
    if line.again:
        return indent + "    ", "^"
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark}{glyphs.picked if picked else ' '}{' ' if look.end else look.letter} "


def word_of(line: OutlineLine, state: State | None) -> str:
    """Write what stands behind the name: the status in a word."""
    word = WORDS[state] if state is not None and not line.again else ""
    return f"  {word}" if word else ""


def edge_of(text: str, problems: str, *, faint: bool) -> str:
    """Write the edge that leads there, in brackets.

    Args:
        text: Its number, label or condition.
        problems: What is wrong with it, in a few characters.
        faint: Whether it is never taken.
    """
    said = ", ".join(filter(None, (text, _NEVER if faint else "")))
    return f"  [{said}{problems}]" if said or problems else ""


def name_of(line: OutlineLine, look: Look) -> str:
    """Write the name with the mark of side effects."""
    return look.name if line.again or not look.side_effects else f"{look.name} !"


def name_span(line: OutlineLine, drawing: GraphDrawing) -> tuple[int, int]:
    """Find the cells from the status of a node to the end of its name."""
    begin = _INDENT * line.level
    name = drawing.look(line.node).name if line.node is not None else ""
    return begin, begin + 4 + cell_len(name)


def badge_text(badge: Badge, glyphs: Glyphs) -> str:
    """Tell what is wrong: the mark, and how many problems there are if there are several."""
    said = badge.counts(glyphs) or badge.mark(glyphs)
    return f" {said}" if said else ""


def width_of(line: OutlineLine, drawing: GraphDrawing) -> int:
    """Count how many cells a line takes at the most."""
    if line.node is None:
        return len(UNREACHED)
    text = drawing.texts[line.edge] if line.edge is not None else ""
    return name_span(line, drawing)[1] + cell_len(text) + _LONGEST_WORD + _BESIDE
