"""How many links cross between two layers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence


def crossings(upper: Sequence[int], below: Sequence[Sequence[int]], place: Sequence[int]) -> int:
    """The crossings between a layer and the next one.

    Args:
        upper: The layer's vertices in order.
        below: Each vertex's neighbours in the next layer.
        place: Each vertex's place in its layer.
    """
    ends: list[int] = []
    for vertex in upper:
        ends += sorted(map(place.__getitem__, below[vertex]))
    return inversions(ends)


def inversions(values: list[int]) -> int:
    """How many pairs stand the wrong way round."""
    if values == sorted(values):
        return 0
    seen: list[int] = []
    count = 0
    for value in values:
        count += len(seen) - bisect_right(seen, value)
        insort(seen, value)  # a move of memory, cheaper here than a tree in Python
    return count


def pair_crossings(left: Sequence[int], right: Sequence[int]) -> int:
    """The crossings of the links of two neighbours, given the sorted places of the other ends."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    if len(left) == 1:
        return bisect_left(right, left[0])
    return sum(len(left) - bisect_right(left, spot) for spot in right)
