"""Map the nodes and edges of a graph to those of the graph before an edit, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, cast

from stepgraph_tui.drawing.picture.run_marks import Part

if TYPE_CHECKING:
    from stepgraph.graphs.parts import Edge

Kind = TypeVar("Kind", bound=Part)  # a node stays a node, and an edge an edge
Names = Mapping[str, str]
"""The nodes that have another name now: the old ones with the new ones."""


class PartMapping:
    """Maps the parts of a graph before an edit to those after it.

    Edges are known by their positions, which an edit moves. Those before and behind the edited ones are
    told apart from them by their ends and labels; for the few in between, nobody knows.

    Args:
        before: The edges as they were.
        now: The edges as they are.
        names: The nodes that have another name now.
    """

    def __init__(self, before: Sequence[Edge], now: Sequence[Edge], names: Names) -> None:
        self.before = before
        self._names = names
        self._former = {new: old for old, new in names.items()}
        self._grown = len(now) - len(before)
        self._same = _alike(before, now, names)  # so many at the beginning stayed where they were
        others = min(len(before), len(now)) - self._same
        moved = _alike(islice(reversed(before), others), reversed(now), names)
        self._rest = len(before) - moved  # from here on, they all moved

    def now(self, part: Kind) -> Kind | None:
        """Map a part of then to what it is now; None when that is not known."""
        found = self._node(part, self._names, self._former) if isinstance(part, str) else self._edge_now(part)
        return cast("Kind | None", found)

    def then(self, part: Kind) -> Kind | None:
        """Map a part of now to what it was then; None when it was not there, or that is not known."""
        found = (
            self._node(part, self._former, self._names) if isinstance(part, str) else self._edge_then(part)
        )
        return cast("Kind | None", found)

    @staticmethod
    def _node(name: str, names: Names, back: Names) -> str | None:
        return names.get(name, None if name in back else name)  # else another node has taken the name

    def _edge_now(self, edge: int) -> int | None:
        if edge < self._same:
            return edge
        return edge + self._grown if edge >= self._rest else None

    def _edge_then(self, edge: int) -> int | None:
        if edge < self._same:
            return edge
        return edge - self._grown if edge >= self._rest + self._grown else None


def join_renamings(first: Names, second: Names) -> dict[str, str]:
    """Join two renamings, one after the other, into one."""
    names = {old: second.get(new, new) for old, new in first.items()}
    taken = set(first.values())
    names |= {old: new for old, new in second.items() if old not in taken}
    return {old: new for old, new in names.items() if old != new}


def _alike(before: Iterable[Edge], now: Iterable[Edge], names: Names) -> int:
    """Count the edges at the beginning that are the same."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old is not new and (
            old.label != new.label
            or names.get(old.source, old.source) != new.source
            or names.get(old.target, old.target) != new.target
        ):
            break
        count += 1
    return count
