"""Which links are drawn straight: between each two layers the weightiest set without crossings."""

from __future__ import annotations

from enum import IntEnum

from .net import Net


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


def straight_links(net: Net, least: Weight) -> list[bool]:
    """Whether each link has to be straight; at most one at each side of a vertex.

    What is straight saves bends, but takes width: it holds its layers together.

    Args:
        net: In its final order.
        least: Links that matter less are left free.
    """
    straight = [False] * len(net.tops)
    place = net.positions()
    for row in net.layers[:-1]:
        links = [link for vertex in row for link in _from_right(net, vertex, place)]
        heavy = [(link, weight) for link in links if (weight := weight_of(net, link)) >= least]
        spots = [place[net.bottoms[link]] for link, _ in heavy]
        for number in _heaviest_rise(spots, [weight for _, weight in heavy]):
            straight[heavy[number][0]] = True
    return straight


def _from_right(net: Net, vertex: int, place: list[int]) -> list[int]:
    """The links below a vertex, last first: no two of them then rise, so at most one is chosen."""
    links = net.below[vertex]
    if len(links) < 2:
        return links
    return sorted(links, key=lambda link: (-place[net.bottoms[link]], link))


def weight_of(net: Net, link: int) -> Weight:
    """How much it matters that the link is straight."""
    top, bottom = net.tops[link], net.bottoms[link]
    if top >= net.boxes and bottom >= net.boxes:
        return Weight.LONG
    if top >= net.boxes or bottom >= net.boxes:
        return Weight.END
    return Weight.PAIR if len(net.below[top]) == len(net.above[bottom]) == 1 else Weight.BOXES


def _heaviest_rise(values: list[int], weights: list[int]) -> list[int]:
    """The positions of the strictly rising subsequence of the largest weight."""
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
