"""What the lines of the trace say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.reviews import TIMEOUT, Decision
from stepgraph.runs import SpendingLimits, mode_in
from stepgraph.stores import Outcome, RunStatus
from stepgraph_tui.status_text import upcoming
from stepgraph_tui.text.calls import limits_text, spent_briefly
from stepgraph_tui.text.plain import LONG, age, place, plural, shortened, took
from stepgraph_tui.text.reviews import changes_text, done_text, wait_text
from stepgraph_tui.text.run_list import standing, stopped_text
from stepgraph_tui.view.errors import StopStory
from stepgraph_tui.view.reviews import masked_decision

if TYPE_CHECKING:
    from stepgraph.runs import EvaluatedEdge, Mask, StepRecord
    from stepgraph.stores import Row
    from stepgraph_tui.run_view import RunView


@dataclass(frozen=True, slots=True)
class Standing:
    """What the live line says."""

    mark: str
    node: str
    text: str


def said(text: object, mask: Mask, limit: int = LONG) -> str:
    """Any text of a run on one line, without secrets, cut to ``limit`` characters."""
    hidden = mask.text(str(text))
    return shortened(hidden, limit)


def edge_taken(record: StepRecord) -> str:
    """Name the edge that a step was routed by: ``1 billing → lookup``, or why there is none."""
    edges = record.edges
    taken = next((number for number, edge in enumerate(edges) if edge.matched), None)
    if taken is not None:
        return f"{_numbered(edges, taken)} → {place(record.next)}".lstrip()
    broken = next((number for number, edge in enumerate(edges, 1) if edge.error is not None), None)
    return "no edge matched" if broken is None else f"edge {broken} failed"


def _numbered(edges: list[EvaluatedEdge], position: int) -> str:
    """Write a label or a condition, behind its number where there are several."""
    edge, several = edges[position], len(edges) > 1
    text = edge.label or edge.condition
    if edge.condition == "always" and not edge.label:
        text = "else" if several and position == len(edges) - 1 else ""
    text = " ".join(shortened(text, LONG).split())
    return f"{position + 1} {text}".rstrip() if several else text


def happened(row: Row, signs: list[str], mask: Mask) -> str:
    """Describe what happened in a row of the ledger that is not a step."""
    match row.kind:
        case "attempt":
            message = said((row.error or {}).get("message"), mask)
            after = "" if row.review is not None else f" after {took(row.duration)}"
            return f"failed{after}: {message}"
        case "decision":
            return _decided(Decision.from_json(row.data or {}), mask)
        case "vote":
            return (
                f"vote by {_decided(Decision.from_json(row.data or {}), mask).removeprefix('decision by ')}"
            )
        case "escalation":
            return f"escalated: {said((row.data or {}).get('comment') or '', mask)}"
        case "route":
            ended = "failed again" if row.error is not None else f"→ {place(row.next)}"
            return f"routed again: {ended}"
        case "adopt":
            changes = (row.data or {}).get("differences")
            told = [str(change) for change in changes[:5]] if isinstance(changes, list) else []
            return f"another version of the graph: {said('; '.join(told), mask)}"
        case "stop":
            return stopped_text(StopStory.of(row, mask))
        case "extend":
            steps = (row.data or {}).get("steps")
            return f"extended by {plural(steps if isinstance(steps, int) else 0, 'step')}"
        case "mode" | "fork":
            by = said((row.data or {}).get("by") or "somebody", mask)
            return f"{_goes_on(row) if row.kind == 'mode' else 'forked'} by {by}"
        case _:
            return _edited(row, signs, mask)


def _goes_on(row: Row) -> str:
    """Describe how a run goes on from a row that says who answers, or how much it may spend."""
    if "mode" in (row.data or {}):
        return f"goes on {mode_in((row,)).word}"
    return f"may spend {limits_text(SpendingLimits.from_json((row.data or {}).get('limits')))}"


def _decided(decision: Decision, mask: Mask) -> str:
    changes = said(changes_text(masked_decision(decision, mask)), mask)
    comment = said(decision.text or decision.comment, mask)
    head = f"decision by {said(decision.by or 'somebody', mask)}: {decision.verb}"
    if decision.source == TIMEOUT:
        head = done_text(decision)
    return head + (f", {changes}" if changes else "") + (f": {comment}" if comment else "")


def _edited(row: Row, signs: list[str], mask: Mask) -> str:
    data = row.data or {}
    changed = said(" ".join(signs), mask) or "nothing"
    comment = said(data.get("comment") or "", mask)
    return f"edit by {said(data.get('by') or 'somebody', mask)}: {changed}" + (
        f": {comment}" if comment else ""
    )


def running_text(node: str, seconds: float) -> Standing:
    """Write the live line while a node runs."""
    return Standing("►", node, f"runs {took(seconds)}")


def live_text(view: RunView, now: float) -> Standing:
    """Write the live line of a run that nothing is being done with.

    Args:
        view: The run.
        now: The time, in seconds since 1970.
    """
    run = view.run
    node = run.current or ""
    if run.status is RunStatus.ENDED:
        return Standing("✓" if run.outcome is Outcome.END else "●", "END", standing(run))
    if run.status is RunStatus.FAILED:
        if run.outcome is Outcome.MAX_STEPS:
            return Standing(
                "✗", node, f"did not run: its limit of {plural(run.max_steps, 'step')} is reached"
            )
        reason = said(run.error.message, view.mask) if run.error is not None else "the reason is not known"
        return Standing("✗", node, f"failed: {reason}")
    if view.pending is not None and view.pending.is_wait:
        return Standing("►", node, wait_text(view.pending))
    if run.status is RunStatus.PAUSED:
        return Standing("►", node, f"waits for a person, {age(now - asked_at(view))}")
    return Standing("►", node, f"next: {upcoming(view)}")


def spent(view: RunView) -> list[str]:
    """Describe what a run has spent on work, and on waiting for a person; nothing of what it has not.

    How long a question has waited that still does is told where the run stands.
    """
    times = view.times
    told = [f"{took(view.run.seconds)} work"] if view.run.step else []
    told += [f"{took(times.waiting())} waiting"] if times.waits else []
    return told + spent_briefly(view.spending.total)


def asked_at(view: RunView) -> float:
    """Find when the last question was asked, in seconds since 1970."""
    return next((row.at for row in reversed(view.rows) if row.kind == "review"), 0.0)


def start_text(view: RunView) -> str:
    """Describe where a run begins."""
    first = view.record(1)
    return f"→ {place(first.node if first is not None else view.plan.start)}"
