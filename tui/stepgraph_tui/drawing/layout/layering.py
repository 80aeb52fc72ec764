"""Break the cycles of a graph, and give each vertex a layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Arc = tuple[int, int]

_CLUSTER = 30
"""How many vertices may move together; larger clusters rarely gain anything."""
_ROUNDS = 4


def back_arcs(count: int, arcs: Sequence[Arc]) -> set[int]:
    """Find the arcs that close a cycle when the graph is walked depth first, in declaration order.

    So the answer follows how the author told the graph: what comes later leads back.

    Args:
        count: The number of vertices, which are 0 to ``count`` - 1; the walk begins at 0.
        arcs: Pairs of vertices.

    Returns:
        Positions in ``arcs``; self-loops are among them.
    """
    leaving: list[list[int]] = [[] for _ in range(count)]
    for number, (source, _) in enumerate(arcs):
        leaving[source].append(number)
    new, open_, done = 0, 1, 2
    state = [new] * count
    back: set[int] = set()
    for root in range(count):
        if state[root] != new:
            continue
        state[root] = open_
        path: list[tuple[int, Iterator[int]]] = [(root, iter(leaving[root]))]
        while path:
            vertex, rest = path[-1]
            for number in rest:
                target = arcs[number][1]
                if state[target] == open_:
                    back.add(number)
                elif state[target] == new:
                    state[target] = open_
                    path.append((target, iter(leaving[target])))
                    break
            else:
                state[vertex] = done
                path.pop()
    return back


def assign_layers(count: int, arcs: Sequence[Arc]) -> list[int]:
    """Give each vertex a layer, from 0: as early as its predecessors allow, or later where that is shorter.

    Args:
        count: The number of vertices, which are 0 to ``count`` - 1.
        arcs: Pairs of vertices without a cycle.
    """
    after, before = neighbours_of(count, arcs)
    layer, order = earliest_layers(after, before)
    for _ in range(_ROUNDS):
        moves = [_sink(vertex, layer, after, before) for vertex in reversed(order)]
        if not any(moves):
            break
    first = min(layer, default=0)
    return [number - first for number in layer]


def neighbours_of(count: int, arcs: Sequence[Arc]) -> tuple[list[list[int]], list[list[int]]]:
    """List the vertices that the arcs of each vertex lead to, and those that they come from."""
    after: list[list[int]] = [[] for _ in range(count)]
    before: list[list[int]] = [[] for _ in range(count)]
    for source, target in arcs:
        after[source].append(target)
        before[target].append(source)
    return after, before


def earliest_layers(after: list[list[int]], before: list[list[int]]) -> tuple[list[int], list[int]]:
    """Find the first layer that each vertex can have, and sort the vertices topologically."""
    waits = [len(others) for others in before]
    layer = [0] * len(after)
    order = [vertex for vertex, left in enumerate(waits) if not left]
    for vertex in order:  # it grows while it is read
        below = layer[vertex] + 1
        for target in after[vertex]:
            layer[target] = max(layer[target], below)
            waits[target] -= 1
            if not waits[target]:
                order.append(target)
    return layer, order


def _sink(vertex: int, layer: list[int], after: list[list[int]], before: list[list[int]]) -> bool:
    """Move a vertex, and all that stands tightly below it, down where that makes the arcs shorter in all."""
    cluster = _cluster(vertex, layer, after)
    if len(cluster) > _CLUSTER:
        return False
    shorter, room = 0, len(layer)
    for one in cluster:
        for target in after[one]:
            if target not in cluster:
                shorter += 1
                room = min(room, layer[target] - layer[one] - 1)
        shorter -= sum(source not in cluster for source in before[one])
    if shorter <= 0:
        return False
    for one in cluster:
        layer[one] += room
    return True


def _cluster(vertex: int, layer: list[int], after: list[list[int]]) -> set[int]:
    """Collect a vertex and those below it that would have to move with it, up to a limit."""
    cluster = {vertex}
    waiting = [vertex]
    while waiting and len(cluster) <= _CLUSTER:
        one = waiting.pop()
        below = layer[one] + 1
        for target in after[one]:
            if layer[target] == below and target not in cluster:
                cluster.add(target)
                waiting.append(target)
    return cluster
