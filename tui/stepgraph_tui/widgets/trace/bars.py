"""Bars that compare how long the steps of a run took: solid for work, hatched for waiting for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.runs import Timeline
    from stepgraph_tui.widgets.lines import Span

WORK, WAIT = "━", "/"
LEAST, MOST = 6, 24
"""Cells that bars need to say anything, and how many they take at most."""
_APART = 1  # cells between work and waiting


def bar_length(seconds: float, longest: float, width: int) -> int:
    """Count the cells of a bar: the longest takes them all, and what took any time takes one at least."""
    if not seconds > 0 or not longest > 0:
        return 0
    return max(1, min(width, round(min(1.0, seconds / longest) * width)))


def halves(width: int, times: Timeline) -> tuple[int, int]:
    """Share the cells between work and waiting, each with a scale of its own; none for a run without waits.

    A person takes minutes where a node takes milliseconds: on one scale no work could be told apart.
    """
    if not times.waits:
        return width, 0
    work = (width - _APART) // 2
    return work, width - _APART - work


def bar_spans(step: int, seconds: float, times: Timeline, width: int) -> list[Span]:
    """Draw how long a step worked, and beside it how long it waited for a person."""
    work, wait = halves(width, times)
    solid = WORK * bar_length(seconds, times.longest_work, work)
    if not wait:
        return [(f"{solid:<{work}}", "dim")]
    hatched = WAIT * bar_length(times.waits.get(step, 0.0), times.longest_wait, wait)
    return [(f"{solid:<{work + _APART}}", "dim"), (f"{hatched:<{wait}}", "warn")]


def bar_titles(times: Timeline, width: int) -> str:
    """Name the bars."""
    work, wait = halves(width, times)
    if wait and work < len("work"):
        return "time"
    return f"{'work':<{work + _APART}}{'waits'[:wait]}" if wait else "work"
