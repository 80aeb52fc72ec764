"""Tables that are readable without color and without lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import Literal, TypeAlias

from stepgraph_tui.text.cells import cell_len, cut, wrapped
from stepgraph_tui.text.characters import visible

Fit = Literal["keep", "fold", "cut"]
Columns: TypeAlias = Sequence[tuple[str, Fit]]
_BLOCK = 500  # rows
_LEAST: dict[Fit, int] = {"keep": 40, "fold": 12, "cut": 8}
"""The columns of the screen below which a cell that is wider tells too little."""
_GAP = 2


def listing(columns: Columns, rows: Iterable[Sequence[str]], width: int) -> Iterator[list[str]]:
    """Lay out one line a row where that is possible, in blocks: however many rows there are, few are kept.

    Args:
        columns: Each one's title, and what becomes of its cells where the screen is too narrow: they
            are kept whole, folded into several lines, or cut, which an ellipsis tells. Where even that
            does not fit, the last columns are left out.
        rows: The cells.
        width: The screen's columns.

    Yields:
        The lines of some rows; the very first line has the titles.
    """
    rest = ([visible(text) for text in row] for row in rows)
    titles = [title for title, _ in columns]
    widest = [cell_len(title) for title in titles]
    heading = [titles]
    while (block := list(islice(rest, _BLOCK))) or heading:  # without rows there is a heading too
        widest = [max([wide, *(cell_len(row[at]) for row in block)]) for at, wide in enumerate(widest)]
        if heading:
            columns = columns[: _fitting(columns, widest, width)]
        widths = _widths(columns, widest, width)
        yield [line for row in heading + block for line in _lines(row, columns, widths)]
        heading = []


def _lines(row: Sequence[str], columns: Columns, widths: Sequence[int]) -> Iterator[str]:
    """Lay out a row: one line, and more where cells are folded."""
    cells = [
        wrapped(text, room) if fit == "fold" else [cut(text, room)]
        for text, (_, fit), room in zip(row, columns, widths, strict=False)
    ]
    for parts in zip_longest(*cells, fillvalue=""):
        filled = (text + " " * (room - cell_len(text)) for text, room in zip(parts, widths, strict=True))
        yield (" " * _GAP).join(filled).rstrip()


def _widths(columns: Columns, widest: Sequence[int], width: int) -> list[int]:
    """Share the screen's columns out: what can be folded or cut gives way first, and the widest most."""
    room = width - _GAP * (len(columns) - 1)
    whole: dict[Fit, int] = {"keep": max(widest)}
    # A table that goes on may have wider cells than those that its columns were chosen by: the last way.
    for least in (_LEAST | whole, _LEAST, dict.fromkeys(_LEAST, 1)):
        for most in range(room, 0, -1):
            widths = [
                min(wide, max(most, least[fit])) for (_, fit), wide in zip(columns, widest, strict=False)
            ]
            if sum(widths) <= room:
                return widths
    return [1] * len(columns)


def _fitting(columns: Columns, widest: Sequence[int], width: int) -> int:
    """Count how many of the columns fit side by side."""
    total = -_GAP
    for count, (wide, (_, fit)) in enumerate(zip(widest, columns, strict=True)):
        total += min(wide, _LEAST[fit]) + _GAP
        if total > width:
            return max(1, count)
    return len(columns)
