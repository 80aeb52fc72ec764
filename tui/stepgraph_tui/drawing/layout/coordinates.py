"""Assign coordinates across the flow: chains of aligned vertices stand near those they have links to."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from itertools import pairwise
from math import ceil

from .channel import Channel, LanePath
from .layering import LayeredGraph
from .measured import MeasuredDiagram, Spacing
from .ports import Ports


class AlignedChains:
    """Chains of vertices, each moved as one.

    Args:
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        straight: Whether each link is straight; straight links do not cross, so chains never entangle.
        spacing: The distances.
    """

    def __init__(self, layered: LayeredGraph, ports: Ports, straight: list[bool], spacing: Spacing) -> None:
        self.layered, self.ports = layered, ports
        self.chain_of = [-1] * len(layered.layer)
        """The chain of each vertex."""
        self.shift = [0] * len(layered.layer)
        """Where in its chain each vertex stands."""
        self._form(straight)
        count = max(self.chain_of, default=-1) + 1
        self.members: list[list[int]] = [[] for _ in range(count)]
        """The vertices of each chain, from the first layer to the last."""
        for row in layered.layers:
            for vertex in row:
                self.members[self.chain_of[vertex]].append(vertex)
        self.starts = [0] * count
        """How far each chain reaches before its own place."""
        self.ends = [0] * count
        """How far each chain reaches behind its own place."""
        for vertex, chain in enumerate(self.chain_of):
            self.starts[chain] = max(self.starts[chain], self.reach_before(vertex))
            self.ends[chain] = max(self.ends[chain], self.reach_behind(vertex))
        self.before: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each chain those before it, and how far it comes after each of them at least."""
        self.behind: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """For each chain those behind it, and how far each of them comes after it at least."""
        self.touching: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        """The neighbors that each entry of ``before`` is about: the other chain's and its own."""
        self._constrain(spacing)
        self.sorted = self._sort()
        """The chains, each behind all those that stand before it."""

    def reach_before(self, vertex: int) -> int:
        """Measure how far a vertex makes its chain reach before the chain's place."""
        return self.ports.start[vertex] - self.shift[vertex]

    def reach_behind(self, vertex: int) -> int:
        """Measure how far a vertex makes its chain reach behind the chain's place."""
        return self.ports.end[vertex] + self.shift[vertex]

    def _form(self, straight: list[bool]) -> None:
        layered, ports, chain_of, shift = self.layered, self.ports, self.chain_of, self.shift
        count = 0
        for row in layered.layers:
            for vertex in row:
                if chain_of[vertex] < 0:
                    chain_of[vertex] = count
                    count += 1
                for link in layered.below[vertex]:
                    if straight[link]:
                        lower = layered.bottoms[link]
                        chain_of[lower] = chain_of[vertex]
                        shift[lower] = shift[vertex] + ports.tail[link] - ports.head[link]

    def _constrain(self, spacing: Spacing) -> None:
        chain_of, boxes = self.chain_of, self.layered.boxes
        for row in self.layered.layers:
            for left, right in pairwise(row):
                gap = spacing.between(left < boxes, right < boxes)
                least = self.reach_behind(left) + gap + 1 + self.reach_before(right)
                self.before[chain_of[right]].append((chain_of[left], least))
                self.behind[chain_of[left]].append((chain_of[right], least))
                self.touching[chain_of[right]].append((left, right))

    def _sort(self) -> list[int]:
        waits = [len(arcs) for arcs in self.before]
        order = [chain for chain, left in enumerate(waits) if not left]
        for chain in order:  # it grows while it is read
            for other, _ in self.behind[chain]:
                waits[other] -= 1
                if not waits[other]:
                    order.append(other)
        return order

    def first_places(self) -> list[int]:
        """Push each chain as near to the beginning as it can stand."""
        low = [0] * len(self.sorted)
        for chain in self.sorted:
            place = self.starts[chain]
            for other, least in self.before[chain]:
                place = max(place, low[other] + least)
            low[chain] = place
        return low

    def last_places(self, width: int) -> list[int]:
        """Push each chain as far from the beginning as ``width`` cells allow."""
        high = [0] * len(self.sorted)
        for chain in reversed(self.sorted):
            place = width - 1 - self.ends[chain]
            for other, least in self.behind[chain]:
                place = min(place, high[other] - least)
            high[chain] = place
        return high

    def width(self, places: list[int]) -> int:
        """Count the cells that are taken when the chains are at these places."""
        return max((place + end + 1 for place, end in zip(places, self.ends, strict=True)), default=0)


