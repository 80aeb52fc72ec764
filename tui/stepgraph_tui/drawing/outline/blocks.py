"""Decide which nodes of a graph stand below which in its outline, and how far they are indented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END

if TYPE_CHECKING:
    from .wiring import Wiring


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
        """Tell whether a node is come to from one node only, ways back from behind it aside."""
        place = self._place[node]
        sources = {self._wiring.edges[edge].source for edge in self._wiring.at(node, "in")}
        return all(
            source == self._order[self._above[place]] or self._is_behind(source, place) for source in sources
        )

    def _is_behind(self, node: str, top: int) -> bool:
        """Tell whether every way to a node leads through another one, or none from the root leads there."""
        place = self._place.get(node)
        while place is not None and place > top:
            place = self._above[place]
        return place is None or place == top

    def below(self, node: str) -> tuple[set[str], list[str], str | None]:
        """List what stands below a node.

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
