"""List a graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.graphs.parts import END

if TYPE_CHECKING:
    from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .movement import Key
    from .wiring import Wiring


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

    def findable(self, drawing: GraphDrawing) -> Iterator[tuple[Part, str]]:
        """Yield the nodes by their names and the edges by their texts, line by line."""
        for line in self:
            if line.node is not None and not line.again:
                yield line.node, drawing.caption(line.node).name
            if line.edge is not None:
                yield line.edge, drawing.texts[line.edge]

    def own(self, node: str | None) -> int:
        """Find the line where a node is listed; the first line where it is not."""
        return next(iter(self.of(node)), 0) if node is not None else 0

    def ahead(self, here: int, key: Key) -> Iterator[int]:
        """Yield the lines that a key leads to from a line, the nearest first."""
        if key in ("up", "left"):
            level = self._levels[here] if key == "left" else len(self)
            for number in range(here - 1, -1, -1):
                if self._levels[number] < level and self._nodes[number]:
                    yield number
            return
        for number in range(here + 1, len(self)):
            deeper = self._levels[number] - self._levels[here]
            if key == "right" and deeper < 0:
                return
            if self._nodes[number] is not None and (key == "down" or deeper > 0):
                yield number
