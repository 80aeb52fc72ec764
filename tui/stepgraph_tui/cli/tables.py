"""Tables that are readable without colour and without lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

Fit = Literal["keep", "fold", "cut"]
_LABEL = 24  # columns


def page(rows: Iterable[tuple[str, str]]) -> Table:
    """Labels on the left, and what belongs to them on the right, wrapped between words."""
    table = Table.grid(padding=(0, 2, 0, 0), expand=False)
    table.add_column(style="bold", overflow="fold", max_width=_LABEL)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(Text(label), Text(text))
    return table


def listing(columns: Sequence[tuple[str, Fit]], rows: Iterable[Sequence[str]]) -> Table:
    """One line a row where that is possible.

    Args:
        columns: Each one's title, and what becomes of its cells where the screen is too narrow: they
            are kept whole, folded into several lines, or cut, which an ellipsis tells.
        rows: The cells, safe to print.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title, fit in columns:
        table.add_column(title, overflow="fold", no_wrap=fit == "keep")
    for row in rows:
        table.add_row(*(_cell(text, fit) for text, (_, fit) in zip(row, columns, strict=True)))
    return table


def _cell(text: str, fit: Fit) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis") if fit == "cut" else Text(text)
