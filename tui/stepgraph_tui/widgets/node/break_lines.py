"""The breakpoints that wait at a node or at an edge, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.break_marks import sign_of
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.text.hits import breakpoint_text
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line

from .facts import Masked

if TYPE_CHECKING:
    from stepgraph.runs.debug.breakpoint import Breakpoint
    from stepgraph_tui.widgets.breaks import BreakList


def break_lines(listed: BreakList, waits: Callable[[Breakpoint], bool], masked: Masked) -> Iterator[Line]:
    """Tell of the breakpoints that wait there: each with its sign, and whether the run halts at it."""
    for each in filter(waits, listed.entries):
        is_broken, is_hit = each.id in listed.broken, each.id == listed.hit
        sign = UNICODE.breaks["broken" if is_broken else sign_of(each)]
        role: Role = "bad" if is_broken or each.enabled else "dim"
        said = f"{visible(masked(breakpoint_text(each)))}{', can never be met' if is_broken else ''}"
        yield Line(
            (
                (f"{sign} ", role),
                (f"{each.id}  ", "title" if is_hit else "dim"),
                (said, "plain" if each.enabled else "dim"),
            ),
            ("HALTED", "warn") if is_hit else None,
            hang=len(each.id) + 4,
        )
