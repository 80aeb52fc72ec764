"""A line with a caret below it, fitted into the cells that there are: wrapping would part them."""

from __future__ import annotations

from stepgraph_tui.text.cells import cell_len

from .cells import cells_of
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
    if shown[:1] == [""]:  # half of a wide character
        shown[0] = " "
    if cells[first + width : first + width + 1] == [""]:
        shown.pop()
    return ["".join(shown), f"{' ' * (place - first)}^"]
