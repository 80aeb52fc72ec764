"""Keep the layers of the picture before an edit, and the ways in which its edges lead."""

from __future__ import annotations

from collections.abc import Container, Sequence

from .layering import Arc, earliest_layers, neighbours_of

Former = Sequence["int | None"]
"""The layer of each box in the picture before an edit; None where a box is new."""


def kept_back_arcs(former: Former, arcs: Sequence[Arc], drawn: Container[Arc]) -> set[int]:
    """Find the arcs that lead back, so that those of the picture before lead as they did there.

    Of the others, one leads back only where it goes up and closes a cycle with those that lead on.

    Args:
        former: The former layers.
        arcs: Pairs of vertices.
        drawn: The arcs between the same vertices that the picture before had.

    Returns:
        Positions in ``arcs``; self-loops are among them.
    """
    rank = _ranks(former, arcs)
    ahead: list[list[int]] = [[] for _ in former]
    back: set[int] = set()
    rising = []
    for number, (source, target) in enumerate(arcs):
        if rank[source] < rank[target]:
            ahead[source].append(target)
        elif source == target or (source, target) in drawn:
            back.add(number)
            ahead[target].append(source)
        else:
            rising.append(number)
    for number in rising:
        source, target = arcs[number]
        if _reaches(ahead, target, source):
            back.add(number)
        else:
            ahead[source].append(target)
    return back


def _ranks(former: Former, arcs: Sequence[Arc]) -> list[tuple[int, int, int]]:
    """Rank the vertices from the top down; new ones come right behind the first that leads to them."""
    leaving, _ = neighbours_of(len(former), arcs)
    rank = [(-1 if layer is None else layer, 0, vertex) for vertex, layer in enumerate(former)]
    waiting = [
        vertex for vertex in sorted(range(len(former)), key=rank.__getitem__) if former[vertex] is not None
    ]
    met = {*waiting}
    for vertex in waiting:  # it grows while it is read
        for target in leaving[vertex]:
            if target not in met:
                met.add(target)
                rank[target] = (rank[vertex][0], 1, len(waiting))
                waiting.append(target)
    return rank


def _reaches(ahead: Sequence[Sequence[int]], source: int, target: int) -> bool:
    waiting, seen = [source], {source}
    for vertex in waiting:
        if vertex == target:
            return True
        new = [other for other in ahead[vertex] if other not in seen]
        seen.update(new)
        waiting += new
    return False


def keep_layers(former: Former, arcs: Sequence[Arc]) -> list[int]:
    """Give each vertex a layer, so that those that stood side by side still do, in the same order of layers.

    New vertices stand as early as their predecessors allow, in a layer of their own where there is none
    between those that they come between. Only an arc that did not lead down moves the vertex it leads to, and
    those below that one, and no farther than it has to. A layer that has become empty is dropped.

    Args:
        former: The former layers.
        arcs: Pairs of vertices without a cycle.
    """
    need = [layer or 0 for layer in former]
    after, before = neighbours_of(len(former), arcs)
    for vertex in earliest_layers(after, before)[1]:
        for target in after[vertex]:
            need[target] = max(need[target], need[vertex] + (former[vertex] is not None))
    rows = sorted({need[vertex] for vertex, layer in enumerate(former) if layer is not None})
    row_of = {layer: row for row, layer in enumerate(rows)}
    new = [vertex for vertex, layer in enumerate(former) if layer is None]
    block = [row_of.get(need[vertex], 0) for vertex in range(len(former))]
    for number, vertex in enumerate(new, len(rows)):
        block[vertex] = number
    links = [*((row, row + 1) for row in range(len(rows) - 1)), *((block[a], block[b]) for a, b in arcs)]
    level = _levels(len(rows), len(rows) + len(new), links)
    first = min(level, default=0)
    return [level[number] - first for number in block]


def _levels(rows: int, count: int, links: Sequence[Arc]) -> list[int]:
    """Find the levels of the rows and of the new vertices behind them, which need not begin at 0."""
    after, before = neighbours_of(count, links)
    level, order = earliest_layers(after, before)
    hangs = [number >= rows for number in range(count)]  # from what is below it: no row leads there
    for number in order:
        hangs[number] = hangs[number] and all(hangs[other] for other in before[number])
    for number in reversed(order):
        if hangs[number] and after[number]:
            level[number] = min(level[other] for other in after[number]) - 1
    return level
