"""Why a run does not go on: how it ended, what failed, what it went round and round for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph.errors import NodeFailed
from stepgraph.ledger import Outcome, RunStatus
from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.widgets.lines.page_lines import Line, blank, heading, paragraph
from stepgraph_tui.words.text import place, plural, visible

if TYPE_CHECKING:
    from stepgraph.run import Run
    from stepgraph_tui.viewing import RunView

_LISTED = 12  # nodes and keys of a loop report


def ending_lines(view: RunView) -> Iterator[Line]:
    """Why the run does not go on; nothing for one that does."""
    run = view.run
    if run.status is RunStatus.ENDED:
        yield heading("The run ended")
        yield blank()
        yield paragraph(_end(run))
    elif run.status is RunStatus.FAILED:
        yield from _failed(view)
    if run.outcome is Outcome.MAX_STEPS:
        yield from _loop(run)


def _end(run: Run) -> str:
    after = f"after {plural(run.step, 'step')}"
    last = visible(run.history[-1].node) if run.step else ""
    match run.outcome:
        case Outcome.MAX_STEPS:
            flag = ", and is flagged" if run.flagged else ""
            return f"It was stopped at its cap of {plural(run.max_steps, 'step')}{flag}."
        case Outcome.NO_MATCH:
            return f'No edge of {last} matched {after}, and on_no_match is "end".'
        case Outcome.STOPPED:
            limit = run.plan.settings.max_seconds
            why = f": its nodes have run for {limit:g} seconds or more" if limit is not None else ""
            return f"It was stopped {after}{why}."
    return f"It reached END {after}."


def _failed(view: RunView) -> Iterator[Line]:
    run = view.run
    if run.outcome is Outcome.MAX_STEPS:
        yield heading("The run failed")
        yield blank()
        yield paragraph(f"It was stopped at its cap of {plural(run.max_steps, 'step')}.", "bad")
        return
    node, error = visible(run.current or ""), run.error
    routing = not isinstance(error, NodeFailed)
    yield heading(f"The routing of {node} failed" if routing else f"{node} failed")
    yield blank()
    if error is not None:
        if not routing:  # of a routing the edges above say it all
            yield paragraph(visible(view.mask.text(error.message)), "bad")
        yield paragraph(visible(view.mask.text(error.hint)))
        yield blank()
    again = "tries the edges again; the node does not run again" if routing else "retries it"
    yield Line(((f"{COMMANDS['debug.retry'].key} ", "name"), (again, "plain")), hang=2)
    where = "shows what the node put out" if routing else "shows where in the code it failed"
    yield Line(((f"{COMMANDS['workbench.node'].key} ", "name"), (where, "plain")), hang=2)


def _loop(run: Run) -> Iterator[Line]:
    report = run.loop_report
    if report is None:
        return
    steps = run.history
    rows = [("came next", place(steps[-1].next) if steps else "")]
    if report.cycle:
        rows.append(("went round", " → ".join(map(visible, [*report.cycle, report.cycle[0]]))))
    rows.append(("kept matching", visible(report.edge or "").replace(" -> ", " → ")))
    rows.append(("visits", _some([f"{visible(node)} {count:,}" for node, count in report.visits.items()])))
    rows.append(("never changed", _some(list(map(visible, report.unchanged)))))
    yield blank()
    for name, text in rows:
        if text:
            yield Line(((f"{name:<14}", "dim"), (text, "plain")), hang=14)


def _some(texts: list[str]) -> str:
    more = len(texts) - _LISTED
    return ", ".join(texts[:_LISTED]) + (f", and {more:,} more" if more > 0 else "")
