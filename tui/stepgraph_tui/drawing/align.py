"""Which links are drawn straight: for each pair of layers the weightiest set that does not cross."""

from __future__ import annotations

from .net import Net

_BEND_TO_BEND, _BEND_TO_BOX, _BOX_TO_BOX, _ONLY = 16, 6, 4, 3


def straight_links(net: Net) -> list[bool]:
    """Whether each link shall be straight; at most one at each side of a vertex.

    Long arcs come first, so that they bend near their ends only; then boxes that are each other's only
    neighbour.
    """
    straight = [False] * len(net.tops)
    place = net.positions()
    for row in net.layers[:-1]:
        links = [link for vertex in row for link in _from_right(net, vertex, place)]
        spots = [place[net.bottoms[link]] for link in links]
        weights = [_weight(net, link) for link in links]
        for number in _heaviest_rise(spots, weights):
            straight[links[number]] = True
    return straight


def _from_right(net: Net, vertex: int, place: list[int]) -> list[int]:
    """The links below a vertex, last first: no two of them then rise, so at most one is chosen."""
    links = net.below[vertex]
    if len(links) < 2:
        return links
    return sorted(links, key=lambda link: (-place[net.bottoms[link]], link))


def _weight(net: Net, link: int) -> int:
    top, bottom = net.tops[link], net.bottoms[link]
    bends = (top >= net.boxes) + (bottom >= net.boxes)
    if bends == 2:
        return _BEND_TO_BEND
    if bends == 1:
        return _BEND_TO_BOX
    lone = (len(net.below[top]) == 1) + (len(net.above[bottom]) == 1)
    return _BOX_TO_BOX + _ONLY * lone


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
