"""New runs from past steps of other runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..documents.differences import differences
from ..graphs.parts import END
from ..graphs.plan import CompiledGraph
from ..stores.base import StoredRun
from ..stores.ledger import Pointer, Row, RunHead, RunStatus
from ..values.errors import NotReady
from ..values.json_values import Json
from .adopt import adoption, definition_of
from .history import History, routed_at
from .operations import check_id, edit_row
from .records import StepRecord
from .run import Run

if TYPE_CHECKING:
    from ..stores.base import StateStore


def fork(
    app: CompiledGraph,
    store: StateStore,
    run: Run,
    *,
    at: int | None,
    values: Mapping[str, object] | None,
    new_id: str,
    now: float,
) -> Run:
    """A new run with the state and the pointer that ``run`` had after step ``at``; step numbers go on.

    Without ``at`` it has the state as it is now, edits after the last step included.

    Raises:
        RunError: No such step, or nothing came after it.
    """
    check_id(new_id)
    upto = run.version if at is None else None
    at = run.step if at is None else at
    run.require_step(at)
    records = run.history[:at]
    current = _next_node(app, run, at, records)
    pointer = run._image[0]
    rows, state = _until(store, run, records, upto)
    head = RunHead(new_id, run.head.graph, now, run.head.source, f"{run.id}@{at}")
    seconds = sum(record.duration for record in records)
    moved = Pointer(
        len(rows), pointer.definition, RunStatus.READY, current, at, pointer.limit, seconds, updated_at=now
    )
    if values:
        row, state = edit_row(app, moved, state, values, now)
        row.data = {"by": "", "comment": f"given when it was forked from {head.origin}"}
        rows.append(row)
        moved = replace(moved, version=row.seq)
    store.create(StoredRun(head, moved), rows, store.definition(pointer.definition), app.append_keys)
    return Run(head, moved, state, History(store, new_id, app))


def _next_node(app: CompiledGraph, run: Run, at: int, records: Sequence[StepRecord]) -> str:
    """The node that comes after a step.

    Raises:
        NotReady: None does, or the step is the run's last.
    """
    refusal = f"cannot fork run {run.id!r} after step {at}"
    current = records[-1].next if records else app.start
    if current is None or current == END or current not in app.nodes:
        why = "the run ended there" if current == END else "no node of this graph comes after it"
        raise NotReady(f"{refusal}: {why}", hint="fork it at an earlier step")
    if at >= run._image[0].limit:
        raise NotReady(f"{refusal}: that is its cap", hint="extend it first, or fork earlier")
    return current


def _until(
    store: StateStore, run: Run, records: Sequence[StepRecord], upto: int | None
) -> tuple[list[Row], dict[str, Json]]:
    """The rows that make up a run until its first steps were done and routed, and the state then.

    The rows are numbered anew; reviews stay behind. A change of the graph that came later is made at the
    end, for the fork goes by the graph that the run has now.
    """
    if upto is None:
        upto = routed_at(records[-1].row) if records else 1
    rows = store.rows(run.id, upto=upto, kinds=("start", "step", "route", "edit", "adopt"))
    rows = [replace(row, seq=seq) for seq, row in enumerate(rows, 1)]
    state = run._history.values(upto)
    adoptions = store.rows(run.id, upto, run.version, ("adopt",))
    if adoptions:
        definition = str((adoptions[0].data or {})["from"])
        current = records[-1].next if records else None
        then = replace(
            run._image[0], version=len(rows), definition=definition, step=len(records), current=current
        )
        before = definition_of(store, then)
        changes = differences(before, run.plan.document)
        rows.append(adoption(run.plan, before, then, state, changes, adoptions[-1].at))
    return rows, state
