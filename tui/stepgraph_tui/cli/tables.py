"""Tables that are readable without colour and without lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

Overflow = Literal["fold", "ellipsis"]
_LABEL = 24  # columns


def page(rows: Iterable[tuple[str, str]]) -> Table:
    """Labels on the left, and what belongs to them on the right, wrapped between words."""
    table = Table.grid(padding=(0, 2, 0, 0), expand=False)
    table.add_column(style="bold", overflow="fold", max_width=_LABEL)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(Text(label), Text(text))
    return table


def listing(columns: Sequence[tuple[str, Overflow]], rows: Iterable[Sequence[str]]) -> Table:
    """One line a row; a column that may be cut says so by an ellipsis, the others are folded.

    Args:
        columns: Each one's title, and what happens to text that is too long for it.
        rows: The cells, safe to print.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title, overflow in columns:
        table.add_column(title, overflow=overflow, no_wrap=overflow == "ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    return table
