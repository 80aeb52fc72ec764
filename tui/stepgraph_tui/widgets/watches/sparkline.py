"""The values of a watch over the steps of a run, in a row of cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from stepgraph_tui.widgets.lines import Span

if TYPE_CHECKING:
    from stepgraph.runs.debug.watches import WatchPoint
    from stepgraph.runs.masks import Mask

BARS, PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
"""Numbers from the smallest to the largest, and the same in ASCII."""
CHANGED, SAME, ERROR = "●", "·", "!"


def cells_for(last: int, room: int) -> int:
    """Count the cells of a strip: one a step while there is room for it."""
    return max(0, min(room, last + 1))


def step_of_cell(cell: int, cells: int, last: int) -> int:
    """Find the last step that a cell stands for."""
    return (cell + 1) * (last + 1) // cells - 1


def cell_of_step(step: int, cells: int, last: int) -> int:
    """Find the cell that a step is in."""
    return next((cell for cell in range(cells) if step <= step_of_cell(cell, cells, last)), cells - 1)


def sparkline(
    points: Sequence[WatchPoint], last: int, room: int, mask: Mask, *, plain: bool = False
) -> list[Span]:
    """Draw values over the steps from 0 to the last one; a cell shows what its last step left.

    Numbers are bars between the smallest and the largest of them; of anything else, the changes are marked.

    Args:
        points: The changes of a watch, in order; the first is what it was at the start.
        last: The last step.
        room: How many cells there are.
        mask: Hides what became known as a secret after the points were read.
        plain: Whether bars are ASCII.
    """
    cells = cells_for(last, room)
    places = [
        bisect_right(points, step_of_cell(cell, cells, last), key=lambda point: point.step)
        for cell in range(cells)
    ]
    shown = [points[place - 1] for place in places]
    numbers = [
        None if point.number is None or mask.text(point.text) != point.text else Fraction(point.number)
        for point in shown
    ]
    known = [number for number in numbers if number is not None]
    low, high = (min(known), max(known)) if known else (Fraction(0), Fraction(0))
    bars = PLAIN_BARS if plain else BARS
    spans: list[Span] = []
    before = 1  # the value at the start is not a change
    for place, point, number in zip(places, shown, numbers, strict=True):
        if point.is_error:
            spans.append((ERROR, "warn"))
        elif number is not None:
            level = int((number - low) / (high - low) * (len(bars) - 1)) if high > low else len(bars) // 2
            spans.append((bars[level], "value"))
        else:
            spans.append((CHANGED, "value") if place > before else (SAME, "dim"))
        before = place
    return spans
