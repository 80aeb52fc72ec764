"""Tables that are readable without colour and without lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible

Fit = Literal["keep", "fold", "cut"]
_LEAST: dict[Fit, int] = {"keep": 40, "fold": 12, "cut": 8}
"""The columns of the screen below which a cell that is wider tells too little."""
_GAP = 2


def listing(columns: Sequence[tuple[str, Fit]], rows: Iterable[Sequence[str]], width: int) -> Table:
    """Lay out one line a row where that is possible.

    Args:
        columns: Each one's title, and what becomes of its cells where the screen is too narrow: they
            are kept whole, folded into several lines, or cut, which an ellipsis tells. Where even that
            does not fit, the last columns are left out.
        rows: The cells.
        width: The screen's columns.
    """
    rows = [[visible(text) for text in row] for row in rows]
    columns = columns[: _fitting(columns, rows, width)]
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for title, fit in columns:
        table.add_column(title, overflow="fold", no_wrap=fit == "keep")
    for row in rows:
        table.add_row(*(_cell(text, fit) for text, (_, fit) in zip(row, columns, strict=False)))
    return table


def _fitting(columns: Sequence[tuple[str, Fit]], rows: Sequence[Sequence[str]], width: int) -> int:
    """Count how many of the columns fit side by side."""
    total = -_GAP
    for count, (title, fit) in enumerate(columns):
        widest = max(map(cell_len, (title, *(row[count] for row in rows))))
        total += min(widest, _LEAST[fit]) + _GAP
        if total > width:
            return max(1, count)
    return len(columns)


def _cell(text: str, fit: Fit) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis") if fit == "cut" else Text(text)
