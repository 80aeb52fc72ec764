"""What happens to a run between its steps: start, load, adopt, edit, extend, fork."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from . import failures
from .errors import DefinitionChanged, NotReady, RunError, StateError
from .graph import END, CompiledGraph
from .history import History
from .json_values import Json, plain
from .ledger import Outcome, Pointer, Row, RunHead, RunStatus
from .run import Run
from .state import Op, check_value
from .stepping import not_ready
from .stores.base import StoredRun

if TYPE_CHECKING:
    from .stores.base import StateStore

_MAX_ID = 200


def start(
    app: CompiledGraph, store: StateStore, values: Mapping[str, object], run_id: str, now: float
) -> Run:
    """Create a run, ready at the start node.

    Raises:
        StateError: Inputs are missing or refused; the message names every one of them.
        RunExists: There is a run of that id.
    """
    if not run_id or len(run_id) > _MAX_ID or not run_id.isprintable():
        raise RunError(f"{run_id!r} cannot name a run", hint=f"use 1 to {_MAX_ID} printable characters")
    state = initial_state(app, values)
    head = RunHead(run_id, app.name, now, str(app.source) if app.source else None)
    pointer = Pointer(
        1, app.definition_hash, RunStatus.READY, app.start, 0, app.settings.max_steps, updated_at=now
    )
    row = Row(1, "start", 0, at=now, updates=state)
    store.create(StoredRun(head, pointer), [row], app.definition, app.append_keys)
    return Run(head, pointer, state, History(store, run_id, app, fresh=True))


def initial_state(app: CompiledGraph, values: Mapping[str, object]) -> dict[str, Json]:
    """The inputs over copies of the defaults, without reducing.

    Raises:
        StateError: Inputs are missing or refused; the message names every one of them.
    """
    state: dict[str, Json] = {}
    wrong: list[str] = []
    for name, key in app.keys.items():
        if key.has_default and key.default is not None:
            state[name] = plain(key.default, f'the default of state["{name}"]')
        elif key.input and not key.has_default and values.get(name) is None:
            wrong.append(f"the input {name!r} is missing" + (f" ({key.note})" if key.note else ""))
    for name, value in values.items():
        try:
            checked = check_value(app.keys.get(name), name, value)
        except StateError as error:
            wrong.append(f"the input {name!r} is refused: {error}")
            continue
        if checked is None:
            state.pop(name, None)
        else:
            state[name] = checked
    if wrong:
        raise StateError("; ".join(wrong), hint="give each as --input key=value, or in start({...})")
    return state


def load(app: CompiledGraph, store: StateStore, run_id: str, *, adopt: bool = False, now: float = 0.0) -> Run:
    """A fresh handle of a stored run.

    Args:
        app: The graph to run it with.
        store: Where it lives.
        run_id: The run.
        adopt: Move the run to ``app`` when it was started with another graph.
        now: The time, for the ledger, in seconds since 1970.

    Raises:
        UnknownRun: No such run.
        DefinitionChanged: The graph is another one; ``.differences`` lists how.
    """
    head, pointer = store.load(run_id)
    values = store.values(run_id, pointer.version)
    error = failures.from_json(pointer.error) if pointer.error else None
    run = Run(head, pointer, values, History(store, run_id, app), error)
    if pointer.definition == app.definition_hash:
        return run
    differences = _differences(store, pointer, app)
    if not differences:
        return run
    if not adopt:
        raise DefinitionChanged(
            f"run {run_id!r} was started with another definition of graph {head.graph!r}: "
            + "; ".join(differences[:5])
            + (f"; and {len(differences) - 5} more" if len(differences) > 5 else ""),
            differences,
            hint="load it with the graph it started with, or move it to this one with adopt=True",
        )
    _adopt(app, store, run, differences, now)
    return run


def _differences(store: StateStore, pointer: Pointer, app: CompiledGraph) -> list[str]:
    from .document import differences

    return differences(json.loads(store.definition(pointer.definition)), app.document)


def _adopt(app: CompiledGraph, store: StateStore, run: Run, differences: list[str], now: float) -> None:
    pointer, values, error = run._image
    if pointer.current is not None and pointer.current not in app.nodes:
        raise DefinitionChanged(
            f"run {run.id!r} waits at node {pointer.current!r}, which the new graph does not have",
            differences,
            hint="keep the node, or fork the run from an earlier step",
        )
    before = json.loads(store.definition(pointer.definition))
    # From here on an append key's items are looked for in rows that say so: tell what they start with.
    was = {name for name, key in before.get("state", {}).items() if key.get("reducer") == "append"}
    now_appending = {name: values[name] for name in sorted(app.append_keys - was) if name in values}
    ops: dict[str, Op] = dict.fromkeys(now_appending, "set")
    data: dict[str, Json] = {
        "from": pointer.definition,
        "to": app.definition_hash,
        "differences": [*differences],
    }
    row = Row(
        pointer.version + 1,
        "adopt",
        pointer.step,
        pointer.current,
        at=now,
        updates=now_appending or None,
        ops=ops or None,
        data=data,
    )
    extended = pointer.limit - int(before.get("max_steps", 50))
    moved = replace(
        pointer,
        version=row.seq,
        definition=app.definition_hash,
        limit=app.settings.max_steps + extended,
        updated_at=now,
    )
    store.commit(run.id, row, moved, values, app.append_keys, app.definition)
    run._image = (moved, values, error)


def edit(
    app: CompiledGraph,
    store: StateStore,
    run: Run,
    values: Mapping[str, object],
    by: str,
    comment: str,
    now: float,
) -> None:
    """Set keys of a run's state; None removes one. A pending review is withdrawn by it.

    Raises:
        NotReady: The run has ended.
        StateError: A value is refused.
    """
    pointer, state, error = run._image
    if pointer.status is RunStatus.ENDED:
        raise not_ready(run, "edit")
    row, edited = _edit_row(app, pointer, state, values, now)
    row.data = {"by": by, "comment": comment}
    moved = replace(pointer, version=row.seq, updated_at=now)
    if pointer.status is RunStatus.PAUSED:
        row.data["withdraws"] = pointer.review
        moved = replace(moved, status=RunStatus.READY, review=None)
    store.commit(run.id, row, moved, edited, app.append_keys)
    run._image = (moved, edited, error)


def _edit_row(
    app: CompiledGraph, pointer: Pointer, state: dict[str, Json], values: Mapping[str, object], now: float
) -> tuple[Row, dict[str, Json]]:
    edited = dict(state)
    updates: dict[str, Json] = {}
    ops: dict[str, Op] = {}
    for name, given in values.items():
        value = updates[name] = check_value(app.keys.get(name), name, given)
        if name in app.append_keys:
            ops[name] = "remove" if value is None else "set"
        if value is None:
            edited.pop(name, None)
        else:
            edited[name] = value
    row = Row(
        pointer.version + 1, "edit", pointer.step, pointer.current, at=now, updates=updates, ops=ops or None
    )
    return row, edited


def extend(store: StateStore, run: Run, steps: int, now: float) -> None:
    """Allow a run more steps; one that was stopped at its cap becomes ready again.

    Raises:
        NotReady: The run ended or failed for another reason than its cap.
    """
    pointer, values, _ = run._image
    if steps < 1:
        raise RunError(f"cannot extend run {run.id!r} by {steps} steps", hint="give a whole number from 1")
    capped = pointer.outcome is Outcome.MAX_STEPS
    if not capped and pointer.status in (RunStatus.ENDED, RunStatus.FAILED):
        raise not_ready(run, "extend")
    row = Row(pointer.version + 1, "extend", pointer.step, pointer.current, at=now, data={"steps": steps})
    moved = replace(pointer, version=row.seq, limit=pointer.limit + steps, updated_at=now)
    if capped:
        last = run.history[-1]
        moved = replace(
            moved, status=RunStatus.READY, current=last.next, outcome=None, flagged=False, error=None
        )
    store.commit(run.id, row, moved)
    run._image = (moved, values, run._image[2] if not capped else None)


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

    Raises:
        RunError: No such step, or nothing came after it.
    """
    at = run.step if at is None else at
    if not 0 <= at <= run.step:
        raise RunError(f"run {run.id!r} has no step {at}", hint=f"its steps are 0 to {run.step}")
    records = run.history[:at]
    current = records[-1].next if records else app.start
    if current is None or current == END or current not in app.nodes:
        why = "the run ended there" if current == END else "no node of this graph comes after it"
        raise NotReady(
            f"cannot fork run {run.id!r} after step {at}: {why}", hint="fork it at an earlier step"
        )
    pointer = run._image[0]
    if at >= pointer.limit:
        raise NotReady(
            f"cannot fork run {run.id!r} after step {at}: that is its cap",
            hint="extend it first, or fork earlier",
        )
    state = run.values_at(at)
    rows = _rows_until(store, run, at)
    head = RunHead(new_id, run.head.graph, now, run.head.source, f"{run.id}@{at}")
    seconds = sum(record.duration for record in records)
    moved = Pointer(
        len(rows), pointer.definition, RunStatus.READY, current, at, pointer.limit, seconds, updated_at=now
    )
    if values:
        row, state = _edit_row(app, moved, state, values, now)
        row.data = {"by": "", "comment": f"given when it was forked from {head.origin}"}
        rows.append(row)
        moved = replace(moved, version=row.seq)
    store.create(StoredRun(head, moved), rows, store.definition(pointer.definition), app.append_keys)
    return Run(head, moved, state, History(store, new_id, app))


def _rows_until(store: StateStore, run: Run, at: int) -> list[Row]:
    """The rows that make up the run until step ``at`` was done, numbered anew; reviews stay behind."""
    upto = run._history.seq_of(at)
    rows = store.rows(run.id, upto=upto, kinds=("start", "step", "route", "edit", "adopt"))
    routed = store.rows(run.id, upto, kinds=("route",))
    rows += [row for row in routed if row.step == at]
    return [replace(row, seq=seq) for seq, row in enumerate(rows, 1)]
