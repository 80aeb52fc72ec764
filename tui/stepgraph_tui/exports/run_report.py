"""What happened in a run, in Markdown: each step and its reasons, decisions, failures, spending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from stepgraph.reviews.model import as_output
from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.text.calls import ended_text, spent_text
from stepgraph_tui.text.edits import told_edits
from stepgraph_tui.text.loops import loop_lines
from stepgraph_tui.text.plain import clock, took, value_text
from stepgraph_tui.text.reviews import action_text, changes_text, done_text
from stepgraph_tui.text.runs import standing, stopped_text, tried_edges
from stepgraph_tui.text.state_diff import StateChange, changes
from stepgraph_tui.text.terms import expired_text
from stepgraph_tui.view.loops import loop_of
from stepgraph_tui.view.reviews import decision_of, request_of, votes_of

from .graph_report import inline, left_out, place_code
from .markdown import code, fence, quoted, table

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.values.json_values import Json
    from stepgraph_tui.view.reviews import SafeDecision, SafeReview
    from stepgraph_tui.view.runs import EdgeStory, RunStory, StepStory

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


def run_report(story: RunStory) -> Iterator[str]:
    """Tell what happened in a run."""
    yield from _outcome(story)
    yield from _state("Inputs", story.values_at(0))
    yield from _steps(story)
    yield from _reviews(story)
    yield from _edits(story)
    yield from _failures(story)
    yield from _models(story.run)
    yield from _loop(story)
    is_over = story.run.status is RunStatus.ENDED
    yield from _state("State at the end" if is_over else "State now", story.values)


def _outcome(story: RunStory) -> Iterator[str]:
    run, mask, stop = story.run, story.mask, story.stop
    yield from ("", f"## Run {code(run.id)}: {run.status.value}")
    spent, waited = spent_text(run.spending), story.waiting()
    facts = {
        "stands": code(mask.text(standing(run))),
        "outcome": run.outcome.value if run.outcome is not None else "",
        "stopped": code(f"{clock(stop.at)}, {stopped_text(stop)}") if stop is not None else "",
        "started": clock(run.head.created_at) + (f" by {code(story.started_by)}" if story.started_by else ""),
        "took": f"{took(run.seconds)} of work" + (f", {took(waited)} of waiting" if waited else ""),
        "answers": f"{story.mode}{f': {spent}' if spent else ''}",
        "forked from": inline(run.head.origin or "", mask),
        "error": code(story.error.text) if story.error is not None else "",
    }
    yield from table(("", ""), ((name, fact) for name, fact in facts.items() if fact))


def _state(title: str, values: Mapping[str, Json]) -> Iterator[str]:
    yield from ("", f"## {title}")
    if not values:
        yield from ("", "Nothing.")
    shown = islice(values.items(), _KEYS)
    rows = ((code(name), code(value_text(value, _VALUE))) for name, value in shown)
    yield from table(("key", "value"), rows)
    yield from left_out(len(values) - _KEYS, "key")


def _steps(story: RunStory) -> Iterator[str]:
    yield from ("", "## Steps")
    count = story.run.step
    if not count:
        yield from ("", "None is completed.")
    last = max(FIRST, count - LAST)
    told = [*story.steps(0, FIRST), *story.steps(last)]
    yield from table(("step", "node", "edge taken", "took"), map(_row, told))
    for step in told:
        if step.record.step == last + 1 and last > FIRST:
            yield from ("", f"*Steps {FIRST + 1:,} to {last:,} are left out, here and in the table above.*")
        yield from _step(story, step)


def _row(step: StepStory) -> tuple[str, ...]:
    led = f"→ {place_code(step.next)}" if step.next is not None else "none"
    taken = next((edge for edge in step.edges if edge.matched), None)
    label = f"{code(taken.label)} " if taken is not None and taken.label else ""
    return f"{step.record.step:,}", code(step.node), f"{label}{led}", took(step.record.duration)


def _step(story: RunStory, step: StepStory) -> Iterator[str]:
    record, edges, output = step.record, step.edges, step.output
    again = f", visit {record.visit}" if record.visit > 1 else ""
    led = f" → {place_code(step.next)}" if step.next is not None else ""
    yield from ("", f"### {record.step:,}. {code(step.node)}{led}", "")
    yield f"{_way(edges)} It took {took(record.duration)}{again}."
    if decision := step.decision:
        yield from ("", f"{_decided(decision)}.")
    if len(edges) > 1 or any(edge.condition != "always" for edge in edges):
        yield from fence(line.removeprefix("  ") for line in tried_edges(step, "→"))
    yield from _changed(changes(record.before, story.run.values_at(record.step)), story.mask)
    if output and output not in map(as_output, step.updates.values()):  # which was told just now
        yield from ("", "Output:", *quoted(output, _LINES))
    calls = [f"- {code(ended_text(call))}" for call in step.calls]
    yield from ("", *calls, "") if calls else ()
    if step.error is not None:
        yield from ("", f"The routing failed: {code(step.error.text)}")


def _way(edges: list[EdgeStory]) -> str:
    """Tell which edge was taken."""
    taken = next((number for number, edge in enumerate(edges, 1) if edge.matched), None)
    if taken is None:
        return "No edge was taken."
    if len(edges) == 1:
        return "Its only edge was taken."
    label = edges[taken - 1].label
    name = f", {code(label)}," if label else ""
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


def _decided(decision: SafeDecision) -> str:
    """Tell what was decided, by whom, when, from where and why."""
    said, edited = decision.text or decision.comment, changes_text(decision)
    told = f"{code(done_text(decision, source=True))} at {clock(decision.at)}"
    return told + (f", {code(edited)}" if edited else "") + (f": {code(said)}" if said else "")


def _reviews(story: RunStory) -> Iterator[str]:
    count = story.count("review")
    if count:
        yield from ("", "## Reviews")
        yield from left_out(count - _EVENTS, "earlier review")
    for review in story.reviews(skip=max(0, count - _EVENTS)):
        yield from _review(review)


def _review(review: SafeReview) -> Iterator[str]:
    request, decision = request_of(review), decision_of(review)
    yield from ("", f"### {code(review.node)}, step {review.step:,}: {review.status}")
    yield from quoted(request.prompt)
    action = action_text(request)
    rows = [("asked", clock(review.asked_at)), ("risk", request.risk)]
    rows += [("why", code(request.risk_reason))] if request.risk_reason else []
    rows += [("action", code(action))] if action else []
    rows += [("vote", _decided(vote)) for vote in votes_of(review)]
    if decision is not None:
        rows.append(("decision", _decided(decision)))
    elif review.status == "expired":
        rows.append(("expired", code(expired_text(review))))
    yield from table(("", ""), rows)


def _edits(story: RunStory) -> Iterator[str]:
    count = story.count("edit")
    if count:
        yield from ("", "## Edits of the state")
        yield from left_out(count - _EVENTS, "earlier edit")
    for said, lines in told_edits(story.edits(skip=max(0, count - _EVENTS)), "→"):
        yield from ("", f"{code(said)}:", *fence(lines))


def _failures(story: RunStory) -> Iterator[str]:
    count = story.count("attempt")
    if count:
        yield from ("", "## Failures")
        yield from left_out(count - _EVENTS, "earlier failure")
    for failed in story.attempts(skip=max(0, count - _EVENTS)):
        record, trace = failed.record, failed.traceback
        where = f"step {record.step:,}, visit {record.visit}"
        yield from ("", f"{code(failed.node)}, {where}, at {clock(record.started_at)}:")
        traced = trace.rstrip().split("\n")[-_TRACE:] if trace.strip() else []
        yield from fence([failed.error.text if failed.error is not None else "None", *traced])


def _models(run: Run) -> Iterator[str]:
    spent = {node: text for node, each in run.spending_by_node.items() if (text := spent_text(each))}
    if spent:
        yield from ("", "## Models")
        rows = [(code(node), text) for node, text in spent.items()]
        yield from table(("node", "took"), [*rows, ("in all", spent_text(run.spending))])


def _loop(story: RunStory) -> Iterator[str]:
    run = story.run
    if run.outcome is not Outcome.MAX_STEPS:
        return
    yield from ("", "## Why it did not end")
    loop = loop_of(run, story.mask)
    if loop is not None:
        yield from fence(line for line, _ in loop_lines(loop, _LOOP))
    elif run.loop_report is not None:
        yield from ("", code(story.mask.text(str(run.loop_report))))
