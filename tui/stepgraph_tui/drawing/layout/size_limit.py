"""Refuse what would take too long to lay out, and what nobody could read."""

from __future__ import annotations

from collections.abc import Sequence

from .layering import Arc

_LINKS = 100_000
"""Parts of lines, one from each layer to the next."""
_DENSE = 16_000_000
"""The sum, over all layers, of the square of the lines that leave one: about the cells of the picture, and
about the steps that it takes to lay it out."""


class TooLargeToDrawError(Exception):
    """A picture would have so many lines side by side that nobody could read it, or wait for it."""


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
