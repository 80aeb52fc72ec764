"""List a graph as indented lines, from its start on in the order of its edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from stepgraph.graphs import END

from .picture.node_content import WORDS, NodeCaption, times_of

if TYPE_CHECKING:
    from stepgraph.graphs import Edge

    from .picture.glyphs import Glyphs, State
    from .picture.graph_drawing import GraphDrawing
    from .picture.run_marks import LastVisit, Part


class OutlineBlocks:
    """The nodes that are reached from one of them, by the node that every way to them leads through.

    That node is the nearest one: the immediate dominator. A node that only one edge leads to, ways back
    aside, begins a branch of the node before it. One where ways meet belongs to the node where they parted.

    Args:
        wiring: The edges.
        root: Where to begin.
        known: The nodes that are listed elsewhere; nothing is followed through them.
    """

    def __init__(self, wiring: Wiring, root: str, known: Container[str]) -> None:
        self._wiring, self._known = wiring, known
        self._order = self._reverse_postorder(root)
        self._place = {node: place for place, node in enumerate(self._order)}
        self._above = self._dominators()
        self._below: dict[str, list[str]] = {}
        self._sizes = Counter(self._order)
        for place in range(len(self._order) - 1, 0, -1):
            self._sizes[self._order[self._above[place]]] += self._sizes[self._order[place]]
        for place in range(1, len(self._order)):
            self._below.setdefault(self._order[self._above[place]], []).append(self._order[place])

    def _leaving(self, node: str) -> list[str]:
        ends = (self._wiring.edges[edge].target for edge in self._wiring.at(node, "out"))
        return [end for end in ends if end != END and end not in self._known][::-1]

    def _reverse_postorder(self, root: str) -> list[str]:
        """Order the nodes: each behind all before it, ways back aside, and the ends of first edges first."""
        order: list[str] = []
        seen = {root}
        stack = [(root, iter(self._leaving(root)))]
        while stack:
            node, ends = stack[-1]
            end = next((end for end in ends if end not in seen), None)
            if end is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(end)
                stack.append((end, iter(self._leaving(end))))
        return order[::-1]

    def _dominators(self) -> list[int]:
        """Find the immediate dominator of each node, by place, as Cooper, Harvey and Kennedy do."""
        above = [0, *([-1] * (len(self._order) - 1))]
        before = [
            [
                self._place[source]
                for edge in self._wiring.at(node, "in")
                if (source := self._wiring.edges[edge].source) in self._place
            ]
            for node in self._order
        ]
        changed = True
        while changed:
            changed = False
            for place in range(1, len(above)):
                found = -1
                for other in before[place]:
                    if above[other] >= 0:
                        found = other if found < 0 else _meeting(above, found, other)
                if above[place] != found:
                    above[place], changed = found, True
        return above

    def is_branch(self, node: str) -> bool:
        """Check whether a node is come to from one node only, ways back from behind it aside."""
        place = self._place[node]
        sources = {self._wiring.edges[edge].source for edge in self._wiring.at(node, "in")}
        return all(
            source == self._order[self._above[place]] or self._is_behind(source, place) for source in sources
        )

    def _is_behind(self, node: str, top: int) -> bool:
        """Check whether every way to a node leads through another one, or none from the root leads there."""
        place = self._place.get(node)
        while place is not None and place > top:
            place = self._above[place]
        return place is None or place == top

    def below(self, node: str) -> tuple[set[str], list[str], str | None]:
        """List what is below a node.

        Returns:
            Its branches, then the nodes where ways meet that parted here, and the branch that goes on in line
            with the node: one that holds half of what is below, so that a long way stays where it began.
        """
        below = self._below.get(node, ())
        branches = {one for one in below if self.is_branch(one)}
        largest = max((one for one in below if one in branches), key=self._sizes.__getitem__, default=None)
        if largest is not None and 2 * self._sizes[largest] < self._sizes[node]:
            largest = None
        return branches, [one for one in below if one not in branches], largest


def _meeting(above: list[int], one: int, other: int) -> int:
    """Find the nearest place above two others."""
    while one != other:
        if one > other:
            one = above[one]
        else:
            other = above[other]
    return one


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

    They are kept in columns: a large graph is listed again after each edit, and then only what is looked at
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
        """Remove the last line; its edge is to have another one."""
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
        """Find where a node or an edge is listed; not where a line only says that its node is above."""
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


Side = Literal["out", "in"]
"""The edges that leave a node, or those that lead to it."""


class Wiring:
    """The edges of a graph by their ends; each edge is known by its position.

    Args:
        edges: The edges, in declaration order.
    """

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = edges

    @cached_property
    def _out(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, edge in enumerate(self.edges):
            found.setdefault(edge.source, []).append(position)
        return found

    @cached_property
    def _in(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for position, edge in enumerate(self.edges):
            found.setdefault(edge.target, []).append(position)
        return found

    def at(self, node: str, side: Side) -> Sequence[int]:
        """List the edges that leave a node, or those that lead to it, in order."""
        return (self._out if side == "out" else self._in).get(node, ())

    def neighbors(self, node: str) -> list[str]:
        """List the nodes at the other ends of a node's edges, those before it first."""
        before = [self.edges[edge].source for edge in self.at(node, "in")]
        return [*before, *(self.edges[edge].target for edge in self.at(node, "out"))]

    def next_edge(self, node: str, side: Side, current: int | None) -> int | None:
        """Find the edge behind another one at a node; behind the last comes the first."""
        edges = self.at(node, side)
        if not edges:
            return None
        return edges[(edges.index(current) + 1) % len(edges)] if current in edges else edges[0]


