"""Tables that are readable without colour and without lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, TypeAlias

from rich.table import Table
from rich.text import Text

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible

Fit = Literal["keep", "fold", "cut"]
Columns: TypeAlias = Sequence[tuple[str, Fit]]
_BLOCK = 500  # rows
_LEAST: dict[Fit, int] = {"keep": 40, "fold": 12, "cut": 8}
"""The columns of the screen below which a cell that is wider tells too little."""
_GAP = 2


def listing(columns: Columns, rows: Iterable[Sequence[str]], width: int) -> Iterator[Table]:
    """Lay out one line a row where that is possible, in blocks: however many rows there are, few are kept.

    Args:
        columns: Each one's title, and what becomes of its cells where the screen is too narrow: they
            are kept whole, folded into several lines, or cut, which an ellipsis tells. Where even that
            does not fit, the last columns are left out.
        rows: The cells.
        width: The screen's columns.
    """
    rest = ([visible(text) for text in row] for row in rows)
    widest = [cell_len(title) for title, _ in columns]
    is_first = True
    while (block := list(islice(rest, _BLOCK))) or is_first:  # without rows there is a heading too
        widest = [max([wide, *(cell_len(row[at]) for row in block)]) for at, wide in enumerate(widest)]
        if is_first:
            columns = columns[: _fitting(columns, widest, width)]
        table = Table(
            box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold", show_header=is_first
        )
        fits = sum(widest[: len(columns)]) + _GAP * (len(columns) - 1) <= width
        for wide, (title, fit) in zip(widest, columns, strict=False):
            least = wide if fits else min(wide, _LEAST[fit])
            table.add_column(title, overflow="fold", no_wrap=fit == "keep", min_width=least)
        for row in block:
            table.add_row(*(_cell(text, fit) for text, (_, fit) in zip(row, columns, strict=False)))
        yield table
        is_first = False


def _fitting(columns: Columns, widest: Sequence[int], width: int) -> int:
    """Count how many of the columns fit side by side."""
    total = -_GAP
    for count, (wide, (_, fit)) in enumerate(zip(widest, columns, strict=True)):
        total += min(wide, _LEAST[fit]) + _GAP
        if total > width:
            return max(1, count)
    return len(columns)


def _cell(text: str, fit: Fit) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis") if fit == "cut" else Text(text)
