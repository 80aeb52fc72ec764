"""The whole page of the Why pane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line, blank, paragraph
from stepgraph_tui.words.text import place, visible

from .answers import answer_lines
from .edges import question_lines, tried_lines
from .endings import ending_lines

if TYPE_CHECKING:
    from stepgraph.run import StepRecord
    from stepgraph_tui.viewing import Moment, RunView


def story_of(moment: Moment | None) -> Iterator[Line]:
    """Why a run is where it is: the edges of the last step, and what comes of it."""
    if moment is None:
        yield from _no_run()
        return
    view, record = moment.view, moment.record
    if record is None:
        yield from _start(view)
    else:
        yield _head(record)
        yield blank()
        yield from tried_lines(view, record)
    if moment.live:
        yield from ending_lines(view)
        yield from answer_lines(view)


def _no_run() -> Iterator[Line]:
    yield paragraph("No run yet.", "title")
    yield blank()
    yield paragraph(
        "Here you will see why a run goes where it goes: every edge of the node that ran, its condition, "
        "the values that it looked at and who wrote them, and which edge won."
    )
    yield blank()
    yield Line(((f"{COMMANDS['debug.go'].key} ", "name"), ("starts a run", "plain")))


def _start(view: RunView) -> Iterator[Line]:
    start = view.plan.start
    edges = view.plan.edges_from(start) if start in view.plan.nodes else ()
    yield Line(((f"at the start → {visible(start)}", "title"),), _rule(len(edges)), hang=2)
    yield blank()
    yield paragraph(f"Once {visible(start)} has run, its edges are asked in this order:", "dim")
    yield blank()
    yield from question_lines(edges, view.mask)


def _head(record: StepRecord) -> Line:
    way = f"{visible(record.node)} → {place(record.next)}" if record.next else visible(record.node)
    right = _rule(len(record.edges))
    if record.next is None:
        broken = any(edge.error is not None for edge in record.edges)
        right = ("a condition failed", "bad") if broken else ("no edge matched", "bad")
    return Line(((f"step {record.step}  ", "title"), (way, "title")), right, hang=2)


def _rule(edges: int) -> tuple[str, Role]:
    return ("first match wins", "dim") if edges != 1 else ("the only edge", "dim")
