"""The whole page of the Why pane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph.runs.spending import spending_of
from stepgraph.stores.ledger import Outcome, RunStatus, stopped_by
from stepgraph.values.errors import NodeFailed
from stepgraph.values.messages import some_of
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.text.calls import spent_text
from stepgraph_tui.text.plain import place, plural, visible, visible_lines, with_arrows
from stepgraph_tui.text.runs import stopped_text
from stepgraph_tui.view.stops import StopStory, stopping
from stepgraph_tui.widgets.lines import Role
from stepgraph_tui.widgets.lines.page_lines import Line, blank, heading, paragraph

from .answers import answer_lines
from .edges import question_lines, tried_lines

if TYPE_CHECKING:
    from stepgraph.runs.records import StepRecord
    from stepgraph_tui.run_view import RunSnapshot, RunView

_LISTED = 12  # nodes and keys of a loop report


def story_of(moment: RunSnapshot | None, hints: Hints = UNMAPPED) -> Iterator[Line]:
    """Tell why a run is where it is: the edges of the last step, and what comes of it."""
    if moment is None:
        yield from _no_run(hints)
        return
    view, record = moment.view, moment.record
    if record is None:
        yield from _start(view)
    else:
        yield _head(record)
        spent = spent_text(spending_of(record.calls))
        if spent:
            yield paragraph(f"models: {spent}", "dim")
        yield blank()
        yield from tried_lines(view, record)
    if moment.live:
        yield from ending_lines(view, hints)
        yield from answer_lines(view, hints)


def _no_run(hints: Hints) -> Iterator[Line]:
    yield paragraph("No run yet.", "title")
    yield blank()
    yield paragraph(
        "Here you see why a run goes where it goes: every edge of the node that ran, its condition, "
        "the values it looked at and who wrote them, and which edge won."
    )
    yield blank()
    yield Line(((f"{hints.key('debug.go')} ", "name"), ("starts a run", "plain")))


def _start(view: RunView) -> Iterator[Line]:
    start = view.plan.start
    edges = view.plan.edges_from(start) if start in view.plan.nodes else ()
    yield Line(((f"at the start → {visible(start)}", "title"),), _rule(len(edges)), hang=2)
    yield blank()
    yield paragraph(f"Once {visible(start)} has run, its edges are tried in this order:", "dim")
    yield blank()
    yield from question_lines(edges, view.mask, view.code.describe)


def _head(record: StepRecord) -> Line:
    way = f"{visible(record.node)} → {place(record.next)}" if record.next else visible(record.node)
    right = _rule(len(record.edges))
    if stopped_by(record.row) is not None:
        right = ("stopped: no edge was tried", "dim")
    elif record.next is None:
        broken = any(edge.error is not None for edge in record.edges)
        right = ("a condition failed", "bad") if broken else ("no edge matched", "bad")
    return Line(((f"step {record.step}  ", "title"), (way, "title")), right, hang=2)


def _rule(edges: int) -> tuple[str, Role]:
    return ("first match wins", "dim") if edges != 1 else ("the only edge", "dim")


def ending_lines(view: RunView, hints: Hints) -> Iterator[Line]:
    """Tell why the run does not go on; nothing for one that does."""
    run = view.run
    if run.status is RunStatus.ENDED:
        yield heading("The run ended")
        yield blank()
        yield paragraph(_end(view))
    elif run.status is RunStatus.FAILED:
        yield from _failed(view, hints)
    if run.outcome is Outcome.MAX_STEPS:
        yield from _loop(view, hints)


def _end(view: RunView) -> str:
    run = view.run
    after = f"after {plural(run.step, 'step')}"
    last = visible(view.steps[-1].node) if run.step else ""
    match run.outcome:
        case Outcome.MAX_STEPS:
            flag = ", and is flagged" if run.flagged else ""
            return f"It stopped at its limit of {plural(run.max_steps, 'step')}{flag}."
        case Outcome.NO_MATCH:
            return f'No edge of {last} matched {after}, and on_no_match is "end".'
        case Outcome.STOPPED:
            by_hand = stopping(run)
            if by_hand is not None:
                return f"It was {stopped_text(StopStory.of(by_hand, view.mask))} ({after})."
            limit = run.plan.settings.max_seconds
            why = f": its nodes have run for {limit:g} seconds or more" if limit is not None else ""
            return f"It stopped {after}{why}."
    return f"It reached END {after}."


def _failed(view: RunView, hints: Hints) -> Iterator[Line]:
    run = view.run
    if run.outcome is Outcome.MAX_STEPS:
        yield heading("The run failed")
        yield blank()
        yield paragraph(f"It stopped at its limit of {plural(run.max_steps, 'step')}.", "bad")
        return
    node, error = visible(run.current or ""), run.error
    routing = not isinstance(error, NodeFailed)
    yield heading(f"The routing of {node} failed" if routing else f"{node} failed")
    yield blank()
    if error is not None:
        if not routing:  # of a routing the edges above say it all
            for line in visible_lines(view.mask.text(error.message)):
                yield paragraph(line, "bad")
        yield paragraph(visible(view.mask.text(error.hint)))
        yield blank()
    again = "tries the edges again; the node does not run again" if routing else "retries it"
    yield Line(((f"{hints.key('debug.retry')} ", "name"), (again, "plain")), hang=2)
    where = "shows the output of the node" if routing else "shows where in the code it failed"
    yield Line(((f"{hints.key('workbench.node')} ", "name"), (where, "plain")), hang=2)


def _loop(view: RunView, hints: Hints) -> Iterator[Line]:
    report, steps = view.run.loop_report, view.steps
    if report is None:
        return
    rows = [("came next", place(steps[-1].next) if steps else "")]
    if report.cycle:
        rows.append(("went round", " → ".join(map(visible, [*report.cycle, report.cycle[0]]))))
    rows.append(("kept matching", with_arrows(visible(report.edge or ""))))
    visits = [f"{visible(node)} {count:,}" for node, count in report.visits.items()]
    rows.append(("visits", some_of(visits, _LISTED)))
    rows.append(("never changed", some_of(list(map(visible, report.unchanged)), _LISTED)))
    yield blank()
    for name, text in rows:
        if text:
            yield Line(((f"{name:<14}", "dim"), (text, "plain")), hang=14)
    yield blank()
    yield Line(((f"{hints.key('debug.extend')} ", "name"), ("allows it more steps", "plain")), hang=2)
    asked = "shows what its edges asked on the last rounds"
    yield Line(((f"{hints.key('debug.loop')} ", "name"), (asked, "plain")), hang=2)
