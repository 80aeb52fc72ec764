"""Break the cycles of a graph, and assign each vertex a layer."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

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
    """Assign each vertex a layer, from 0: as early as its predecessors allow, or later where that is shorter.

    Args:
        count: The number of vertices, which are 0 to ``count`` - 1.
        arcs: Pairs of vertices without a cycle.
    """
    after, before = neighbors_of(count, arcs)
    layer, order = earliest_layers(after, before)
    for _ in range(_ROUNDS):
        moves = [_sink(vertex, layer, after, before) for vertex in reversed(order)]
        if not any(moves):
            break
    first = min(layer, default=0)
    return [number - first for number in layer]


def neighbors_of(count: int, arcs: Sequence[Arc]) -> tuple[list[list[int]], list[list[int]]]:
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
    leaving, _ = neighbors_of(len(former), arcs)
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
    """Assign each vertex a layer that keeps neighbors side by side and the layers in order.

    New vertices stand as early as their predecessors allow, in a layer of their own where there is none
    between those that they come between. Only an arc that did not lead down moves the vertex it leads to, and
    those below that one, and no farther than it has to. A layer that has become empty is dropped.

    Args:
        former: The former layers.
        arcs: Pairs of vertices without a cycle.
    """
    need = [layer or 0 for layer in former]
    after, before = neighbors_of(len(former), arcs)
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
    after, before = neighbors_of(count, links)
    level, order = earliest_layers(after, before)
    hangs = [number >= rows for number in range(count)]  # from what is below it: no row leads there
    for number in order:
        hangs[number] = hangs[number] and all(hangs[other] for other in before[number])
    for number in reversed(order):
        if hangs[number] and after[number]:
            level[number] = min(level[other] for other in after[number]) - 1
    return level


_LINKS = 100_000
"""Parts of lines, one from each layer to the next."""
_DENSE = 16_000_000
"""The sum, over all layers, of the square of the lines that leave one: about the cells of the picture, and
about the steps that it takes to lay it out."""


class TooLargeToDrawError(Exception):
    """A picture would have more lines side by side than anybody could read, or wait for."""


def check_size(layer: Sequence[int], arcs: Sequence[Arc]) -> None:
    """Count the lines between each layer and the next, before any of them is made.

    Args:
        layer: The layer of each box.
        arcs: Pairs of boxes, each from an earlier layer to a later one.

    Raises:
        TooLargeToDrawError: They are too many.
    """
    turns = [0] * (max(layer, default=0) + 2)
    for source, target in arcs:
        turns[layer[source]] += 1
        turns[layer[target]] -= 1
    beside = links = dense = 0
    for turn in turns:
        beside += turn
        links += beside
        dense += beside * beside
    if links > _LINKS or dense > _DENSE:
        raise TooLargeToDrawError(
            f"{len(arcs):,} lines between {len(layer):,} boxes are too many for a picture"
        )


class LayeredGraph:
    """A graph whose links all lead from one layer to the next.

    Args:
        layer: The layer of each box.
        arcs: Pairs of boxes, each from an earlier layer to a later one.

    Raises:
        TooLargeToDrawError: The lines would be too many.
    """

    def __init__(self, layer: Sequence[int], arcs: Sequence[Arc]) -> None:
        check_size(layer, arcs)
        self.boxes = len(layer)
        """How many vertices are boxes; those behind them are dummies, the bends of long arcs."""
        self.layer = list(layer)
        self.tops: list[int] = []
        """The upper vertex of each link."""
        self.bottoms: list[int] = []
        """The lower vertex of each link."""
        self.arc_links: list[list[int]] = []
        """The links of each arc, from the top down."""
        for arc in arcs:
            self._add_arc(*arc)
        count = len(self.layer)
        self.above: list[list[int]] = [[] for _ in range(count)]
        """The links that reach each vertex from the layer before."""
        self.below: list[list[int]] = [[] for _ in range(count)]
        """The links that leave each vertex for the next layer."""
        for link, (top, bottom) in enumerate(zip(self.tops, self.bottoms, strict=True)):
            self.below[top].append(link)
            self.above[bottom].append(link)
        self.layers: list[list[int]] = [[] for _ in range(max(self.layer, default=-1) + 1)]
        """The vertices of each layer, across the flow."""
        for vertex, number in enumerate(self.layer):
            self.layers[number].append(vertex)

    def _add_arc(self, source: int, target: int) -> None:
        links = []
        top = source
        for number in range(self.layer[source] + 1, self.layer[target] + 1):
            bottom = target
            if number < self.layer[target]:
                bottom = len(self.layer)
                self.layer.append(number)
            links.append(len(self.tops))
            self.tops.append(top)
            self.bottoms.append(bottom)
            top = bottom
        self.arc_links.append(links)

    def positions(self) -> list[int]:
        """Look up each vertex's position in its layer."""
        place = [0] * len(self.layer)
        for row in self.layers:
            for position, vertex in enumerate(row):
                place[vertex] = position
        return place
