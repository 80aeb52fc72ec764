"""Asking people around a visit: what one does in place of a plain visit, of which nobody is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..conditions.base import choose
from ..graphs.parts import END
from ..reviews import voters
from ..reviews.model import Gate, HeldResult, payload_hash, shown_values
from ..reviews.request import refuse_without_table
from ..reviews.stored import read_reference
from ..reviews.terms import NO_TERMS
from ..stores.ledger import MAX_ID, Row, RunStatus, is_id
from ..values.errors import NodeFailed, RunError
from ..values.json_values import preview
from ..values.state import merge_updates
from . import turns
from .records import node_failure
from .step import rejection, stayed, stopped
from .visit import result_failure

if TYPE_CHECKING:
    from ..reviews.model import ReviewRequest
    from ..values.json_values import Json
    from .records import StepRecord
    from .step import Arrival, Stepper


def begin(stepper: Stepper, here: Arrival) -> StepRecord:
    """Begin a visit at which a person may have to be asked, or was: run the node, or go on without it."""
    turn = turns.turn(here, stepper.keys)
    if isinstance(turn, turns.RunsNode):
        return stepper.execute(here, turn)
    return _do_not_run(stepper, here, here.row("attempt", stepper.time()), turn)


def ask(
    stepper: Stepper,
    here: Arrival,
    row: Row,
    question: ReviewRequest,
    go: turns.RunsNode | None,
    seen: dict[str, Json],
) -> StepRecord:
    """Ask what a node has asked itself.

    Args:
        stepper: What runs the node.
        here: The run at its node.
        row: The row of the step, which is not committed yet.
        question: What it asks.
        go: What people have decided about this visit; None that nobody was asked.
        seen: The state that the node was given.
    """
    if question.is_merged:
        try:
            refuse_without_table(seen, question.editable)
        except NodeFailed as error:
            return stepper.fail(here, row, node_failure(here.node.name, here.visit, error))
        row.data = {**(row.data or {}), "merges": True}
    if go is not None and go.edits:
        row.data = {**(row.data or {}), "edits": dict(go.edits)}
    return _pause(
        stepper, here, row, turns.AsksPerson(question, None, None if go is None else go.passed), seen
    )


def behind(
    stepper: Stepper, here: Arrival, row: Row, merged: dict[str, Json], edits: dict[str, Json]
) -> StepRecord:
    """Hold back what a node did where a gate comes after it, else complete its visit.

    Args:
        stepper: What runs the node.
        here: The run at its node.
        row: The row of the step, which is not committed yet.
        merged: The state with what the node did.
        edits: What a reviewer changed at the gate before it.
    """
    node, chosen = here.node, None
    if node.gate == "last":
        chosen = edge, raised = choose(node.tests, stepper.context(here, row, merged))
        asks = raised is None and edge is not None and node.targets[edge] == END
    else:
        asks = node.gate == "after"
    if asks:
        held = HeldResult(row.updates or {}, row.output, edits, row.duration)
        question = turns.after(node.name, held, stepper.keys, node.terms)
        return _pause(stepper, here, row, turns.AsksPerson(question, Gate("after", held)), here.values)
    if edits:
        turns.add_edits(row, edits, merged, stepper.append_keys)
    return stepper.route(here, row, merged, chosen)


def _do_not_run(stepper: Stepper, here: Arrival, row: Row, turn: turns.Turn) -> StepRecord:
    """Continue with a visit on which the node does not run now."""
    match turn:
        case turns.AsksPerson():
            return _pause(stepper, here, row, turn, here.values)
        case turns.MergesResult():
            return _merge(stepper, here, row, turn)
        case turns.StopsRun(decision):
            pointer = here.pointer
            row.kind, row.step, row.visit, row.data = "stop", pointer.step, 0, rejection(decision)
            return stepper.stay(here, row, stopped(pointer, row), None)
        case turns.FailsVisit(error):
            return stepper.fail(here, row, error)
    raise AssertionError(turn)


def _merge(stepper: Stepper, here: Arrival, row: Row, turn: turns.MergesResult) -> StepRecord:
    """Complete a visit by what its node did before a person was asked about it."""
    held = turn.result.changed_by(turn.decision)
    try:
        seen = {**here.values, **held.edits}
        merged, row.updates, row.ops = merge_updates(seen, held.updates, stepper.keys)
    except BaseException as error:  # the graph was changed meanwhile
        return stepper.fail(here, row, result_failure(here.node.name, here.visit, error))
    row.kind, row.output, row.duration = "step", held.output, held.duration
    if held.edits:
        turns.add_edits(row, held.edits, merged, stepper.append_keys)
    pointer = replace(here.pointer, seconds=here.pointer.seconds - held.duration)  # counted when it ran
    if turn.decision.verb != "reject":
        return stepper.route(replace(here, pointer=pointer), row, merged)
    row.data = {**(row.data or {}), "stopped": rejection(turn.decision)}
    return stepper.complete(here.run, row, merged, stopped(pointer, row), None)


def _pause(
    stepper: Stepper, here: Arrival, row: Row, ask: turns.AsksPerson, seen: dict[str, Json]
) -> StepRecord:
    """Commit a review instead of completing the visit; ``seen`` is the state that it is about."""
    request, shown = ask.request.to_json(), shown_values(ask.request, seen)
    row.kind, row.review, row.updates, row.ops, row.output = "review", _review_id(stepper), None, None, None
    hash_ = payload_hash(here.node.name, request, shown, ask.gate)
    row.data = {**(row.data or {}), "request": request, "values": shown, "hash": hash_}
    if ask.gate is not None:
        row.data["gate"] = ask.gate.to_json()
    if ask.passed is not None:
        row.data["passed"] = ask.passed
    if started_by := here.run.started_by:
        row.data["started_by"] = started_by
    terms = ask.request.terms.over(here.node.terms).effective()
    if terms != NO_TERMS and not here.node.is_tried:
        row.data["terms"] = terms.to_json()
        if (terms.deadline or terms.escalate_after) and stepper.is_real:
            clock = read_reference(stepper.store)
            row.data |= {} if clock is None else {"asked": clock.to_json()}
        if terms.allow_self is False:
            named = voters.authors(stepper.store, here.run.id, here.pointer.version, started_by)
            row.data["authors"] = [*named]
    return stepper.stay(here, row, stayed(here.pointer, row, RunStatus.PAUSED, row.review), None)


def _review_id(stepper: Stepper) -> str:
    """Choose an id that no review of the store has: a decision is found by it, in whatever run."""
    last = ""
    while stepper.store.review(made := stepper.ids("a")) is not None:
        if made == last:
            raise RunError(f"there is a review {made!r} already", hint="`ids` must make a new one each time")
        last = made
    if not is_id(made):
        raise RunError(
            f"{preview(made)} cannot name a review",
            hint=f"`ids` must give 1 to {MAX_ID} printable characters",
        )
    return made