_SHARE = 0.4
"""How many of the chains that prop something up are cut at once; a few cuts may be enough."""


class Weight(IntEnum):
    """How much it matters that a link is straight."""

    BOXES = 2
    """Between two boxes: they have a choice of columns, so it may come out straight anyway."""
    PAIR = 4
    """Between two boxes that have no other link at these sides."""
    END = 5
    """Between a box and a long arc."""
    LONG = 15
    """Inside a long arc."""


def straight_links(layered: LayeredGraph, least: Weight) -> list[bool]:
    """Choose straight links: between each two layers the weightiest set without crossings.

    At most one link is straight at each side of a vertex. What is straight saves bends, but takes width: it
    holds its layers together.

    Args:
        layered: The graph in layers, in its final order.
        least: Links that matter less are left free.

    Returns:
        Whether each link has to be straight.
    """
    straight = [False] * len(layered.tops)
    place = layered.positions()
    for row in layered.layers[:-1]:
        links = [link for vertex in row for link in _from_right(layered, vertex, place)]
        heavy = [(link, weight) for link in links if (weight := weight_of(layered, link)) >= least]
        spots = [place[layered.bottoms[link]] for link, _ in heavy]
        for number in _heaviest_rise(spots, [weight for _, weight in heavy]):
            straight[heavy[number][0]] = True
    return straight


def _from_right(layered: LayeredGraph, vertex: int, place: list[int]) -> list[int]:
    """Sort the links below a vertex, last first: no two of them then rise, so at most one is chosen."""
    links = layered.below[vertex]
    if len(links) < 2:
        return links
    return sorted(links, key=lambda link: (-place[layered.bottoms[link]], link))


def weight_of(layered: LayeredGraph, link: int) -> Weight:
    """Rate how much it matters that the link is straight."""
    top, bottom = layered.tops[link], layered.bottoms[link]
    if top >= layered.boxes and bottom >= layered.boxes:
        return Weight.LONG
    if top >= layered.boxes or bottom >= layered.boxes:
        return Weight.END
    return Weight.PAIR if len(layered.below[top]) == len(layered.above[bottom]) == 1 else Weight.BOXES


def _heaviest_rise(values: list[int], weights: list[int]) -> list[int]:
    """Find the strictly rising subsequence of the largest weight; return its positions."""
    width = max(values, default=-1) + 2
    tree: list[tuple[int, int]] = [(0, -1)] * width  # of prefix maxima: the weight, and where it ends
    before = [-1] * len(values)
    best = (0, -1)
    for number, (value, weight) in enumerate(zip(values, weights, strict=True)):
        top = (0, -1)
        spot = value
        while spot > 0:
            if tree[spot][0] > top[0]:
                top = tree[spot]
            spot &= spot - 1
        before[number] = top[1]
        found = (top[0] + weight, number)
        if found[0] > best[0]:
            best = found
        spot = value + 1
        while spot < width:
            if found[0] > tree[spot][0]:
                tree[spot] = found
            spot += spot & -spot
    rise = []
    number = best[1]
    while number >= 0:
        rise.append(number)
        number = before[number]
    return rise


def loosen(chains: AlignedChains, straight: list[bool], limit: int) -> bool:
    """Bend straight links where the picture becomes narrower; long arcs stay straight inside.

    Args:
        chains: The chains that the links make.
        straight: Whether each link is straight; changed.
        limit: The width in cells that is aimed at.

    Returns:
        Whether a link was let go.
    """
    places = chains.first_places()
    reached = [place + end + 1 for place, end in zip(places, chains.ends, strict=True)]
    wide = [chain for chain, width in enumerate(reached) if width > limit]
    seen: set[int] = set()
    found = False
    for chain in sorted(wide, key=lambda chain: -reached[chain]):
        weak = sorted(_weakest(chains, straight, places, chain, seen))
        for _, link in weak[: ceil(len(weak) * _SHARE)]:
            straight[link] = False
            found = True
    return found


