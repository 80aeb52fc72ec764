"""List below a picture the texts that did not fit in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .graph_drawing import GraphDrawing

_TOLD = 20
"""Edges of a bundle that are listed."""


def texts_below(drawing: GraphDrawing, fired: Collection[int]) -> Iterator[str]:
    """List the labels that were cut, and the edges of each bundle: the first ones and those that were taken.

    Args:
        drawing: The texts of the graph.
        fired: The edges that a run took, by their position.
    """
    drawn = drawing.drawn
    for number, (edge, text) in enumerate(zip(drawing.edges, drawing.texts, strict=True)):
        if number not in drawn.first and text != drawing.labels[number]:
            yield f"  {drawing.captions[edge.source].name}: {text}"
    for bundle in drawn.bundles.values():
        yield from _bundle(drawing, bundle, fired)


def _bundle(drawing: GraphDrawing, bundle: Sequence[int], fired: Collection[int]) -> Iterator[str]:
    first = drawing.edges[bundle[0]]
    source, target = drawing.captions[first.source].name, drawing.captions[first.target].name
    yield f"  {source}: {len(bundle):,} edges lead to {target}"
    listed = [edge for at, edge in enumerate(bundle) if at < _TOLD or edge in fired]
    yield from (f"    {drawing.texts[edge]}{'  taken' if edge in fired else ''}" for edge in listed)
    if len(listed) < len(bundle):
        yield f"    {drawing.glyphs.more} {len(bundle) - len(listed):,} more; `stepgraph show --json` has all"
