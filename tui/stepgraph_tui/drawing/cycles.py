"""Which arcs lead back: without them, a graph has no cycle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Arc = tuple[int, int]


def back_arcs(count: int, arcs: Sequence[Arc]) -> set[int]:
    """The arcs that close a cycle when the graph is walked depth first, in declaration order.

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
