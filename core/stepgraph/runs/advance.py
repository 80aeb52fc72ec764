"""Where a run stands after a step: the next node, the end, the cap, or a routing failure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..conditions.routing import RoutingContext
from ..graphs.parts import END
from ..graphs.plan import CompiledGraph
from ..stores.ledger import READY, Outcome, Pointer, Row, RunStatus
from ..values.errors import ConditionFailed, MaxStepsExceeded, NoEdgeMatched, RunError
from ..values.json_values import class_name
from ..values.messages import said
from . import failures
from .bind import BoundNode
from .history import History, rerouted
from .records import StepRecord

if TYPE_CHECKING:
    from ..reviews.model import Decision
    from ..values.json_values import Json

_LISTED = 50  # edges that a NoEdgeMatched lists
_PREVIEW = 200  # characters of the output that a NoEdgeMatched shows


def advance(
    app: CompiledGraph,
    before: Pointer,
    node: BoundNode,
    row: Row,
    raised: BaseException | None,
    context: RoutingContext,
    history: History,
) -> tuple[Pointer, RunError | None]:
    """Fill in the row's ``next`` and ``error``, and say where the run stands after it.

    Args:
        app: The plan.
        before: Where the run stood before the step.
        node: The node that ran.
        row: The step's row (or the row of its later routing); ``edge`` says which edge won.
        raised: What a condition raised, or None.
        context: What the conditions looked at.
        history: The run's past, without the step.
    """
    step = before.step + 1
    seconds = before.seconds + row.duration
    status, outcome, error, flagged = READY, None, None, False
    current: str | None
    if raised is None and row.edge is not None:
        current = row.next = node.targets[row.edge]
        if current == END:
            status, outcome, current = RunStatus.ENDED, Outcome.END, None
        elif step >= before.limit:
            status, outcome, error = _capped(app, before, row, history)
            flagged = app.settings.on_max_steps == "flag"
            current = row.next if status is RunStatus.FAILED else None  # the one that did not run
        elif app.settings.max_seconds is not None and seconds >= app.settings.max_seconds:
            status, outcome, current = RunStatus.ENDED, Outcome.STOPPED, None
    else:
        status, outcome, error = _unrouted(app, node, row, raised, context)
        current = node.name if status is RunStatus.FAILED else None
    told = None if error is None else row.error or failures.to_json(error)
    definition, limit = before.definition, before.limit
    pointer = Pointer(
        row.seq, definition, status, current, step, limit, seconds, outcome, flagged, None, told, row.at
    )
    return pointer, error


def stayed(before: Pointer, row: Row, status: RunStatus, review: str | None) -> Pointer:
    """Move a run by a row that completes no step: it keeps its node and its state.

    Args:
        before: Where it stood.
        row: The row, a review or an attempt.
        status: How it stands now.
        review: The last review of the coming visit.
    """
    return replace(
        before,
        version=row.seq,
        status=status,
        outcome=None,
        review=review,
        seconds=before.seconds + row.duration,
        error=row.error,
        updated_at=row.at,
    )


def stopped(before: Pointer, row: Row) -> Pointer:
    """Say where a run stands once a person has stopped it.

    Args:
        before: Where the run stood.
        row: The row that says so; where it is a step's, none of its edges is tried.
    """
    return replace(
        before,
        version=row.seq,
        status=RunStatus.ENDED,
        outcome=Outcome.STOPPED,
        current=None,
        step=row.step,
        seconds=before.seconds + row.duration,
        review=None,
        error=None,
        updated_at=row.at,
    )


def rejection(decision: Decision) -> dict[str, Json]:
    """Write who stopped a run by rejecting what a node was to do, or did."""
    return {"by": decision.by, "comment": decision.comment, "review": decision.review}


def _unrouted(
    app: CompiledGraph, node: BoundNode, row: Row, raised: BaseException | None, context: RoutingContext
) -> tuple[RunStatus, Outcome | None, RunError | None]:
    """Say where a run stands when no edge was taken: a condition raised, or none of them matched."""
    if raised is None and app.settings.on_no_match == "end":
        return RunStatus.ENDED, Outcome.NO_MATCH, None
    error: RunError
    if raised is None:
        error, outcome = _no_match(app, node, row, context), Outcome.NO_MATCH
    else:
        error, outcome = _condition_failed(app, node, row, raised), None
    row.error = failures.to_json(error)
    return RunStatus.FAILED, outcome, error


def _capped(
    app: CompiledGraph, before: Pointer, row: Row, history: History
) -> tuple[RunStatus, Outcome, RunError | None]:
    if app.settings.on_max_steps != "fail":
        return RunStatus.ENDED, Outcome.MAX_STEPS, None
    from .loops import LOOK_BACK, loop_report

    upto = row.seq - 1
    rows = history.last_steps(LOOK_BACK, upto)
    visits = {node: history.count(node, upto) for node in history.visited}
    if row.kind == "step":
        rows = [*rows[1 - LOOK_BACK :], row]
        visits[row.node or ""] = visits.get(row.node or "", 0) + 1
    else:
        rows = [*rows[:-1], rerouted(rows[-1], row)]
    report = loop_report([StepRecord(step, history) for step in rows], visits, history.values)
    error = MaxStepsExceeded(
        f"{row.next!r} did not run: graph {app.name!r} reached its limit of {before.limit} steps, the last "
        f"one at {row.node!r}; {report}",
        hint="extend the run, raise max_steps, or fix the loop",
    )
    return RunStatus.FAILED, Outcome.MAX_STEPS, error


def _condition_failed(
    app: CompiledGraph, node: BoundNode, row: Row, raised: BaseException
) -> ConditionFailed:
    position = row.edge or 0
    edge = app.edges_from(node.name)[position]
    words, hint = failures.own_words(raised) or (class_name(raised) + said(raised), "")
    error = ConditionFailed(
        f"the condition of edge {position + 1} of node {node.name!r} (to {edge.target}, "
        f"{edge.describe()}) failed: {words}",
        hint=hint or "fix the condition or the state, then retry: the node does not run again",
    )
    error.__cause__ = raised
    return error


def _no_match(app: CompiledGraph, node: BoundNode, row: Row, context: RoutingContext) -> NoEdgeMatched:
    edges = app.edges_from(node.name)
    tried = ", ".join(
        f"{number}. {edge.target} [{edge.describe()}]" for number, edge in enumerate(edges[:_LISTED], 1)
    )
    if len(edges) > _LISTED:
        tried += f", and {len(edges) - _LISTED:,} more"
    output = context.last_output
    preview = output[:_PREVIEW] + ("…" if len(output) > _PREVIEW else "")
    return NoEdgeMatched(
        f"none of the edges of node {node.name!r} matched after step {row.step}: {tried}; "
        f"its output was: {preview}",
        hint="add an edge without a condition as the last one, or set on_no_match = 'end'",
    )
