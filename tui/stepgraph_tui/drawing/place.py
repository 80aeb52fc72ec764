"""Where each vertex stands across the flow: straight chains as blocks, each near its neighbours."""

from __future__ import annotations

from itertools import pairwise

from .align import Weight, straight_links
from .blocks import Blocks
from .narrow import loosen
from .net import Net
from .ports import Ports
from .spacing import Spacing

_ROUNDS = 3
"""How often all blocks are moved towards their neighbours, there and back."""
_CUTS = 8
"""How often straight links are let go for the sake of a narrower picture."""
_SLACK = 1.4
"""How many times the widest layer's width a picture may take before that is done."""


def place_vertices(net: Net, ports: Ports, spacing: Spacing) -> list[int]:
    """The first cell of each vertex's own length, across the flow; nothing reaches below 0.

    Args:
        net: In its final order.
        ports: Where the links meet the vertices.
        spacing: The distances.
    """
    straight = straight_links(net, Weight.PAIR if spacing.roomy else Weight.BOXES)
    limit = int(_SLACK * _widest(net, ports, spacing))
    blocks = Blocks(net, ports, straight, spacing)
    for _ in range(_CUTS):
        if not loosen(blocks, straight, limit):
            break
        blocks = Blocks(net, ports, straight, spacing)
    places = _settled(blocks)
    spots = [places[block] + shift for block, shift in zip(blocks.block, blocks.shift, strict=True)]
    least = min((spot - start for spot, start in zip(spots, ports.start, strict=True)), default=0)
    return [spot - least for spot in spots]


def _widest(net: Net, ports: Ports, spacing: Spacing) -> int:
    """The width of the widest layer."""
    start, end, boxes = ports.start, ports.end, net.boxes
    return max(
        (
            sum(start[vertex] + end[vertex] + 1 for vertex in row)
            + sum(spacing.between(left < boxes, right < boxes) for left, right in pairwise(row))
            for row in net.layers
        ),
        default=0,
    )


def _settled(blocks: Blocks) -> list[int]:
    """The place of each block: half-way between its first and its last, then near those it has links to."""
    low = blocks.first_places()
    high = blocks.last_places(blocks.width(low))
    places = [(first + last) // 2 for first, last in zip(low, high, strict=True)]
    pulls = _pulls(blocks)
    for _ in range(_ROUNDS):
        _pull(blocks, pulls, places, blocks.sorted)
        _pull(blocks, pulls, places, blocks.sorted[::-1])
    return places


def _pulls(blocks: Blocks) -> list[list[tuple[int, int]]]:
    """For each block those it has links to, and how far behind each it would stand for a straight one."""
    net, ports, block, shift = blocks.net, blocks.ports, blocks.block, blocks.shift
    pulls: list[list[tuple[int, int]]] = [[] for _ in blocks.sorted]
    for link, (top, bottom) in enumerate(zip(net.tops, net.bottoms, strict=True)):
        above, below = block[top], block[bottom]
        if above != below:
            far = shift[top] + ports.tail[link] - shift[bottom] - ports.head[link]
            pulls[below].append((above, far))
            pulls[above].append((below, -far))
    return pulls


def _pull(blocks: Blocks, pulls: list[list[tuple[int, int]]], places: list[int], order: list[int]) -> None:
    """Move each block to the middle of where its neighbours would have it, as far as there is room."""
    for block in order:
        if not pulls[block]:
            continue
        wanted = sorted([places[other] + far for other, far in pulls[block]])
        place = wanted[len(wanted) // 2]
        if len(wanted) % 2 == 0:
            place = min(max(places[block], wanted[len(wanted) // 2 - 1]), place)
        for other, least in blocks.before[block]:
            place = max(place, places[other] + least)
        for other, least in blocks.behind[block]:
            place = min(place, places[other] - least)
        places[block] = place
