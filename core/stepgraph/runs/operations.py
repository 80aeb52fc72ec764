"""What happens to a run between its steps: start, load, edit, extend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..documents.differences import differences
from ..graphs.parts import MAX_STEPS
from ..graphs.plan import CompiledGraph
from ..stores.base import StoredRun
from ..stores.ledger import Outcome, Pointer, Row, RunHead, RunStatus
from ..values.errors import DefinitionChanged, NotReady, RunError, StateError
from ..values.json_values import Json, plain, preview, text
from ..values.state import Op, check_whole
from . import adopt as adopting
from . import failures
from .history import History
from .run import Run
from .step import not_ready

if TYPE_CHECKING:
    from ..stores.base import StateStore

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
    check_id(run_id)
    state = initial_state(app, values)
    head = RunHead(run_id, app.name, now, str(app.source) if app.source else None)
    pointer = Pointer(
        1, app.definition_hash, RunStatus.READY, app.start, 0, app.settings.max_steps, updated_at=now
    )
    row = Row(1, "start", 0, at=now, updates=state)
    store.create(StoredRun(head, pointer), [row], app.definition, app.append_keys)
    return Run(head, pointer, state, History(store, run_id, app, fresh=True))


def check_id(run_id: object) -> None:
    """Refuse what cannot name a run.

    Raises:
        RunError: It is no text, empty, too long, or does not print.
    """
    good = isinstance(run_id, str) and run_id.strip() and len(run_id) <= _MAX_ID and run_id.isprintable()
    if not good:
        raise RunError(
            f"{preview(run_id)} cannot name a run", hint=f"use 1 to {_MAX_ID} printable characters"
        )


def _check_table(values: object) -> None:
    if not isinstance(values, Mapping):
        raise StateError(f"the values are {preview(values)}", hint='give them as a dict: {"key": value}')


def initial_state(app: CompiledGraph, values: Mapping[str, object]) -> dict[str, Json]:
    """The inputs over copies of the defaults, without reducing.

    Raises:
        StateError: Inputs are missing or refused; the message names every one of them.
    """
    state, refused = over_defaults(app, values)
    wrong = [
        f"the input {name!r} is missing" + (f" ({key.note})" if key.note else "")
        for name, key in app.keys.items()
        if key.input and not key.has_default and values.get(name) is None
    ]
    wrong += [f"the input {preview(name)} is refused: {error}" for name, error in refused]
    if wrong:
        raise StateError(
            "; ".join(wrong), hint="give each of them a value: --input KEY=VALUE on the command line"
        )
    return state


def over_defaults(
    app: CompiledGraph, values: Mapping[str, object]
) -> tuple[dict[str, Json], list[tuple[object, StateError]]]:
    """Values over copies of the defaults, without reducing; None takes a default away.

    Returns:
        The state, and each value that is refused, by its name.

    Raises:
        StateError: The values are no table.
    """
    _check_table(values)
    state: dict[str, Json] = {
        name: plain(key.default, f'the default of state["{name}"]')
        for name, key in app.keys.items()
        if key.has_default and key.default is not None
    }
    refused: list[tuple[object, StateError]] = []
    for name, value in values.items():
        try:
            checked = check_whole(app.keys.get(name), name, value)
        except StateError as error:
            refused.append((name, error))
            continue
        if checked is None:
            state.pop(name, None)
        else:
            state[name] = checked
    return state, refused


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
    before = adopting.definition_of(store, pointer)
    changes = differences(before, app.document)
    if not changes:
        return run
    if not adopt:
        raise DefinitionChanged(
            f"run {run_id!r} was started with another definition of graph {head.graph!r}: "
            + "; ".join(changes[:5])
            + (f"; and {len(changes) - 5} more" if len(changes) > 5 else ""),
            changes,
            hint="load it with the graph it started with, or move it to this one with adopt=True",
        )
    adopting.adopt(app, store, run, before, changes, now)
    return run


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
    row, edited = edit_row(app, pointer, state, values, now)
    row.data = {"by": text(by, "by"), "comment": text(comment, "the comment")}
    moved = replace(pointer, version=row.seq, updated_at=now)
    if pointer.status is RunStatus.PAUSED:
        row.data["withdraws"] = pointer.review
        moved = replace(moved, status=RunStatus.READY, review=None)
    store.commit(run.id, row, moved, edited, app.append_keys)
    run._image = (moved, edited, error)


def edit_row(
    app: CompiledGraph, pointer: Pointer, state: dict[str, Json], values: Mapping[str, object], now: float
) -> tuple[Row, dict[str, Json]]:
    """The row that sets keys of a state, and the state after it.

    Raises:
        StateError: A value is refused.
    """
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
        raise RunError(f"cannot extend run {run.id!r} by {preview(steps)} steps", hint=hint)
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