UNREACHED = "Not reached from the start:"
"""What is above the nodes that no way leads to."""
INDENT = 2
"""Cells for each level."""
_NEVER, _TAKEN = "never taken", "taken"
_ARROWS = {"above": "↑^", "below": "↓v"}  # to where a node has its own line; the second for plain ASCII


def begin_of(
    line: OutlineLine, caption: NodeCaption, state: State | None, glyphs: Glyphs, first: str = ""
) -> tuple[str, str]:
    """Word what comes before the name: the indentation, then status, the mark of somebody, and type."""
    indent = " " * (INDENT * line.level)
    if line.elsewhere:
        return indent + "  ", _ARROWS[line.elsewhere][glyphs.plain] + " "
    mark = glyphs.marks[state] if state is not None else " "
    return indent, f"{mark}{first or ' '}{' ' if caption.end else caption.letter} "


def word_of(state: State | None, visits: int) -> str:
    """Word what comes after the name: the status, and how often the run was there."""
    words = "  ".join(filter(None, (WORDS[state] if state is not None else "", times_of(visits))))
    return f"  {words}" if words else ""


def edge_of(text: str, problems: str = "", *, faint: bool = False, taken: bool = False) -> str:
    """Word the edge that leads there, in brackets.

    Args:
        text: Its number, label or condition.
        problems: What is wrong with it, in a few characters.
        faint: Whether it is never taken.
        taken: Whether that is to be written in words.
    """
    remarks = ", ".join(filter(None, (text, _NEVER if faint else "", _TAKEN if taken else "")))
    return f"  [{remarks}{problems}]" if remarks or problems else ""


def outline_text(
    drawing: GraphDrawing,
    states: Mapping[str, State],
    visits: Mapping[str, LastVisit] = {},
    fired: Collection[int] = (),
) -> Iterator[str]:
    """Write a graph as an outline, line by line.

    Args:
        drawing: The graph with its texts.
        states: The states of some nodes.
        visits: The last visits of those that a run has been at.
        fired: The edges that it took.
    """
    glyphs, edges = drawing.glyphs, drawing.edges
    for line in OutlineLines(drawing.names, Wiring(edges), drawing.start):
        if line.node is None:
            yield UNREACHED
            continue
        caption, state = drawing.caption(line.node), states.get(line.node)
        row = "".join(begin_of(line, caption, state, glyphs)) + caption.name
        if not line.elsewhere:
            visit = visits.get(line.node)
            row += f" {caption.signs}".rstrip() + word_of(state, visit.times if visit is not None else 0)
        if line.edge is not None:
            row += edge_of(drawing.texts[line.edge], taken=line.edge in fired)
        yield row
