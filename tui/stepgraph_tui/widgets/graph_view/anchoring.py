"""Where a new picture of an edited graph is put, so that what somebody looks at stays where it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.geometry import Offset, Region

if TYPE_CHECKING:
    from .sheet import Sheet


def anchored(old: Sheet, shift: Offset, seen: Region, wanted: Iterable[str], new: Sheet) -> Offset | None:
    """Where the first cell of the new picture belongs on the screen.

    Args:
        old: The picture that is on the screen.
        shift: Where its first cell is.
        seen: The part of it that is seen.
        wanted: The nodes that matter most, the first before the others; of those that are seen in the old
            picture, one stays at its place, else the topmost of all.
        new: The picture after the edit.

    Returns:
        None when no node that is seen is in both.
    """
    there = [node for node in old.seen_nodes(seen) if new.has(node)]
    node = next((node for node in wanted if node in there), there[0] if there else None)
    if node is None:
        return None
    return old.place_of(node).offset + shift - new.place_of(node).offset