def _weakest(
    chains: AlignedChains, straight: list[bool], places: list[int], chain: int, seen: set[int]
) -> Iterator[tuple[Weight, int]]:
    """Walk from a chain that stands far behind to the picture's beginning; yield a link to cut of each chain.

    Only a chain that is propped up in one layer, and props up the next chain in another, is worth a cut.
    """
    leaving = max(chains.members[chain], key=chains.reach_behind)
    while chain not in seen:
        seen.add(chain)
        prop = next(
            (
                number
                for number, (other, least) in enumerate(chains.before[chain])
                if places[other] + least == places[chain]
            ),
            None,
        )
        if prop is None:
            return
        before, reached = chains.touching[chain][prop]
        links = _between(chains, straight, reached, leaving)
        if links:
            weight, link = min((weight_of(chains.layered, link), link) for link in links)
            if weight < Weight.LONG:
                yield weight, link
        chain, leaving = chains.before[chain][prop][0], before


def _between(chains: AlignedChains, straight: list[bool], one: int, other: int) -> list[int]:
    """Collect the links that hold two vertices of a chain together."""
    layered = chains.layered
    members = chains.members[chains.chain_of[one]]
    first, last = sorted((layered.layer[one], layered.layer[other]))
    begin = layered.layer[members[0]]
    upper = members[first - begin : last - begin]
    return [next(link for link in layered.below[vertex] if straight[link]) for vertex in upper]


_ROUNDS = 3
"""How often all chains are moved towards their neighbors, there and back."""
_CUTS = 8
"""How often straight links are let go for the sake of a narrower picture."""
_SLACK = 1.4
"""How many times the widest layer's width a picture may take before that is done."""


def assign_coordinates(layered: LayeredGraph, ports: Ports, spacing: Spacing) -> list[int]:
    """Find the first cell of each vertex across the flow; nothing reaches below 0.

    Args:
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        spacing: The distances.
    """
    straight = straight_links(layered, Weight.PAIR if spacing.roomy else Weight.BOXES)
    limit = int(_SLACK * _widest(layered, ports, spacing))
    chains = AlignedChains(layered, ports, straight, spacing)
    for _ in range(_CUTS):
        if not loosen(chains, straight, limit):
            break
        chains = AlignedChains(layered, ports, straight, spacing)
    places = _settled(chains)
    spots = [places[chain] + shift for chain, shift in zip(chains.chain_of, chains.shift, strict=True)]
    least = min((spot - start for spot, start in zip(spots, ports.start, strict=True)), default=0)
    return [spot - least for spot in spots]


def _widest(layered: LayeredGraph, ports: Ports, spacing: Spacing) -> int:
    """Measure the widest layer."""
    start, end, boxes = ports.start, ports.end, layered.boxes
    return max(
        (
            sum(start[vertex] + end[vertex] + 1 for vertex in row)
            + sum(spacing.between(left < boxes, right < boxes) for left, right in pairwise(row))
            for row in layered.layers
        ),
        default=0,
    )


