"""Fewer straight links where these make a picture wide: blocks that prop one another up are cut."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from .align import Weight, weight_of
from .blocks import Blocks

_SHARE = 0.4
"""How many of the blocks that prop something up are cut at once; a few cuts may be enough."""


def loosen(blocks: Blocks, straight: list[bool], limit: int) -> bool:
    """Let go of straight links so that the picture becomes narrower; long arcs stay straight inside.

    Args:
        blocks: The blocks that the links make.
        straight: Whether each link is straight; changed.
        limit: The width in cells that is aimed at.

    Returns:
        Whether a link was let go.
    """
    places = blocks.first_places()
    reached = [place + end + 1 for place, end in zip(places, blocks.ends, strict=True)]
    wide = [block for block, width in enumerate(reached) if width > limit]
    seen: set[int] = set()
    found = False
    for block in sorted(wide, key=lambda block: -reached[block]):
        weak = sorted(_weakest(blocks, straight, places, block, seen))
        for _, link in weak[: ceil(len(weak) * _SHARE)]:
            straight[link] = False
            found = True
    return found


def _weakest(
    blocks: Blocks, straight: list[bool], places: list[int], block: int, seen: set[int]
) -> Iterator[tuple[Weight, int]]:
    """The link to cut of each block between the picture's beginning and a block that stands far behind it.

    Only a block that is propped up in one layer, and props up the next block in another, is worth a cut.
    """
    leaving = max(blocks.members[block], key=blocks.reach_behind)
    while block not in seen:
        seen.add(block)
        prop = next(
            (
                number
                for number, (other, least) in enumerate(blocks.before[block])
                if places[other] + least == places[block]
            ),
            None,
        )
        if prop is None:
            return
        before, reached = blocks.touching[block][prop]
        links = _between(blocks, straight, reached, leaving)
        if links:
            weight, link = min((weight_of(blocks.net, link), link) for link in links)
            if weight < Weight.LONG:
                yield weight, link
        block, leaving = blocks.before[block][prop][0], before


def _between(blocks: Blocks, straight: list[bool], one: int, other: int) -> list[int]:
    """The links that hold two vertices of a block together."""
    net = blocks.net
    members = blocks.members[blocks.block[one]]
    first, last = sorted((net.layer[one], net.layer[other]))
    begin = net.layer[members[0]]
    upper = members[first - begin : last - begin]
    return [next(link for link in net.below[vertex] if straight[link]) for vertex in upper]
