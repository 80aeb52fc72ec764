"""All about one run, or one of its steps: where it stands, why it went where it went, what failed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import as_output
from stepgraph.runs import origin_text, spending_of
from stepgraph.stores import Outcome, RunStatus

from ..text.calls import ended_text, is_of_model, limits_text, spent_briefly, spent_text, thoughts_of
from ..text.comparison import edits_json, told_edits
from ..text.loops import NOTHING, loop_json, loop_lines
from ..text.plain import LONG, QUOTE, THINKING, clock, place, shortened, took, value_text, visible_lines
from ..text.reviews import decision_text, expired_text, review_json, term_rows
from ..text.run_list import run_status, stopped_text, tried_edges
from ..text.state_diff import Before
from ..text.state_rows import change_rows, state_rows, text_rows
from ..view.loops import loop_of
from ..view.reviews import decision_of
from .output import Each
from .reports import error_json, run_json
from .stored import file_changes, first_of
from .tables import Fit, listing
from .worker import queued_json, trouble_text

if TYPE_CHECKING:
    from stepgraph.runs import Run
    from stepgraph.stores import DrivenRun
    from stepgraph.values import Json

    from ..view.errors import ErrorStory
    from ..view.reviews import SafeReview
    from ..view.runs import EdgeStory, EditStory, RunStory, StepStory
    from .debugging import Debugging
    from .output import Output


_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("STEP", "keep"),
    ("NODE", "cut"),
    ("EDGE", "fold"),
    ("WHY", "fold"),
    ("TOOK", "keep"),
    ("CHANGED", "fold"),
)
_MODELS: tuple[str, Fit] = ("MODELS", "fold")
_BLOCK = 500  # reviews
_DRIVEN = {
    RunStatus.PAUSED: "continue it once its review is decided",
    RunStatus.FAILED: "drove it; `retry --detach` hands it to them again",
    RunStatus.ENDED: "drove it to its end",
}
"""What workers do about a run of theirs that is not in their queue now."""


def show(
    output: Output,
    story: RunStory,
    watches: Debugging,
    *,
    most: int | None,
    queued: DrivenRun | None = None,
) -> None:
    """Print a run, the last steps of it or all of them; they are read one by one."""
    run = story.run
    if output.as_json:
        theirs = {"workers": None if queued is None else queued_json(queued)}
        output.data(_json(story) | theirs | watches.json(story))
        return
    output.page(_facts(story))
    if queued is not None:
        output.page([("workers", queued.words or _DRIVEN.get(run.status, "drive it"))])
        if queued.trouble:
            output.page([("trouble", story.mask.text(trouble_text(queued)))])
    first = 0 if most is None else max(0, run.step - most)
    if run.step:
        output.lines([""])
        if first:
            output.lines([f"the last {most} of {run.step:,} steps; --all shows every step"])
        spends = bool(spent_text(run.spending))
        columns = (*_COLUMNS, _MODELS) if spends else _COLUMNS
        output.table(listing(columns, _steps(story, first, spends=spends), output.data_stream.columns))
    for failed in story.attempts(first):
        at = failed.record
        where = f"step {at.step}, visit {at.visit} of {failed.node}, at {clock(at.started_at)}"
        _show_failure(output, story, failed, where)
    for last in story.steps(run.step - 1) if run.step else ():
        if last.error is not None:  # it stops the run; when its routing is tried again, it is over
            _show_failure(output, story, last, f"the routing of step {run.step}")
    _show_edits(output, story.edits(first))
    _show_reviews(output, story, first)
    state = list(state_rows(story.values))
    output.lines(["", "STATE" if state else "STATE  empty"])
    output.page(state)
    if watches.watches:
        output.lines(["", "WATCHES"])
        watches.tell_watches(output, story)


def _facts(story: RunStory) -> Iterator[tuple[str, str]]:
    run = story.run
    yield "run", f"{run.id}, {run_status(run)}"
    yield "graph", f"{run.head.graph}@{run.definition[:8]}"
    yield "file", run.head.source or "none: the graph was built in Python"
    differs = file_changes(run.plan)
    if differs:
        ended = run.status is RunStatus.ENDED
        adopt = "" if ended else "; with --adopt, `resume`, `step` and `retry` go on with the file as it is"
        yield "changed", f"the file differs from the run's graph{adopt}:"
        yield from (("", change.lstrip()) for change in first_of(differs))
    if run.head.origin is not None:
        yield "forked", f"from {origin_text(run.head)}"
    for step, changes in story.adoptions:
        yield "adopted", f"after step {step}: {changes}"
    yield from _models(story)
    if story.stop is not None:
        yield "stopped", f"{clock(story.stop.at)}, {stopped_text(story.stop)}"
    waiting = story.waiting(time.time())
    waited = f", {took(waiting)} of waiting" if waiting else ""
    by = f" by {story.started_by}" if story.started_by else ""
    yield "started", f"{clock(run.head.created_at)}{by}, {took(run.seconds)} of work{waited}"
    if story.error is not None:
        yield from _error_facts(story.error)
    if run.loop_report is not None:
        yield "loop", str(run.loop_report)


def _error_facts(error: ErrorStory) -> Iterator[tuple[str, str]]:
    first, *others = visible_lines(error.text)
    yield "error", first
    yield from (("", f"| {line}") for line in others)


def _models(story: RunStory) -> Iterator[tuple[str, str]]:
    """Describe who answers in a run, what its calls took in all and by node, and how much they may."""
    run, word, replayed = story.run, story.mode, story.replayed
    if word != "SCRIPTED":
        yield "mode", f"{word}{f', the recordings of {replayed}' if replayed is not None else ''}"
    spent, bound = run.spending, limits_text(run.limits)
    total = spent_text(spent)
    if total:
        yield "models", f"{total}, in {took(spent.seconds)}{f'; it may spend {bound}' if bound else ''}"
        nodes = {node: text for node, each in run.spending_by_node.items() if (text := spent_text(each))}
        yield from (("", f"{node}: {text}") for node, text in nodes.items() if len(nodes) > 1)


def _steps(story: RunStory, first: int, *, spends: bool) -> Iterator[tuple[str, ...]]:
    before = Before(story.run.values_at(first))
    for step in story.steps(first):
        record, edges = step.record, step.edges
        taken = next(((n, edge) for n, edge in enumerate(edges, 1) if edge.matched), None)
        yield (
            str(record.step),
            step.node,
            f"{taken[0]} of {len(edges)} -> {place(step.next)}" if taken else f"none of {len(edges)}",
            _why(taken[1]) if taken else _why_none(step, edges),
            took(record.duration),
            " ".join(before.changes(record)),
            *([", ".join(spent_briefly(spending_of(record.calls)))] if spends else []),
        )


def _why(edge: EdgeStory) -> str:
    label, condition = edge.label, edge.condition
    return f"{label}: {condition}" if label and label != condition else condition


def _why_none(step: StepStory, edges: Sequence[EdgeStory]) -> str:
    if step.was_stopped:
        return "stopped: none was tried"
    broken = next((n for n, edge in enumerate(edges, 1) if edge.error is not None), None)
    return "no condition held" if broken is None else f"the condition of edge {broken} failed"


def _show_failure(output: Output, story: RunStory, failed: StepStory, where: str) -> None:
    """Print a failure that is past, or the traceback of the one that the page has begun with."""
    message, *trace = _error_lines(failed) or [""]
    output.lines(["", f"FAILED    {where}"])
    if failed.error is None or story.error is None or failed.error.text != story.error.text:
        output.lines([message])
    output.lines(trace)


def _error_lines(step: StepStory) -> list[str]:
    """List what an error says, then its traceback where it has one."""
    if step.error is None:
        return []
    trace = step.traceback.rstrip()
    traced = [f"{QUOTE}{line}" for line in visible_lines(trace)] if trace else []
    return [f"  {step.error.text}", *traced]


def _show_edits(output: Output, edits: Iterable[EditStory]) -> None:
    for heading, changes in told_edits(edits):
        output.lines(["", f"EDITED    {heading}", *(f"  {change}" for change in changes)])


def _show_reviews(output: Output, story: RunStory, first: int) -> None:
    rest = story.reviews(first)
    lead = [""]
    while block := list(islice(rest, _BLOCK)):
        output.lines(lead)
        output.page(("review", _review_text(review)) for review in block)
        lead = []


def _review_text(review: SafeReview) -> str:
    head = f"{review.id} of {review.node}, step {review.step}: "
    voted = ", ".join(vote.by for vote in review.votes)
    before = f"{voted} approved, then " if voted else ""
    decision = decision_of(review)
    if decision is not None:
        return head + before + decision_text(decision)
    if review.status == "expired":
        return head + before + expired_text(review)
    if review.status == "withdrawn":
        return head + "withdrawn, because the run was edited or stopped"
    terms = "".join(f"; {heading}: {text}" for heading, text in term_rows(review, time.time()))
    asks = review.request.prompt
    return head + f"waits: {asks} (`stepgraph approvals show {review.id}`){terms}"


def _json(story: RunStory) -> dict[str, Any]:
    run, data = story.run, run_json(story)
    data["work_seconds"], data["waiting_seconds"] = run.seconds, story.waiting(time.time())
    data["spending_by_node"] = {node: spent.to_json() for node, spent in run.spending_by_node.items()}
    data["file_changes"] = file_changes(run.plan)
    data["history"] = Each(step_json(step) for step in story.steps())
    data["attempts"] = Each(
        {
            "step": failed.record.step,
            "node": failed.node,
            "visit": failed.record.visit,
            "started_at": failed.record.started_at,
            "duration": failed.record.duration,
            "error": error_json(failed.error),
            "traceback": "\n".join(_error_lines(failed)),
        }
        for failed in story.attempts()
    )
    data["edits"] = Each(edits_json(story.edits()))
    data["reviews"] = Each(review_json(review) for review in story.reviews())
    return data


def step_json(step: StepStory) -> dict[str, Any]:
    """Write a completed step as JSON."""
    record = step.record
    return {
        "step": record.step,
        "node": step.node,
        "visit": record.visit,
        "status": record.status,
        "next": step.next,
        "started_at": record.started_at,
        "duration": record.duration,
        "updates": step.updates,
        "output": step.own_output,
        "error": error_json(step.error),
        "calls": step.calls,
        "edges": [
            {
                "target": edge.target,
                "label": edge.label,
                "condition": edge.condition,
                "matched": edge.matched,
                "error": edge.error,
            }
            for edge in step.edges
        ],
    }


def show_step(output: Output, story: RunStory, number: int, watches: Debugging) -> None:
    """Print one step; 0 is the start.

    Raises:
        RunError: The run has no such step.
    """
    run, values = story.run, story.values_at(number)
    step = story.step(number) if number else None
    before = step.before if step is not None else {}
    if output.as_json:
        table: dict[str, Any] = {"step": 0, "node": None, "next": run.trace()["start"]}
        if step is not None:
            table = step_json(step)
            for each, edge in zip(table["edges"], step.edges, strict=True):
                each["explanation"] = edge.explanation.to_json()
            table["asked"] = step.prompts(before)
            table["decision"] = decision.to_json() if (decision := step.decision) else None
            table["as_edited"] = step.asked_as_edited(before, values)
        table["edits"] = list(edits_json(story.edits_at(number)))
        output.data({"run": run.id, **table, "values": values} | watches.json(story, step=number))
        return
    if step is None:
        output.page([("run", run.id), ("step", "0: the start")])
    else:
        output.page(_step_facts(run, step, before, values))
        _show_texts(output, step.prompts(before))
        if decision := step.decision:
            output.lines(["", "DECIDED", f"  {decision_text(decision, with_changes=False)}"])
            _show_texts(output, step.asked_as_edited(before, values), " AS EDITED")
        output.lines(["", "EDGES", *tried_edges(step)])
        _show_calls(output, step)
    output.lines(["", f"STATE     after step {number}"])
    output.page(state_rows(values))
    _show_edits(output, story.edits_at(number))
    if watches.watches:
        output.lines(["", "WATCHES"])
        watches.tell_watches(output, story, number)


def _show_calls(output: Output, step: StepStory) -> None:
    """Print what models and tools were asked on a visit, and what they answered beside its output."""
    calls, own_output = step.calls, step.own_output
    output.lines(["", "CALLS"] if calls else [])
    for call in calls:
        output.lines([f"  {ended_text(call)}"])
        thoughts = thoughts_of(call)
        texts = [f"{THINKING}{shortened(thoughts, LONG)}"] if thoughts else []
        content = call.get("text") if is_of_model(call) else call.get("result")
        if content not in (None, "", own_output):
            texts.append(content if isinstance(content, str) else value_text(content))
        output.lines([f"{QUOTE}{line}" for text in texts for line in visible_lines(text)])


def _step_facts(
    run: Run, step: StepStory, before: Mapping[str, Json], after: Mapping[str, Json]
) -> Iterator[tuple[str, str]]:
    record = step.record
    yield "run", run.id
    yield "step", f"{record.step:,} of {run.step:,}, visit {record.visit} of {step.node}"
    yield "ran", f"{clock(record.started_at)}, {took(record.duration)}"
    yield "next", place(step.next)
    if step.error is not None:
        yield from _error_facts(step.error)
    output = step.own_output
    if output and output not in map(as_output, step.updates.values()):  # which are printed below
        yield from text_rows("output", shortened(output, LONG)) if "\n" in output else [("output", output)]
    removed = step.removed
    for name, value in step.updates.items():
        if value is not None:
            yield from change_rows(name, value, before.get(name), after.get(name))
        elif name in removed:
            yield "changed", f"{name} removed"


def _show_texts(output: Output, texts: dict[str, str], suffix: str = "") -> None:
    for name, text in texts.items():
        title = name.upper() + suffix
        output.lines(["", title, *(f"{QUOTE}{line}" for line in visible_lines(text.strip()))])


def show_loop(output: Output, story: RunStory) -> None:
    """Print what the loop doctor finds; only the last steps of the run are read."""
    run, loop = story.run, loop_of(story.run, story.mask)
    if output.as_json:
        table = loop_json(loop) if loop is not None else None
        output.data({"run": run.id, "steps_run": run.step, "max_steps": run.max_steps, "loop": table})
    elif loop is None:
        output.narrate(NOTHING)
    else:
        output.lines(line for line, _ in loop_lines(loop, output.console.width, "->"))
    if loop is not None and run.outcome is Outcome.MAX_STEPS:
        output.narrate(f"it stopped at its limit of {run.max_steps:,} steps; give it more with:")
        output.suggest("extend", run.id, str(run.plan.settings.max_steps))
