"""Which layer each vertex goes to: every arc leads to a later one."""

from __future__ import annotations

from collections.abc import Sequence

from .cycles import Arc


def layers_of(count: int, arcs: Sequence[Arc]) -> list[int]:
    """A layer for each vertex, from 0: as early as its predecessors allow, or later where that is shorter.

    Args:
        count: The number of vertices, which are 0 to ``count`` - 1.
        arcs: Pairs of vertices without a cycle.
    """
    after: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, target in arcs:
        after[source].append(target)
        waits[target] += 1
    incoming = waits.copy()
    layer = [0] * count
    order = [vertex for vertex in range(count) if not waits[vertex]]
    for vertex in order:  # it grows while it is read
        below = layer[vertex] + 1
        for target in after[vertex]:
            layer[target] = max(layer[target], below)
            waits[target] -= 1
            if not waits[target]:
                order.append(target)
    for vertex in reversed(order):
        if len(after[vertex]) > incoming[vertex]:  # each layer down shortens more arcs than it lengthens
            layer[vertex] = min(layer[target] for target in after[vertex]) - 1
    return layer
