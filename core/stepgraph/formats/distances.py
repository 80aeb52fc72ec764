"""How far it is to the end of a graph that is being made."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from typing import TypeVar

_Name = TypeVar("_Name", bound=Hashable)


def distances(edges: Iterable[tuple[_Name, _Name]], end: _Name) -> dict[_Name, int]:
    """Count the fewest edges that lead from each node to the end; from some there may be no way.

    Args:
        edges: The ends of each edge, its source first.
        end: The node that is the end.
    """
    back: dict[_Name, list[_Name]] = defaultdict(list)
    for source, target in edges:
        back[target].append(source)
    far, rest = {end: 0}, deque([end])
    while rest:
        name = rest.popleft()
        for source in back[name]:
            if source not in far:
                far[source] = far[name] + 1
                rest.append(source)
    return far
