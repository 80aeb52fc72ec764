"""Forks: runs that go on from a step of another one, or from where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..graphs.parts import END
from ..stores.base import StoredRun
from ..stores.ledger import Pointer, Row, RunHead, RunStatus, givers
from ..values.errors import NotReady
from ..values.json_values import Json, text
from .fork_trees import origin_text
from .history import History, routed_at
from .modes import mode_of
from .operations import adoption_row, check_id, definition_of, edit_row
from .run import Run
from .spending import limits_of


def fork(
    run: Run,
    *,
    at: int | None = None,
    values: Mapping[str, object] | None = None,
    new_id: str,
    now: float,
    by: str = "",
) -> Run:
    """Create a run with the state and the pointer that ``run`` had after a step; step numbers go on.

    Args:
        run: The run to fork; it stays as it is.
        at: The step; 0 is the start, None where the run stands, edits after its last step included.
        values: Keys to set at once.
        new_id: The id of the new run.
        now: The time, for the ledger, in seconds since 1970.
        by: Who makes it.

    Raises:
        RunError: No such step, or nothing came after it.
        RunExists: There is a run of the new id.
    """
    check_id(new_id)
    app, store = run.plan, run.store
    step = _forked_step(run, at)
    last = _step_row(run, step)
    current = _next_node(run, step, last)
    upto = run.version if at is None else _routed(last)
    edits = len(store.rows(run.id, _routed(last), upto, ("edit",)))
    origin = f"{run.id}@{step}" + (f"+{edits}" if edits else "")
    head = RunHead(new_id, run.head.graph, now, run.head.source, origin)
    taken, seconds = store.measure_fork(run.id, upto)
    pointer, state = run._image[0], run._history.values(upto)
    moved = Pointer(
        taken, pointer.definition, RunStatus.READY, current, step, pointer.limit, seconds, updated_at=now
    )
    rows = _adoptions_since(run, replace(moved, current=last.next if last else None), state, upto)
    if made := _made_by(run, upto, by):
        rows.append(Row(taken + len(rows) + 1, "fork", step, current, at=now, data=made))
    moved = replace(moved, version=taken + len(rows))
    if values:
        row, state = edit_row(app, moved, state, values, now)
        row.data = {"by": text(by, "by"), "comment": f"given when it was forked from {origin_text(head)}"}
        rows.append(row)
        moved = replace(moved, version=row.seq)
    definition = store.definition(pointer.definition)
    store.create(StoredRun(head, moved), rows, definition, (run.id, upto))
    return Run(head, moved, state, History(store, new_id, app))


def values_to_fork(run: Run, at: int | None) -> dict[str, Json]:
    """Read the state that a fork begins with, as a copy.

    It is not always what the step left: edits that mended the routing of the step belong to its way on.

    Args:
        run: The run to fork.
        at: The step; 0 is the start, None where the run stands.

    Raises:
        RunError: No such step.
    """
    step = _forked_step(run, at)
    return run._history.values(run.version if at is None else _routed(_step_row(run, step)))


def _forked_step(run: Run, at: int | None) -> int:
    """Find the step after which a fork goes on.

    Raises:
        RunError: No such step.
    """
    if at is None:
        return run.step
    run.require_step(at)
    return at


def _step_row(run: Run, step: int) -> Row | None:
    """Find the row of a step without reading those before it; None for the start."""
    return run._history.step_row(step, run.step, run.version) if step else None


def _routed(row: Row | None) -> int:
    """Find the row that records how the run went on from a step, or from the start."""
    return routed_at(row) if row is not None else 1


def _next_node(run: Run, at: int, last: Row | None) -> str:
    """Find the node that comes after a step.

    Raises:
        NotReady: None does, or the step is the run's last.
    """
    app, refusal = run.plan, f"cannot fork run {run.id!r} after step {at}"
    current = last.next if last is not None else app.start
    if current is None or current == END or current not in app.nodes:
        why = "the run ended there" if current == END else "no node of this graph comes after it"
        raise NotReady(f"{refusal}: {why}", hint="fork it at an earlier step")
    if at >= run._image[0].limit:
        raise NotReady(f"{refusal}: that is its limit", hint="extend it first, or fork earlier")
    return current


def _made_by(run: Run, upto: int, by: str) -> dict[str, Json]:
    """Return the author of a fork and what is in rows of the run that no fork takes over; empty if nothing.

    That is who gave the run values in decisions, a mode that was chosen after the start, and how much it may
    spend.
    """
    data: dict[str, Json] = {}
    if names := givers(run.store.rows(run.id, upto=upto, kinds=("fork", "decision"))):
        data["givers"] = [*names]
    if any("mode" in (row.data or {}) for row in run.store.rows(run.id, upto=upto, kinds=("mode", "fork"))):
        data["mode"] = mode_of(run.store, run.id, upto).to_json()
    if limits := limits_of(run.store, run.id, upto).to_json():
        data["limits"] = limits
    return {"by": text(by, "by"), **data} if by or data else {}


def _adoptions_since(run: Run, then: Pointer, values: dict[str, Json], upto: int) -> list[Row]:
    """Build the row that changes the graph at the end of a fork to the one that the run has now.

    Args:
        run: The run that is forked.
        then: Where the fork stands without it.
        values: The state then.
        upto: The row of the run up to which the fork takes its rows over.
    """
    store = run.store
    adoptions = store.rows(run.id, upto, run.version, ("adopt",))
    if not adoptions:
        return []
    from ..documents.comparing import differences

    then = replace(then, definition=str((adoptions[0].data or {})["from"]))
    before = definition_of(store, then)
    changes = differences(before, run.plan.document)
    return [adoption_row(run.plan, before, then, values, changes, adoptions[-1].at)]
