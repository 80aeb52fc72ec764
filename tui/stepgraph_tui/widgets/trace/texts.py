"""What the lines of the trace say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.reviews import TIMEOUT
from stepgraph.runs import SpendingLimits, mode_in
from stepgraph.stores import Outcome, RunStatus
from stepgraph_tui.status_text import upcoming
from stepgraph_tui.text.calls import limits_text, spent_briefly
from stepgraph_tui.text.plain import LONG, age, place, plural, shortened, took
from stepgraph_tui.text.reviews import changes_text, done_text, wait_text
from stepgraph_tui.text.run_list import run_status, stopped_text
from stepgraph_tui.view.errors import StopStory
from stepgraph_tui.view.reviews import decided_in

from ...view.runs import EdgeStory, StepStory

if TYPE_CHECKING:
    from stepgraph.runs import SafeRow
    from stepgraph_tui.run_view import RunView
    from stepgraph_tui.view.reviews import SafeDecision


@dataclass(frozen=True, slots=True)
class LiveLine:
    """What the live line says."""

    mark: str
    node: str
    text: str


def _shorten(text: object) -> str:
    return shortened(str(text), LONG)


def edge_taken(step: StepStory) -> str:
    """Name the edge that a step was routed by: ``1 billing → lookup``, or why there is none."""
    edges = step.edges
    taken = next((number for number, edge in enumerate(edges) if edge.matched), None)
    if taken is not None:
        return f"{_numbered(edges, taken)} → {place(step.next)}".lstrip()
    broken = next((number for number, edge in enumerate(edges, 1) if edge.error is not None), None)
    return "no edge matched" if broken is None else f"edge {broken} failed"


def _numbered(edges: list[EdgeStory], position: int) -> str:
    """Write a label or a condition, after its number where there are several."""
    edge, several = edges[position], len(edges) > 1
    text = edge.label or edge.condition
    if edge.condition == "always" and not edge.label:
        text = "else" if several and position == len(edges) - 1 else ""
    text = " ".join(shortened(text, LONG).split())
    return f"{position + 1} {text}".rstrip() if several else text


def happened(row: SafeRow, signs: list[str]) -> str:
    """Describe what happened in a row of the ledger that is no step, an edit by the signs of its keys."""
    match row.kind:
        case "attempt":
            message = _shorten((row.error or {}).get("message"))
            after = "" if row.review is not None else f" after {took(row.duration)}"
            return f"failed{after}: {message}"
        case "decision":
            return _decided(decided_in(row))
        case "vote":
            return f"vote by {_decided(decided_in(row)).removeprefix('decision by ')}"
        case "escalation":
            return f"escalated: {_shorten((row.data or {}).get('comment') or '')}"
        case "route":
            ended = "failed again" if row.error is not None else f"→ {place(row.next)}"
            return f"routed again: {ended}"
        case "adopt":
            changes = (row.data or {}).get("differences")
            shown = [str(change) for change in changes[:5]] if isinstance(changes, list) else []
            return f"another version of the graph: {_shorten('; '.join(shown))}"
        case "stop":
            return stopped_text(StopStory.of(row))
        case "extend":
            steps = (row.data or {}).get("steps")
            return f"extended by {plural(steps if isinstance(steps, int) else 0, 'step')}"
        case "mode" | "fork":
            by = _shorten((row.data or {}).get("by") or "somebody")
            return f"{_goes_on(row) if row.kind == 'mode' else 'forked'} by {by}"
        case _:
            return _edited(row, signs)


def _goes_on(row: SafeRow) -> str:
    """Describe how a run continues from a row that says who answers, or how much it may spend."""
    if "mode" in (row.data or {}):
        return f"goes on {mode_in((row,)).word}"
    return f"may spend {limits_text(SpendingLimits.from_json((row.data or {}).get('limits')))}"


def _decided(decision: SafeDecision) -> str:
    changes = _shorten(changes_text(decision))
    comment = _shorten(decision.text or decision.comment)
    head = f"decision by {_shorten(decision.by or 'somebody')}: {decision.verb}"
    if decision.source == TIMEOUT:
        head = done_text(decision)
    return head + (f", {changes}" if changes else "") + (f": {comment}" if comment else "")


def _edited(row: SafeRow, signs: list[str]) -> str:
    data = row.data or {}
    changed = _shorten(" ".join(signs)) or "nothing"
    comment = _shorten(data.get("comment") or "")
    return f"edit by {_shorten(data.get('by') or 'somebody')}: {changed}" + (
        f": {comment}" if comment else ""
    )


def running_text(node: str, seconds: float) -> LiveLine:
    """Write the live line while a node runs."""
    return LiveLine("►", node, f"runs {took(seconds)}")


def live_text(view: RunView, now: float) -> LiveLine:
    """Write the live line of a run that nothing is being done with.

    Args:
        view: The run.
        now: The time, in seconds since 1970.
    """
    run = view.run
    node = run.current or ""
    if run.status is RunStatus.ENDED:
        return LiveLine("✓" if run.outcome is Outcome.END else "●", "END", run_status(run))
    if run.status is RunStatus.FAILED:
        if run.outcome is Outcome.MAX_STEPS:
            return LiveLine(
                "✗", node, f"did not run: its limit of {plural(run.max_steps, 'step')} is reached"
            )
        reason = (
            _shorten(view.mask.text(run.error.message))
            if run.error is not None
            else "the reason is not known"
        )
        return LiveLine("✗", node, f"failed: {reason}")
    if view.pending is not None and view.pending.is_wait:
        return LiveLine("►", node, wait_text(view.pending))
    if run.status is RunStatus.PAUSED:
        return LiveLine("►", node, f"waits for a person, {age(now - asked_at(view))}")
    return LiveLine("►", node, f"next: {upcoming(view)}")


def spent(view: RunView) -> list[str]:
    """Describe what a run has spent on work, and on waiting for a person; nothing of what it has not.

    How long a question has waited that still does is shown where the run stands.
    """
    times = view.times
    parts = [f"{took(view.run.seconds)} work"] if view.run.step else []
    parts += [f"{took(times.waiting())} waiting"] if times.waits else []
    return parts + spent_briefly(view.spending.total)


def asked_at(view: RunView) -> float:
    """Find when the last question was asked, in seconds since 1970."""
    return next((row.at for row in reversed(view.rows) if row.kind == "review"), 0.0)


def start_text(view: RunView) -> str:
    """Describe where a run begins."""
    first = view.record(1)
    return f"→ {place(first.node if first is not None else view.plan.start)}"
