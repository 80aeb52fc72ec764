"""All about one run, or one of its steps: where it stands, why it went where it went, what failed."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.fork_tree import origin_text
from stepgraph.runs.modes import SAYING_MODE, mode_of, mode_word, modes_said
from stepgraph.runs.spending import spending_of
from stepgraph.runs.timeline import WITHOUT_STEPS, Timeline
from stepgraph.stores.ledger import Outcome, RunStatus, stopped_by
from stepgraph_tui.text.calls import ended_text, is_of_model, limits_text, spent_briefly, spent_text
from stepgraph_tui.text.edits import edits_after, edits_at, edits_json, told_edits
from stepgraph_tui.text.plain import QUOTE, clock, key_text, place, took, value_text, visible, visible_lines
from stepgraph_tui.text.reviews import decision_json, decision_text, edited_texts, review_json
from stepgraph_tui.text.runs import standing, stopped_text, stopping, tried_edges
from stepgraph_tui.text.state_diff import Before
from stepgraph_tui.text.terms import expired_text, term_rows

from .output import Each
from .reports import error_json, run_json
from .stored import file_changes, first_of
from .tables import Fit, listing
from .worker import queued_json, trouble_text

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.records import EvaluatedEdge, StepRecord
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore
    from stepgraph.stores.ledger import Row
    from stepgraph.values.errors import RunError
    from stepgraph.values.json_values import Json
    from stepgraph.workers.queue import QueuedRun

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
    RunStatus.PAUSED: "go on with it once its review is decided",
    RunStatus.FAILED: "drove it; `retry --detach` hands it to them again",
    RunStatus.ENDED: "drove it to its end",
}
"""What workers do about a run of theirs that is not in their queue now."""


def show(
    output: Output,
    store: StateStore,
    run: Run,
    mask: Mask,
    watches: Debugging,
    *,
    most: int | None,
    queued: QueuedRun | None = None,
) -> None:
    """Print a run, the last steps of it or all of them; they are read one by one."""
    if output.as_json:
        theirs = {"workers": None if queued is None else queued_json(queued)}
        output.data(_json(store, run, mask) | theirs | watches.json(run, mask))
        return
    output.page(_facts(store, run, mask))
    if queued is not None:
        output.page([("workers", visible(queued.words or _DRIVEN.get(run.status, "drive it")))])
        if queued.trouble:
            output.page([("trouble", visible(mask.text(trouble_text(queued))))])
    first = 0 if most is None else max(0, run.step - most)
    if run.step:
        output.lines([""])
        if first:
            output.lines([f"the last {most} of {run.step:,} steps; --all shows every step"])
        spends = bool(spent_text(run.spending))
        columns = (*_COLUMNS, _MODELS) if spends else _COLUMNS
        output.table(listing(columns, _steps(run, first, spends=spends), output.data_stream.columns))
    for record in run.attempts_after(first):
        where = f"step {record.step}, visit {record.visit} of {visible(record.node)}"
        _show_failure(output, run, record, f"{where}, at {clock(record.started_at)}", mask)
    for record in run.history[-1:]:  # a routing that fails stops the run; when it is tried again, it is over
        if record.error is not None:
            _show_failure(output, run, record, f"the routing of step {record.step}", mask)
    _show_edits(output, run, edits_after(run, first), mask)
    _show_reviews(output, store, run, first, mask)
    state = [(key_text(name), value_text(value)) for name, value in mask.values(run.values).items()]
    output.lines(["", "STATE" if state else "STATE  empty"])
    output.page(state)
    if watches.watches:
        output.lines(["", "WATCHES"])
        watches.tell_watches(output, run, mask)


def _facts(store: StateStore, run: Run, mask: Mask) -> Iterator[tuple[str, str]]:
    yield "run", f"{visible(run.id)}, {standing(run)}"
    yield "graph", f"{visible(run.head.graph)}@{run.definition[:8]}"
    yield "file", visible(run.head.source or "none: the graph was built in Python")
    differs = file_changes(run.plan)
    if differs:
        ended = run.status is RunStatus.ENDED
        adopt = "" if ended else "; with --adopt, `resume`, `step` and `retry` go on with the file as it is"
        yield "changed", f"the file differs from what the run goes by{adopt}:"
        yield from (("", visible(change.lstrip())) for change in first_of(differs))
    if run.head.origin is not None:
        yield "forked", f"from {visible(origin_text(run.head))}"
    for row in store.rows(run.id, kinds=("adopt",)):
        changes = (row.data or {}).get("differences")
        told = "; ".join(map(str, changes)) if isinstance(changes, list) else ""
        yield "adopted", f"after step {row.step}: {visible(told)}"
    yield from _models(run)
    if run.outcome is Outcome.STOPPED and (end := stopping(run)) is not None:
        yield "stopped", f"{clock(end.at)}, {stopped_text(end, mask)}"
    waiting = _waiting(run)
    waited = f", {took(waiting)} of waiting" if waiting else ""
    by = f" by {visible(run.started_by)}" if run.started_by else ""
    yield "started", f"{clock(run.head.created_at)}{by}, {took(run.seconds)} of work{waited}"
    if run.error is not None:
        yield from _error_facts(run.error, mask)
    if run.loop_report is not None:
        yield "loop", visible(str(run.loop_report))


def _error_facts(error: RunError, mask: Mask) -> Iterator[tuple[str, str]]:
    first, *others = visible_lines(mask.text(str(error)))
    yield "error", first
    yield from (("", f"| {line}") for line in others)


def _models(run: Run) -> Iterator[tuple[str, str]]:
    """Tell who answers in a run, what its calls took in all and by node, and how much they may."""
    mode = mode_of(run.store, run.id, run.version)
    said = modes_said(run.store.rows(run.id, upto=run.version, kinds=SAYING_MODE))
    word = mode_word(said, run.step, ended=run.status is RunStatus.ENDED)
    replayed = f", the recordings of {visible(mode.replay)}" if mode.replay is not None else ""
    if word != "SCRIPTED":
        yield "mode", f"{word}{replayed}"
    spent, bound = run.spending, limits_text(run.limits)
    told = spent_text(spent)
    if told:
        yield "models", f"{told}, in {took(spent.seconds)}{f'; it may spend {bound}' if bound else ''}"
        nodes = {node: text for node, each in run.spending_by_node.items() if (text := spent_text(each))}
        yield from (("", f"{visible(node)}: {text}") for node, text in nodes.items() if len(nodes) > 1)


def _waiting(run: Run) -> float:
    """Add up for how many seconds a run has waited for a person, a question that still waits included."""
    times = Timeline(run.rows_after(0, WITHOUT_STEPS))
    return times.waiting(time.time() if run.status is RunStatus.PAUSED else None)


def _steps(run: Run, first: int, *, spends: bool) -> Iterator[tuple[str, ...]]:
    before = Before(run.values_at(first))
    for record in run.history[first:]:
        edges = record.edges
        taken = next(((n, edge) for n, edge in enumerate(edges, 1) if edge.matched), None)
        yield (
            str(record.step),
            visible(record.node),
            f"{taken[0]} of {len(edges)} -> {place(record.next)}" if taken else f"none of {len(edges)}",
            _why(taken[1]) if taken else _why_none(record, edges),
            took(record.duration),
            " ".join(before.changes(record)),
            *([", ".join(spent_briefly(spending_of(record.calls)))] if spends else []),
        )


def _why(edge: EvaluatedEdge) -> str:
    condition = edge.condition
    return visible(f"{edge.label}: {condition}" if edge.label and edge.label != condition else condition)


def _why_none(record: StepRecord, edges: Sequence[EvaluatedEdge]) -> str:
    if stopped_by(record.row) is not None:
        return "stopped: none was tried"
    broken = next((n for n, edge in enumerate(edges, 1) if edge.error is not None), None)
    return "no condition held" if broken is None else f"the condition of edge {broken} failed"


def _show_failure(output: Output, run: Run, record: StepRecord, where: str, mask: Mask) -> None:
    """Print a failure that is past, or the traceback of the one that the page has begun with."""
    message, *trace = _error_lines(record, mask) or [""]
    output.lines(["", f"FAILED    {where}"])
    if str(record.error) != str(run.error):
        output.lines([message])
    output.lines(trace)


def _error_lines(record: StepRecord, mask: Mask) -> list[str]:
    """List what an error says, then its traceback where it has one."""
    if record.error is None:
        return []
    cause = (record.row.error or {}).get("cause")
    trace = str(cause.get("traceback") or "").rstrip() if isinstance(cause, dict) else ""
    traced = [f"{QUOTE}{line}" for line in visible_lines(mask.text(trace))] if trace else []
    return [f"  {visible(mask.text(str(record.error)))}", *traced]


def _show_edits(output: Output, run: Run, edits: Iterable[Row], mask: Mask) -> None:
    for said, changes in told_edits(run, edits, mask):
        output.lines(["", f"EDITED    {said}", *(f"  {change}" for change in changes)])


def _reviews(store: StateStore, run: Run, first: int) -> Iterator[Review]:
    for row in run.rows_after(first, ("review",)):
        if row.review is not None:
            yield Reviews(store).get(row.review)


def _show_reviews(output: Output, store: StateStore, run: Run, first: int, mask: Mask) -> None:
    rest = _reviews(store, run, first)
    lead = [""]
    while block := list(islice(rest, _BLOCK)):
        output.lines(lead)
        output.page(("review", _review_text(review, mask)) for review in block)
        lead = []


def _review_text(review: Review, mask: Mask) -> str:
    head = f"{review.id} of {visible(review.node)}, step {review.step}: "
    voted = ", ".join(vote.by for vote in review.votes)
    before = f"{visible(mask.text(voted))} approved, then " if voted else ""
    if review.decision is not None:
        return head + before + decision_text(review.decision, mask)
    if review.status == "expired":
        return head + before + expired_text(review)
    if review.status == "withdrawn":
        return head + "withdrawn, because the run was edited or stopped"
    terms = "".join(f"; {heading}: {told}" for heading, told in term_rows(review, time.time()))
    asks = visible(mask.text(review.request.prompt))
    return head + f"waits: {asks} (`stepgraph approvals show {review.id}`){terms}"


def _json(store: StateStore, run: Run, mask: Mask) -> dict[str, Any]:
    data = run_json(run, mask)
    data["work_seconds"], data["waiting_seconds"] = run.seconds, _waiting(run)
    data["spending_by_node"] = {node: spent.to_json() for node, spent in run.spending_by_node.items()}
    data["file_changes"] = file_changes(run.plan)
    data["history"] = Each(step_json(record, mask) for record in run.history)
    data["attempts"] = Each(
        {
            "step": record.step,
            "node": record.node,
            "visit": record.visit,
            "started_at": record.started_at,
            "duration": record.duration,
            "error": error_json(record.error, mask),
            "traceback": "\n".join(_error_lines(record, mask)),
        }
        for record in run.attempts_after(0)
    )
    data["edits"] = Each(edits_json(edits_after(run, 0), mask))
    data["reviews"] = Each(review_json(review, mask) for review in _reviews(store, run, 0))
    return data


def step_json(record: StepRecord, mask: Mask) -> dict[str, Any]:
    """Write a completed step as JSON, secrets masked."""
    return {
        "step": record.step,
        "node": record.node,
        "visit": record.visit,
        "status": record.status,
        "next": record.next,
        "started_at": record.started_at,
        "duration": record.duration,
        "updates": mask.values(record.updates),
        "output": None if record.row.output is None else mask.text(record.row.output),
        "error": error_json(record.error, mask),
        "calls": [mask.values(call) for call in record.calls],
        "edges": [
            {
                "target": edge.target,
                "label": edge.label,
                "condition": edge.condition,
                "matched": edge.matched,
                "error": edge.error and mask.text(edge.error),
            }
            for edge in record.edges
        ],
    }


def show_step(output: Output, run: Run, mask: Mask, number: int, watches: Debugging) -> None:
    """Print one step; 0 is the start.

    Raises:
        RunError: The run has no such step.
    """
    values = mask.values(run.values_at(number))
    record = run.history[number - 1] if number else None
    if output.as_json:
        told: dict[str, Any] = {"step": 0, "node": None, "next": run.trace()["start"]}
        if record is not None:
            told = step_json(record, mask)
            for edge, seen in zip(told["edges"], record.edges, strict=True):
                edge["explanation"] = mask.explanation(seen.explanation).to_json()
            told["asked"] = _asked(record, mask)
            told["decision"] = decision_json(decision, mask) if (decision := record.decision) else None
            told["as_edited"] = _as_edited(record, decision, values, mask) if decision else {}
        told["edits"] = list(edits_json(edits_at(run, number), mask))
        output.data({"run": run.id, **told, "values": values} | watches.json(run, mask, step=number))
        return
    if record is None:
        output.page([("run", visible(run.id)), ("step", "0: the start")])
    else:
        output.page(_step_facts(run, record, mask))
        _show_texts(output, _asked(record, mask))
        if decision := record.decision:
            output.lines(["", "DECIDED", f"  {decision_text(decision, mask, with_changes=False)}"])
            _show_texts(output, _as_edited(record, decision, values, mask), " AS EDITED")
        output.lines(["", "EDGES", *tried_edges(record, mask)])
        _show_calls(output, record, mask)
    output.lines(["", f"STATE     after step {number}"])
    output.page((key_text(name), value_text(value)) for name, value in values.items())
    _show_edits(output, run, edits_at(run, number), mask)
    if watches.watches:
        output.lines(["", "WATCHES"])
        watches.tell_watches(output, run, mask, number)


def _show_calls(output: Output, record: StepRecord, mask: Mask) -> None:
    """Print what models and tools were asked on a visit, and what they answered beside its output."""
    calls = record.calls
    output.lines(["", "CALLS"] if calls else [])
    for call in calls:
        output.lines([f"  {visible(mask.text(ended_text(call)))}"])
        said = call.get("text") if is_of_model(call) else call.get("result")
        if said not in (None, "", record.row.output):
            answer = said if isinstance(said, str) else value_text(said)
            output.lines([f"{QUOTE}{line}" for line in visible_lines(mask.text(answer))])


def _step_facts(run: Run, record: StepRecord, mask: Mask) -> Iterator[tuple[str, str]]:
    yield "run", visible(run.id)
    yield "step", f"{record.step} of {run.step}, visit {record.visit} of {visible(record.node)}"
    yield "ran", f"{clock(record.started_at)}, {took(record.duration)}"
    yield "next", place(record.next)
    if record.error is not None:
        yield from _error_facts(record.error, mask)
    if record.row.output:
        yield "output", visible(mask.text(record.row.output))
    updates = record.updates
    before = record.before if None in updates.values() else {}
    for name, value in mask.values(updates).items():
        if updates[name] is not None:
            yield "changed", f"{visible(name)} = {value_text(value)}"
        elif name in before:
            yield "changed", f"{visible(name)} removed"


def _asked(record: StepRecord, mask: Mask) -> dict[str, str]:
    return {
        mask.text(name): mask.text(text) for name, text in record.asked(mask.values(record.before)).items()
    }


def _as_edited(
    record: StepRecord, decision: Decision, after: Mapping[str, Json], mask: Mask
) -> dict[str, str]:
    texts = edited_texts(record, decision, mask.values(record.before), after)
    return {mask.text(name): mask.text(text) for name, text in texts.items()}


def _show_texts(output: Output, texts: dict[str, str], suffix: str = "") -> None:
    for name, text in texts.items():
        title = visible(name).upper() + suffix
        output.lines(["", title, *(f"{QUOTE}{line}" for line in visible_lines(text.strip()))])
