"""Pieces of a text, fitted into the cells that there are: a line with a caret, the end of an answer."""

from __future__ import annotations

from itertools import takewhile

from stepgraph_tui.text.cells import cell_len

from .cells import cells_of, wrapped
from .plain import visible_lines


def fitted(excerpt: str, width: int) -> list[str]:
    """Cut an excerpt's line around the place that its caret points to; what fits stays as it is.

    Args:
        excerpt: A line, and below it a caret at a place in it, as a problem has them; nothing when empty.
        width: The cells that there are.
    """
    if not excerpt:
        return []
    line, caret = visible_lines(excerpt)
    place = len(caret) - 1
    if max(cell_len(line), place + 1) <= width:
        return [line, caret]
    cells = cells_of(line)
    first = max(0, min(place - width // 2, len(cells) + 1 - width))
    shown = cells[first : first + width]
    for at in takewhile(lambda at: not shown[at], range(len(shown))):  # half of a wide character
        shown[at] = " "
    if cells[first + width : first + width + 1] == [""]:
        while shown and not shown[-1]:
            shown.pop()
        shown = shown[:-1]
    return ["".join(shown), f"{' ' * (place - first)}^"]


def last_rows(text: str, rows: int, width: int) -> list[str]:
    """Fold the end of a text into at most ``rows`` rows, each safe to show; none for an empty text."""
    text = text[-rows * width :]
    return [row for line in visible_lines(text) for row in wrapped(line, width)][-rows:] if text else []
