"""A row of a page in parts, each with its style."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.cells import cell_len
from rich.style import Style

from stepgraph_tui.widgets.lines import Part
from stepgraph_tui.words.cells import cut

from .lines import Line, Role
from .wrapping import Row

Styled = Callable[[Role], Style]


def row_parts(line: Line, row: Row, width: int, style: Styled) -> Iterator[Part]:
    """What stands in a row, from left to right, in at most ``width`` cells.

    Args:
        line: The line that it is a row of.
        row: Which piece of it.
        width: How many cells there are.
        style: The style of a role.
    """
    used = row.indent
    yield " " * row.indent, style("plain")
    for text, role in pieces(line, row):
        used += cell_len(text)
        yield text, style(role)
    if line.filled and row.end == len(line.left):
        yield f" {'─' * max(0, width - used - 1)}", style("rule")
    if row.right and line.right is not None:
        text, role = line.right
        shown = cut(text, width - used)
        yield " " * max(0, width - used - cell_len(shown)), style("plain")
        yield shown, style(role)


def pieces(line: Line, row: Row) -> Iterator[tuple[str, Role]]:
    """The row's part of the line's text, without the spaces at its end."""
    at = 0
    end = row.start + len(line.left[row.start : row.end].rstrip())
    for text, role in line.parts:
        piece = text[max(0, row.start - at) : max(0, end - at)]
        if piece:
            yield piece, role
        at += len(text)
