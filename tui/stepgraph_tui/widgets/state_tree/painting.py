"""A row of the state in parts, each with the name of its style."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rich.cells import cell_len

from stepgraph_tui.words.cells import cut

from .glimpse import change_glimpse, glimpse
from .row import Row

Look = Literal["", "name", "dim", "added", "changed", "removed"]
Piece = tuple[str, Look]

_SIGNS: dict[str, Look] = {"+": "added", "~": "changed", "-": "removed"}
_LEAST = 10  # cells that a value needs to say anything


def pieces(row: Row, width: int, signed: bool) -> Iterator[Piece]:
    """What stands in a row, from left to right, in at most so many cells.

    Args:
        row: The row.
        width: How many cells there are.
        signed: Whether there is a column for the signs of changes.
    """
    if row.kind == "words" and not row.name:
        return
    left = 1 + 2 * signed + min(2 * row.depth, width // 3)
    if row.sign:
        yield f" {row.sign} ", _SIGNS[row.sign]
    else:
        yield " " * left, ""
    fold = ("▾ " if row.open else "▸ ") if row.folds else "  "
    if row.kind != "value":
        yield f"{fold}{row.name}" if row.kind == "unchanged" else f"  {row.name}", "dim"
        return
    look: Look = "dim" if row.dim else ""
    yield fold, look
    room = max(0, width - left - 2)
    column = min(row.column, max(_LEAST, room * 2 // 5))
    name = cut(row.name, room if room < 2 * _LEAST else room - _LEAST)
    yield name, "dim" if row.dim else "name"
    gap = max(0, column - cell_len(name)) + 2
    yield " " * gap, ""
    yield from _value(row, room - cell_len(name) - gap, look)


def _value(row: Row, width: int, look: Look) -> Iterator[Piece]:
    if width <= 0:
        return
    if row.note:
        yield cut(row.note, width), look
    elif row.sign == "~":
        arrow = " → " if width > _LEAST else " "
        old, new = change_glimpse(row.old, row.value, max(2, width - len(arrow)))
        yield f"{old}{arrow}", "dim"
        yield new, look
    else:
        yield glimpse(row.value, width), look


def fold_cells(row: Row, width: int, signed: bool) -> range:
    """The cells of the mark that folds and unfolds a row; none when it does neither."""
    left = 1 + 2 * signed + min(2 * row.depth, width // 3)
    return range(left, left + 2) if row.folds else range(0)
