"""Runs and reviews as JSON and in words: what every command that drives or shows a run ends with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from stepgraph.runs import mode_of
from stepgraph_tui.text.plain import QUOTE, by_lines, plural, visible_lines
from stepgraph_tui.text.run_list import run_status

from .output import Each

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.runs import LoopReport
    from stepgraph_tui.view.errors import ErrorStory
    from stepgraph_tui.view.reviews import SafeReview
    from stepgraph_tui.view.runs import RunStory

    from .output import Output

_CALL_LINES = 12  # of what a pause asks about; `approvals show` prints all


def run_json(story: RunStory) -> dict[str, Any]:
    """Write a run as JSON."""
    run, pending = story.run, story.pending
    return {
        "id": run.id,
        "graph": run.head.graph,
        "source": run.head.source,
        "origin": run.head.origin,
        "started_by": story.started_by or None,
        "status": run.status.value,
        "outcome": run.outcome.value if run.outcome else None,
        "flagged": run.flagged,
        "current": run.current,
        "step": run.step,
        "max_steps": run.max_steps,
        "values": story.values,
        "output": story.output,
        "error": error_json(story.error),
        "loop_report": loop_json(run.loop_report),
        "mode": mode_of(run.store, run.id, run.version).word,
        "spending": run.spending.to_json(),
        "review": _review_json(pending) if pending is not None else None,
        "trace": run.trace(Each),
    }


def _review_json(review: SafeReview) -> dict[str, Any]:
    from stepgraph_tui.text.reviews import review_json

    return review_json(review)


def error_json(error: ErrorStory | None) -> dict[str, Any] | None:
    """Write an error as JSON."""
    if error is None:
        return None
    return {"code": error.code, "type": error.type, "message": error.message, "hint": error.hint}


def loop_json(report: LoopReport | None) -> dict[str, Any] | None:
    """Write a loop report as JSON."""
    if report is None:
        return None
    return {
        "cycle": list(report.cycle),
        "visits": report.visits,
        "edge": report.edge,
        "unchanged": list(report.unchanged),
    }


def tell_pause(output: Output, review: SafeReview) -> None:
    """Print what a run waits for, and the exact command that decides it."""
    from stepgraph_tui.text.reviews import action_text, led_by, task_and_said, term_rows, wait_text
    from stepgraph_tui.view.reviews import request_of

    request = request_of(review)
    if review.is_wait:
        output.narrate(f"paused: node {review.node} {wait_text(review)}; continue then, or now:")
        output.suggest("resume", review.run_id)
        output.suggest(*deciding(review))
        return
    lines = visible_lines(request.prompt) or [""]
    output.narrate(f"paused: node {review.node} asks (review {review.id}, risk {request.risk}):")
    for line in lines:
        output.narrate(f"{QUOTE}{line}")
    for label, words in task_and_said(led_by(request)):
        output.narrate(f"  {label.lower()}: {words}")
    action = action_text(request)
    if action:
        narrate_call(output, "  action: ", action, most=_CALL_LINES)
    for heading, text in term_rows(review, time.time()):
        output.narrate(f"  {heading}: {text}")
    output.narrate("see all of it, then decide:")
    output.suggest("approvals", "show", review.id)
    output.suggest(*deciding(review))


def narrate_call(output: Output, label: str, call: str, most: int | None = None) -> None:
    """Print a call behind its label; one with texts of several lines below it, line by line."""
    lines = by_lines(call).split("\n")
    if len(lines) == 1:
        output.narrate(f"{label}{call}")
        return
    output.narrate(label.rstrip())
    for line in lines[:most]:
        output.narrate(f"{QUOTE}{line}")
    if lines[:most] != lines:
        output.narrate(f"  ... {plural(len(lines[most:]), 'more line')}")


def deciding(review: Review, verb: str | None = None) -> list[str]:
    """Spell the command that decides a review as it is now.

    They name nobody: whoever types them is the one who decides.
    """
    verb = verb or ("approve" if "approve" in review.request.verbs else review.request.verbs[0])
    values = {
        "respond": ["TEXT"],
        "edit": [word for path in review.request.editable for word in ("--set", f"{path}=VALUE")],
    }
    seen = ["--expect-hash", review.hash]
    return ["approvals", "decide", review.id, f"--{verb}", *values.get(verb, []), *seen]


def tell_failure(output: Output, story: RunStory) -> None:
    """Print why a run failed, and how to continue."""
    run, error = story.run, story.error
    if error is not None:
        output.error(error.message, error.hint)
    output.narrate(f"run {run.id} {run_status(run)}; the whole story, or another try:")
    output.suggest("runs", "show", run.id)
    if run.loop_report is not None:
        output.suggest("extend", run.id, "10")
    else:
        output.suggest("retry", run.id)
