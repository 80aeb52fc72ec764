"""Assign coordinates across the flow: chains of aligned vertices stand near those they have links to."""

from __future__ import annotations

from itertools import pairwise

from .aligned_chains import AlignedChains
from .alignment import Weight, loosen, straight_links
from .layered_graph import LayeredGraph
from .measured import Spacing
from .ports import Ports

_ROUNDS = 3
"""How often all chains are moved towards their neighbours, there and back."""
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
    """Move each chain to the middle of where its neighbours would have it, as far as there is room."""
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
