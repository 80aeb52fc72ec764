"""What happens to a run between its steps: start, load, adopt, edit, extend, fork."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import failures
from .errors import DefinitionChanged, NotReady, RunError, StateError
from .graph import END, CompiledGraph
from .graph_parts import MAX_STEPS
from .history import History, routed_at
from .json_values import Json, plain, text
from .ledger import Outcome, Pointer, Row, RunHead, RunStatus
from .run import Run, StepRecord
from .state import Op, check_whole
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
        RunError: The id cannot name a run.
    """
    _check_id(run_id)
    state = initial_state(app, values)
    head = RunHead(run_id, app.name, now, str(app.source) if app.source else None)
    pointer = Pointer(
        1, app.definition_hash, RunStatus.READY, app.start, 0, app.settings.max_steps, updated_at=now
    )
    row = Row(1, "start", 0, at=now, updates=state)
    store.create(StoredRun(head, pointer), [row], app.definition, app.append_keys)
    return Run(head, pointer, state, History(store, run_id, app, fresh=True))


def _check_id(run_id: object) -> None:
    good = isinstance(run_id, str) and run_id.strip() and len(run_id) <= _MAX_ID and run_id.isprintable()
    if not good:
        raise RunError(f"{run_id!r:.60} cannot name a run", hint=f"use 1 to {_MAX_ID} printable characters")


def _check_table(values: object) -> None:
    if not isinstance(values, Mapping):
        raise StateError(f"the values are {values!r:.60}", hint='give them as a dict: {"key": value}')


def initial_state(app: CompiledGraph, values: Mapping[str, object]) -> dict[str, Json]:
    """The inputs over copies of the defaults, without reducing.

    Raises:
        StateError: Inputs are missing or refused; the message names every one of them.
    """
    _check_table(values)
    state: dict[str, Json] = {}
    wrong: list[str] = []
    for name, key in app.keys.items():
        if key.has_default and key.default is not None:
            state[name] = plain(key.default, f'the default of state["{name}"]')
        elif key.input and not key.has_default and values.get(name) is None:
            wrong.append(f"the input {name!r} is missing" + (f" ({key.note})" if key.note else ""))
    for name, value in values.items():
        try:
            checked = check_whole(app.keys.get(name), name, value)
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

    return differences(_definition(store, pointer), app.document)


def _definition(store: StateStore, pointer: Pointer) -> dict[str, Any]:
    definition: dict[str, Any] = json.loads(store.definition(pointer.definition))
    return definition


def _adopt(app: CompiledGraph, store: StateStore, run: Run, differences: list[str], now: float) -> None:
    pointer, values, error = run._image
    if pointer.current is not None and pointer.current not in app.nodes:
        raise DefinitionChanged(
            f"run {run.id!r} waits at node {pointer.current!r}, which the new graph does not have",
            differences,
            hint="keep the node, or fork the run from an earlier step",
        )
    row = _adoption(app, store, pointer, values, differences, now)
    extended = pointer.limit - int(_definition(store, pointer).get("max_steps", 50))
    moved = replace(
        pointer,
        version=row.seq,
        definition=app.definition_hash,
        limit=app.settings.max_steps + extended,
        updated_at=now,
    )
    store.commit(run.id, row, moved, values, app.append_keys, app.definition)
    run._image = (moved, values, error)


def _adoption(
    app: CompiledGraph,
    store: StateStore,
    pointer: Pointer,
    values: dict[str, Json],
    differences: list[str],
    now: float,
) -> Row:
    """The row that says that the run goes by ``app`` from the pointer on."""
    keys = _definition(store, pointer).get("state", {})
    # From here on an append key's items are looked for in rows that say so: tell what they start with.
    was = {name for name, key in keys.items() if key.get("reducer") == "append"}
    now_appending = {name: values[name] for name in sorted(app.append_keys - was) if name in values}
    ops: dict[str, Op] = dict.fromkeys(now_appending, "set")
    data: dict[str, Json] = {
        "from": pointer.definition,
        "to": app.definition_hash,
        "differences": [*differences],
    }
    return Row(
        pointer.version + 1,
        "adopt",
        pointer.step,
        pointer.current,
        at=now,
        updates=now_appending or None,
        ops=ops or None,
        data=data,
    )


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
    row.data = {"by": text(by, "by"), "comment": text(comment, "the comment")}
    moved = replace(pointer, version=row.seq, updated_at=now)
    if pointer.status is RunStatus.PAUSED:
        row.data["withdraws"] = pointer.review
        moved = replace(moved, status=RunStatus.READY, review=None)
    store.commit(run.id, row, moved, edited, app.append_keys)
    run._image = (moved, edited, error)


def _edit_row(
    app: CompiledGraph, pointer: Pointer, state: dict[str, Json], values: Mapping[str, object], now: float
) -> tuple[Row, dict[str, Json]]:
    _check_table(values)
    edited = dict(state)
    updates: dict[str, Json] = {}
    ops: dict[str, Op] = {}
    for name, given in values.items():
        value = updates[name] = check_whole(app.keys.get(name), name, given)
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
    if type(steps) is not int or not 1 <= steps <= MAX_STEPS:
        hint = f"give a whole number from 1 to {MAX_STEPS:,}"
        raise RunError(f"cannot extend run {run.id!r} by {steps!r:.60} steps", hint=hint)
    capped = pointer.outcome is Outcome.MAX_STEPS
    if not capped and pointer.status in (RunStatus.ENDED, RunStatus.FAILED):
        raise not_ready(run, "extend")
    row = Row(pointer.version + 1, "extend", pointer.step, pointer.current, at=now, data={"steps": steps})
    moved = replace(pointer, version=row.seq, limit=pointer.limit + steps, updated_at=now)
    if capped:
        current = run.history[-1].next
        if current not in run.plan.nodes:
            raise NotReady(
                f"cannot extend run {run.id!r}: node {current!r}, which comes next, is not in the graph",
                hint="give the graph that node again, or fork the run from an earlier step",
            )
        moved = replace(
            moved, status=RunStatus.READY, current=current, outcome=None, flagged=False, error=None
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
    _check_id(new_id)
    at = run.step if at is None else at
    run.require_step(at)
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
    rows, state = _until(store, run, records)
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


def _until(store: StateStore, run: Run, records: Sequence[StepRecord]) -> tuple[list[Row], dict[str, Json]]:
    """The rows that make up a run until its first steps were done and routed, and the state then.

    The rows are numbered anew; reviews stay behind. A change of the graph that came later is made at the
    end, for the fork goes by the graph that the run has now.
    """
    upto = routed_at(records[-1].row) if records else 1
    rows = store.rows(run.id, upto=upto, kinds=("start", "step", "route", "edit", "adopt"))
    rows = [replace(row, seq=seq) for seq, row in enumerate(rows, 1)]
    state = run._history.values(upto)
    adoptions = store.rows(run.id, upto, run.version, ("adopt",))
    if adoptions:
        before = str((adoptions[0].data or {})["from"])
        current = records[-1].next if records else None
        then = replace(
            run._image[0], version=len(rows), definition=before, step=len(records), current=current
        )
        differences = _differences(store, then, run.plan)
        rows.append(_adoption(run.plan, store, then, state, differences, adoptions[-1].at))
    return rows, state