def _settled(chains: AlignedChains) -> list[int]:
    """Place each chain half-way between its first and its last place, then near those it has links to."""
    low = chains.first_places()
    high = chains.last_places(chains.width(low))
    places = [(first + last) // 2 for first, last in zip(low, high, strict=True)]
    pulls = _pulls(chains)
    for _ in range(_ROUNDS):
        _pull(chains, pulls, places, chains.sorted)
        _pull(chains, pulls, places, chains.sorted[::-1])
    return places


def _pulls(chains: AlignedChains) -> list[list[tuple[int, int]]]:
    """List each chain's linked chains, and how far behind each it would stand for a straight link."""
    layered, ports, chain_of, shift = chains.layered, chains.ports, chains.chain_of, chains.shift
    pulls: list[list[tuple[int, int]]] = [[] for _ in chains.sorted]
    for link, (top, bottom) in enumerate(zip(layered.tops, layered.bottoms, strict=True)):
        above, below = chain_of[top], chain_of[bottom]
        if above != below:
            far = shift[top] + ports.tail[link] - shift[bottom] - ports.head[link]
            pulls[below].append((above, far))
            pulls[above].append((below, -far))
    return pulls


def _pull(
    chains: AlignedChains, pulls: list[list[tuple[int, int]]], places: list[int], order: list[int]
) -> None:
    """Move each chain to the middle of where its neighbors would have it, as far as there is room."""
    for chain in order:
        if not pulls[chain]:
            continue
        wanted = sorted([places[other] + far for other, far in pulls[chain]])
        place = wanted[len(wanted) // 2]
        if len(wanted) % 2 == 0:
            place = min(max(places[chain], wanted[len(wanted) // 2 - 1]), place)
        for other, least in chains.before[chain]:
            place = max(place, places[other] + least)
        for other, least in chains.behind[chain]:
            place = min(place, places[other] - least)
        places[chain] = place


class LayerOffsets:
    """The offsets of the layers along the flow, and the path of each bent link between them.

    Args:
        measured: The sizes.
        layered: The graph in layers, in its final order.
        ports: Where the links meet the vertices.
        place: The first cell of each vertex, across the flow.
    """

    def __init__(
        self, measured: MeasuredDiagram, layered: LayeredGraph, ports: Ports, place: list[int]
    ) -> None:
        self.ways: dict[int, LanePath] = {}
        """The way of each link that is not straight."""
        lanes = [self._route(layered, ports, place, number) for number in range(len(layered.layers))]
        self.before, behind = _zones(measured, layered)
        """How many cells lie between each layer's boxes and the channel before it."""
        self.start: list[int] = []
        """Where each layer's boxes begin."""
        self.end: list[int] = []
        """The first cell behind each layer's boxes."""
        self.channel: list[int] = []
        """The first lane behind each layer."""
        spot = 0
        for number, row in enumerate(layered.layers):
            spot += self.before[number]
            self.start.append(spot)
            spot += max((measured.along[vertex] for vertex in row if vertex < layered.boxes), default=0)
            self.end.append(spot)
            spot += behind[number]
            self.channel.append(spot)
            spot += max(0, lanes[number] - 1) * measured.spacing.lanes + min(lanes[number], 1)

    def _route(self, layered: LayeredGraph, ports: Ports, place: list[int], number: int) -> int:
        """Route the links below a layer, and count the lanes that they take."""
        bent, tops, bottoms, taken = [], [], [], []
        for vertex in layered.layers[number]:
            for link in layered.below[vertex]:
                bottom = layered.bottoms[link]
                column = place[vertex] + ports.tail[link]
                other = place[bottom] + ports.head[link]
                if column == other:
                    taken.append(column)
                else:
                    bent.append(link)
                    tops.append(column)
                    bottoms.append(other)
        channel = Channel(tops, bottoms, taken)
        for spot, link in enumerate(bent):
            self.ways[link] = channel.ways[spot]
        return channel.lanes


def _zones(measured: MeasuredDiagram, layered: LayeredGraph) -> tuple[list[int], list[int]]:
    """Count the cells that texts and arrowheads take before and behind each layer.

    Where a box has no frame to show a port on, a cell of the line tells that a text belongs to an edge.
    """
    before = [0] * len(layered.layers)
    behind = [0] * len(layered.layers)
    for arc, (top, bottom) in enumerate(measured.arcs):
        above, below = layered.layer[top], layered.layer[bottom]
        width = measured.widths[measured.edges[arc]]
        if measured.down:
            text = int(width > 0) + int(
                width > 0 and not measured.frames[bottom if measured.back[arc] else top]
            )
            before[below] = max(before[below], text if measured.back[arc] else 1, 1)
            behind[above] = max(behind[above], 1 if measured.back[arc] else text)
        elif measured.back[arc]:
            before[below] = max(before[below], width + 2)
            behind[above] = max(behind[above], 1)
        else:
            before[below] = max(before[below], 2)
            behind[above] = max(behind[above], width + 2 if width else 1)
    return before, behind
