"""What a run has done with a node, up to a moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.status_text import unused_decision
from stepgraph_tui.text.plain import clock, place, plural, took, visible
from stepgraph_tui.widgets.lines.page_lines import Line, paragraph, text_block

from .facts import MOST, Masked, changed, fact, setting
from .traceback import traceback_lines

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.runs.records import StepRecord
    from stepgraph.stores.ledger import Row
    from stepgraph.values.json_values import Json
    from stepgraph_tui.run_view import RunSnapshot

_STANDS = {
    RunStatus.READY: "comes next",
    RunStatus.PAUSED: "waits for a person",
    RunStatus.FAILED: "failed",
}


def visit_lines(moment: RunSnapshot, node: str) -> Iterator[Line]:
    """Tell how often the run has visited a node, and what its last visit did."""
    run, record = moment.view.run, last_visit(moment, node)
    if node == END:
        there = run.outcome is Outcome.END and moment.step == run.step
        yield fact("reached", f"after {plural(run.step, 'step')}" if there else "not so far")
        return
    if moment.live and run.current == node and run.status in _STANDS:
        yield fact("now", unused_decision(moment.view) or _STANDS[run.status], "title")
    if record is None:
        yield fact("visits", "none so far" if moment.live else f"none up to step {moment.step}")
        return
    yield fact("visits", f"{record.visit:,}")
    yield fact("last", f"step {record.step}, {took(record.duration)}, {clock(record.started_at)}")
    yield fact("then", place(record.next) if record.next else "nowhere: its routing failed")
    yield from _done(moment, record)


def _done(moment: RunSnapshot, record: StepRecord) -> Iterator[Line]:
    """Tell what a visit put out, what it changed, and what its templates said."""
    mask = moment.view.mask
    if record.row.output is not None:
        yield from setting("output", mask.text(record.row.output), mask.text)
    ops = record.row.ops or {}
    updates = [name for name in record.row.updates or {} if ops.get(name) != "same"]
    if updates:
        yield paragraph("changed", "dim")
    for name in updates[:MOST]:
        value = mask.value(name, (record.row.updates or {})[name])
        yield _indented(changed(mask.text(name), value, ops.get(name), mask.text))
    if len(updates) > MOST:
        yield paragraph(f"… {len(updates) - MOST:,} more", "dim", 2)
    asked = record.asked(moment.view.state_before(record.step))
    if asked:
        yield paragraph("asked", "dim")
    for name, text in asked.items():
        for line in setting(name, text, mask.text):
            yield _indented(line)


def _indented(line: Line) -> Line:
    return replace(line, indent=line.indent + 2)


def last_visit(moment: RunSnapshot, node: str) -> StepRecord | None:
    """Find the last completed visit of a node at a moment."""
    if node not in moment.view.run.visits:
        return None
    for step in range(moment.step, 0, -1):
        record = moment.view.record(step)
        if record is not None and record.node == node:
            return record
    return None


def failure_of(moment: RunSnapshot, node: str) -> Row | None:
    """Find the failure that a node, or its routing, is stuck with at a moment."""
    run, record = moment.view.run, moment.record
    if not moment.live:
        failed = record is not None and record.node == node and record.error is not None
        return record.row if failed and record is not None else None
    if run.status is not RunStatus.FAILED or run.current != node:
        return None
    return next((row for row in reversed(moment.view.rows) if row.error is not None), None)


def failure_lines(moment: RunSnapshot, row: Row) -> Iterator[Line]:
    """Tell of a failure of a run: what happened, what to do about it, and where in the code it was."""
    source = moment.view.plan.source
    yield from error_lines(
        row.error or {}, moment.view.mask.text, source.parent if source is not None else None
    )


def error_lines(error: Mapping[str, Json], masked: Masked, folder: Path | None) -> Iterator[Line]:
    """Write an error as the ledger keeps it.

    Args:
        error: What was raised.
        masked: Hides secrets.
        folder: Where the graph is: files in it are named from there.
    """
    message = masked(str(error.get("message", "")))
    yield from text_block(message, "bad")
    if error.get("hint"):
        yield paragraph(visible(masked(str(error["hint"]))))
    cause = error.get("cause")
    trace = str(cause.get("traceback") or "") if isinstance(cause, dict) else ""
    if trace:
        yield from traceback_lines(masked(trace), folder, message)


def times_taken(moment: RunSnapshot, source: str, position: int) -> tuple[int, int]:
    """Count how often the run has taken an edge up to a moment, and the last step that did (0: none)."""
    taken = [
        record.step
        for record in moment.view.steps[: moment.step]
        if record.node == source and record.row.edge == position and record.row.error is None
    ]
    return len(taken), taken[-1] if taken else 0


def taken_text(moment: RunSnapshot, source: str, position: int) -> str:
    """Tell how often the run has taken an edge, in words."""
    count, last = times_taken(moment, source, position)
    return f"{plural(count, 'time')}, last at step {last}" if count else "never"
