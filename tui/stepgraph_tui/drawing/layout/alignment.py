"""Choose the links that are drawn straight, and let go of some where they make the picture wide."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from math import ceil

from .aligned_chains import AlignedChains
from .layered_graph import LayeredGraph

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
    """Let go of straight links so that the picture becomes narrower; long arcs stay straight inside.

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
