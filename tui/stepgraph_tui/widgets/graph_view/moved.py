"""Which node or edge of a graph is which after an edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.graph_parts import Edge
    from stepgraph_tui.drawing.trail import Part

Names = Mapping[str, str]
"""The nodes that have another name now: the old ones with the new ones."""


class Moved:
    """What the parts of a graph were before it was edited, and what those of then are now.

    Edges are known by their positions, which an edit moves. Those before and behind the edited ones are
    told apart from them by their ends and labels; for the few in between, nobody knows.

    Args:
        before: The edges as they were.
        now: The edges as they are.
        names: The nodes that have another name now.
    """

    def __init__(self, before: Sequence[Edge], now: Sequence[Edge], names: Names) -> None:
        self._names = names
        self._former = {new: old for old, new in names.items()}
        old = [(names.get(e.source, e.source), names.get(e.target, e.target), e.label) for e in before]
        new = [(e.source, e.target, e.label) for e in now]
        self._grown = len(new) - len(old)
        self._same = _alike(old, new)  # so many at the beginning stayed where they were
        rest = len(old) - self._same, len(new) - self._same
        self._rest = len(old) - min(_alike(old[::-1], new[::-1]), *rest)  # from here on, they were moved

    def now(self, part: Part) -> Part | None:
        """What a part of then is now; None when that is not known."""
        if isinstance(part, str):
            return self._names.get(part, None if part in self._former else part)
        if part < self._same:
            return part
        return part + self._grown if part >= self._rest else None

    def then(self, part: Part) -> Part | None:
        """What a part of now was then; None when it was not there, or that is not known."""
        if isinstance(part, str):
            return self._former.get(part, None if part in self._names else part)
        if part < self._same:
            return part
        return part - self._grown if part >= self._rest + self._grown else None


def joined(first: Names, second: Names) -> dict[str, str]:
    """Two renamings, one after the other, as one."""
    names = {old: second.get(new, new) for old, new in first.items()}
    taken = set(first.values())
    names |= {old: new for old, new in second.items() if old not in taken}
    return {old: new for old, new in names.items() if old != new}


def _alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items two sequences have in common at their beginnings."""
    count = 0
    for item, counterpart in zip(one, other, strict=False):
        if item != counterpart:
            break
        count += 1
    return count
