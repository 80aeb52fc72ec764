"""List a graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from stepgraph.graphs.parts import END

from .blocks import OutlineBlocks

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .wiring import Wiring


_Pending = tuple[str, int, int, bool]
"""A line to come: its node, edge and level, and whether it is the node's own."""


class OutlineLine(NamedTuple):
    """One line: a node, and the edge that leads there from a line above."""

    node: str | None
    """None for a heading."""
    edge: int | None = None
    level: int = 0
    """How far it is indented."""
    elsewhere: Literal["", "above", "below"] = ""
    """Where the node has its own line, if this is not it."""


class OutlineLines:
    """The lines of a graph; every edge and every node has exactly one, but END, where many ways may end.

    A single way goes on line by line. Where ways part each has a block of its own, one level deeper; where
    they meet again, the list is back at the level where they parted. A branch that holds half of what is
    below its node, or more, comes after the others at the level of the node: a long way never marches to the
    right.

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
        blocks = OutlineBlocks(wiring, start, frozenset(self._own))
        ahead = [(start, -1, 0, True)]
        while ahead:
            node, edge, level, own = ahead.pop()
            if own and edge < 0 and self._nodes[-1:] == [node] and self._levels[-1] == level:
                edge = self._take_last()  # a single way led there just now, so that it needs no line before
            number = self._add(node, edge, level)
            if node == END:
                self._ends.append(number)
                self._own.setdefault(END, number)
            elif own:
                self._own[node] = number
                ahead += reversed(_behind(node, level, blocks, wiring))

    def _take_last(self) -> int:
        """Take the last line away; its edge is to have another one."""
        self._nodes.pop()
        self._levels.pop()
        return self._edges.pop()

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
        elsewhere: Literal["", "above", "below"] = ""
        if node is not None and node != END and self._own[node] != number:
            elsewhere = "above" if self._own[node] < number else "below"
        return OutlineLine(node, edge if edge >= 0 else None, self._levels[number], elsewhere)

    def __iter__(self) -> Iterator[OutlineLine]:
        return map(self.__getitem__, range(len(self)))

    def of(self, part: Part) -> Sequence[int]:
        """Find where a node or an edge is listed; not where a line only says that its node stands above."""
        if part == END:
            return self._ends
        number = self._own.get(part) if isinstance(part, str) else self._of_edges.get(part)
        return () if number is None else (number,)

    def findable(self, drawing: GraphDrawing) -> Iterator[tuple[Part, str]]:
        """Yield the nodes by their names and the edges by their texts, line by line."""
        for line in self:
            if line.node is not None and not line.elsewhere:
                yield line.node, drawing.caption(line.node).name
            if line.edge is not None:
                yield line.edge, drawing.texts[line.edge]

    def own(self, node: str | None) -> int:
        """Find the line where a node is listed; the first line where it is not."""
        return next(iter(self.of(node)), 0) if node is not None else 0

    def parent(self, here: int) -> int | None:
        """Find the line that the block of a line is below; None for one that is in no block."""
        above = range(here - 1, -1, -1)
        return next((n for n in above if self._levels[n] < self._levels[here] and self._nodes[n]), None)

    def block(self, here: int) -> range:
        """Find the lines of the block below a line: those that follow it and are deeper."""
        behind = here + 1
        while behind < len(self) and self._levels[behind] > self._levels[here]:
            behind += 1
        return range(here + 1, behind)


def _behind(node: str, level: int, blocks: OutlineBlocks, wiring: Wiring) -> list[_Pending]:
    """List the lines that come behind a node's own, before those of their own blocks."""
    branches, meetings, largest = blocks.below(node)
    leaving = wiring.at(node, "out")
    inner = level + (len(leaving) > 1)
    inside: list[_Pending] = []
    behind: list[_Pending] = []
    for edge in leaving:
        target = wiring.edges[edge].target
        own = target in branches
        branches.discard(target)  # of several edges to it the others only point there
        if own and target == largest:
            behind.append((target, edge, level, True))
        else:
            inside.append((target, edge, inner, own))
    return [*inside, *behind, *((one, -1, level, True) for one in meetings)]
