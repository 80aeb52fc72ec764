"""What happened in a run, in Markdown: each step and its reasons, decisions, failures, spending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import as_output
from stepgraph.runs.modes import SAYING_MODE, mode_word, modes_said
from stepgraph.runs.timeline import WITHOUT_STEPS, Timeline
from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.text.calls import ended_text, spent_text
from stepgraph_tui.text.edits import edits_after, told_edits
from stepgraph_tui.text.loops import found, loop_lines
from stepgraph_tui.text.plain import clock, took, value_text
from stepgraph_tui.text.reviews import action_text, changes_text, done_text
from stepgraph_tui.text.runs import standing, stopped_text, stopping, tried_edges
from stepgraph_tui.text.state_diff import StateChange, changes
from stepgraph_tui.text.terms import expired_text

from .graph_report import inline, left_out, place_code
from .markdown import code, fence, quoted, table

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.records import EvaluatedEdge, StepRecord
    from stepgraph.runs.run import Run
    from stepgraph.values.json_values import Json

FIRST, LAST = 20, 80
"""Steps that are told one by one: those at the beginning, and those at the end."""
_EVENTS = 100
"""Reviews, edits or failures that are told: the last ones."""
_KEYS = 200
"""Keys of a state, and changes of a step."""
_VALUE = 400
"""Characters of a value."""
_LINES, _TRACE = 20, 15
"""Lines of an output, and of a traceback: its last ones."""
_LOOP = 100  # cells


def run_report(run: Run, mask: Mask) -> Iterator[str]:
    """Tell what happened in a run."""
    yield from _outcome(run, mask)
    yield from _state("Inputs", run.values_at(0), mask)
    yield from _steps(run, mask)
    yield from _reviews(run, mask)
    yield from _edits(run, mask)
    yield from _failures(run, mask)
    yield from _models(run)
    yield from _loop(run, mask)
    yield from _state("State at the end" if run.status is RunStatus.ENDED else "State now", run.values, mask)


def _outcome(run: Run, mask: Mask) -> Iterator[str]:
    yield from ("", f"## Run {code(run.id)}: {run.status.value}")
    times = Timeline(run.rows_after(0, WITHOUT_STEPS))
    modes = modes_said(run.store.rows(run.id, upto=run.version, kinds=SAYING_MODE))
    said = mode_word(modes, run.step, ended=run.status is RunStatus.ENDED)
    spent = spent_text(run.spending)
    end = stopping(run) if run.outcome is Outcome.STOPPED else None
    facts = {
        "stands": code(mask.text(standing(run))),
        "outcome": run.outcome.value if run.outcome is not None else "",
        "stopped": code(f"{clock(end.at)}, {stopped_text(end, mask)}") if end is not None else "",
        "started": f"{clock(run.head.created_at)}{_by(run.started_by, mask)}",
        "took": f"{took(run.seconds)} of work"
        + (f", {took(times.waiting())} of waiting" if times.waits else ""),
        "answers": f"{said}{f': {spent}' if spent else ''}",
        "forked from": inline(run.head.origin or "", mask),
        "error": code(mask.text(str(run.error))) if run.error is not None else "",
    }
    yield from table(("", ""), ((name, fact) for name, fact in facts.items() if fact))


def _by(name: str, mask: Mask) -> str:
    return f" by {code(mask.text(name))}" if name else ""


def _state(title: str, values: Mapping[str, Json], mask: Mask) -> Iterator[str]:
    yield from ("", f"## {title}")
    if not values:
        yield from ("", "Nothing.")
    shown = mask.values(dict(islice(values.items(), _KEYS)))
    yield from table(
        ("key", "value"), ((code(name), code(value_text(value, _VALUE))) for name, value in shown.items())
    )
    yield from left_out(len(values) - _KEYS, "key")


def _steps(run: Run, mask: Mask) -> Iterator[str]:
    yield from ("", "## Steps")
    if not run.step:
        yield from ("", "None is completed.")
    last = max(FIRST, run.step - LAST)
    told = [*run.history[:FIRST], *run.history[last:]]
    yield from table(("step", "node", "edge taken", "took"), (_row(record, mask) for record in told))
    for record in told:
        if record.step == last + 1 and last > FIRST:
            yield from ("", f"*Steps {FIRST + 1:,} to {last:,} are left out, here and in the table above.*")
        yield from _step(run, record, mask)


def _row(record: StepRecord, mask: Mask) -> tuple[str, ...]:
    led = f"→ {place_code(record.next, mask)}" if record.next is not None else "none"
    taken = next((edge for edge in record.edges if edge.matched), None)
    label = f"{code(mask.text(taken.label))} " if taken is not None and taken.label else ""
    return f"{record.step:,}", code(mask.text(record.node)), f"{label}{led}", took(record.duration)


def _step(run: Run, record: StepRecord, mask: Mask) -> Iterator[str]:
    again = f", visit {record.visit}" if record.visit > 1 else ""
    led = f" → {place_code(record.next, mask)}" if record.next is not None else ""
    yield from ("", f"### {record.step:,}. {code(mask.text(record.node))}{led}", "")
    yield f"{_way(record.edges, mask)} It took {took(record.duration)}{again}."
    if decision := record.decision:
        yield from ("", f"{_decided(decision, mask)}.")
    if len(record.edges) > 1 or any(edge.condition != "always" for edge in record.edges):
        yield from fence(line.removeprefix("  ") for line in tried_edges(record, mask, "→"))
    yield from _changed(changes(record.before, run.values_at(record.step)), mask)
    output = record.output
    if output and output not in map(as_output, record.updates.values()):  # which was told just now
        yield from ("", "Output:", *quoted(mask.text(output), _LINES))
    calls = [f"- {code(mask.text(ended_text(call)))}" for call in record.calls]
    yield from ("", *calls, "") if calls else ()
    if record.error is not None:
        yield from ("", f"The routing failed: {code(mask.text(str(record.error)))}")


def _way(edges: list[EvaluatedEdge], mask: Mask) -> str:
    """Tell which edge was taken."""
    taken = next((number for number, edge in enumerate(edges, 1) if edge.matched), None)
    if taken is None:
        return "No edge was taken."
    if len(edges) == 1:
        return "Its only edge was taken."
    name = f", {code(mask.text(edges[taken - 1].label or ''))}," if edges[taken - 1].label else ""
    return f"Edge {taken} of {len(edges)}{name} was taken."


def _changed(found: Iterator[StateChange], mask: Mask) -> Iterator[str]:
    """Tell what became of the state, as a difference that sites colour."""
    lines = [line for change in found for line in _lines(change, mask)]
    if lines:
        yield from fence(lines[:_KEYS], "diff")
        yield from left_out(len(lines) - _KEYS, "changed value")


def _lines(change: StateChange, mask: Mask) -> Iterator[str]:
    path = ".".join(change.path)
    for sign, value in (("-", change.old), ("+", change.new)):
        if change.sign in (sign, "~"):
            yield f"{sign} {mask.text(path)} {value_text(mask.value(path, value), _VALUE)}"


def _decided(decision: Decision, mask: Mask) -> str:
    """Tell what was decided, by whom, when, from where and why."""
    said = mask.text(decision.text or decision.comment)
    edited = changes_text(decision, mask)
    told = f"{code(mask.text(done_text(decision, source=True)))} at {clock(decision.at)}"
    return told + (f", {code(edited)}" if edited else "") + (f": {code(said)}" if said else "")


def _reviews(run: Run, mask: Mask) -> Iterator[str]:
    names = [row.review for row in run.rows_after(0, ("review",)) if row.review is not None]
    if names:
        yield from ("", "## Reviews")
        yield from left_out(len(names) - _EVENTS, "earlier review")
    reviews = Reviews(run.store)
    for name in names[-_EVENTS:]:
        yield from _review(reviews.get(name), mask)


def _review(review: Review, mask: Mask) -> Iterator[str]:
    request = review.request
    yield from ("", f"### {code(mask.text(review.node))}, step {review.step:,}: {review.status}")
    yield from quoted(mask.text(request.prompt))
    action = action_text(request, mask)
    rows = [("asked", clock(review.asked_at)), ("risk", request.risk)]
    rows += [("why", code(mask.text(request.risk_reason)))] if request.risk_reason else []
    rows += [("action", code(action))] if action else []
    rows += [("vote", _decided(vote, mask)) for vote in review.votes]
    if review.decision is not None:
        rows.append(("decision", _decided(review.decision, mask)))
    elif review.status == "expired":
        rows.append(("expired", code(expired_text(review))))
    yield from table(("", ""), rows)


def _edits(run: Run, mask: Mask) -> Iterator[str]:
    edits = [*edits_after(run, 0)]
    if edits:
        yield from ("", "## Edits of the state")
        yield from left_out(len(edits) - _EVENTS, "earlier edit")
    for said, lines in told_edits(run, edits[-_EVENTS:], mask, "→"):
        yield from ("", f"{code(said)}:", *fence(lines))


def _failures(run: Run, mask: Mask) -> Iterator[str]:
    attempts = run.attempts
    if attempts:
        yield from ("", "## Failures")
        yield from left_out(len(attempts) - _EVENTS, "earlier failure")
    for record in attempts[-_EVENTS:]:
        where = f"step {record.step:,}, visit {record.visit}"
        yield from ("", f"{code(mask.text(record.node))}, {where}, at {clock(record.started_at)}:")
        cause = (record.row.error or {}).get("cause")
        trace = str(cause.get("traceback") or "") if isinstance(cause, dict) else ""
        traced = mask.text(trace).rstrip().split("\n")[-_TRACE:] if trace.strip() else []
        yield from fence([mask.text(str(record.error)), *traced])


def _models(run: Run) -> Iterator[str]:
    spent = {node: text for node, each in run.spending_by_node.items() if (text := spent_text(each))}
    if spent:
        yield from ("", "## Models")
        rows = [(code(node), text) for node, text in spent.items()]
        yield from table(("node", "took"), [*rows, ("in all", spent_text(run.spending))])


def _loop(run: Run, mask: Mask) -> Iterator[str]:
    if run.outcome is not Outcome.MAX_STEPS:
        return
    yield from ("", "## Why it did not end")
    loop = found(run, mask)
    if loop is not None:
        yield from fence(line for line, _ in loop_lines(loop, mask, _LOOP))
    elif run.loop_report is not None:
        yield from ("", code(mask.text(str(run.loop_report))))
