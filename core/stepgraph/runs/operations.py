"""What happens to a run between its steps: start, load, adopt, edit, stop, extend, set mode and limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..graphs.parts import MAX_STEPS
from ..graphs.plan import CompiledGraph
from ..stores.base import StoredRun
from ..stores.ledger import MAX_ID, Outcome, Pointer, Row, RunHead, RunStatus, is_id
from ..values.errors import (
    CommitsLost,
    Conflict,
    DefinitionChanged,
    NotReady,
    RunError,
    StateError,
    UnknownRun,
)
from ..values.json_values import Json, plain, plain_names, preview, text
from ..values.state import Op, check_whole
from .history import History
from .modes import SCRIPTED, RunMode, mode_of
from .records import error_to_json, node_failure
from .run import Run, not_ready
from .step import stayed, stopped
from .views import open_run, read_run

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from .spending import SpendingLimits


def start(
    app: CompiledGraph,
    store: StateStore,
    values: Mapping[str, object],
    run_id: str,
    now: float,
    by: str = "",
    mode: RunMode = SCRIPTED,
) -> Run:
    """Create a run, ready at the start node.

    Args:
        app: The graph.
        store: Where the run is to live.
        values: The inputs, over the declared defaults.
        run_id: Its id.
        now: The time, in seconds since 1970.
        by: Who says to start it.
        mode: Who answers in it.

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
    data: dict[str, Json] = {"by": text(by, "by")} if by else {}
    if mode != SCRIPTED:
        data["mode"] = mode.to_json()
    row = Row(1, "start", 0, at=now, updates=state, data=data or None)
    store.create(StoredRun(head, pointer), [row], app.definition)
    return Run(head, pointer, state, History(store, run_id, app, fresh=True))


def check_id(run_id: object) -> None:
    """Refuse what cannot name a run.

    Raises:
        RunError: It is not text, empty, too long, or does not print.
    """
    if not is_id(run_id):
        raise RunError(f"{preview(run_id)} cannot name a run", hint=f"use 1 to {MAX_ID} printable characters")


def _table(values: object) -> dict[Any, Any]:
    if not isinstance(values, Mapping):
        raise StateError(f"the values are {preview(values)}", hint='give them as a dict: {"key": value}')
    return plain_names(values)


def initial_state(app: CompiledGraph, values: Mapping[str, object]) -> dict[str, Json]:
    """Put the inputs over copies of the defaults, without reducing.

    Raises:
        StateError: Inputs are missing or refused; the message names every one of them.
    """
    values = _table(values)
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
    _refuse_calls(app, values)
    return state


def undeclared(app: CompiledGraph, values: Mapping[str, object]) -> list[str]:
    """List the inputs that are slips: keys that a graph which declares its keys does not have."""
    known = {*app.keys, *app.never_set}
    return [name for name in values if name not in known] if app.keys else []


def _refuse_calls(app: CompiledGraph, values: Mapping[Any, object]) -> None:
    """Refuse inputs that name the tool of a node, unless the graph asks for them.

    Raises:
        StateError: There is one.
    """
    unasked = {name for name in values if not (name in app.keys and app.keys[name].input)}
    for entry in app.nodes.values() if unasked else ():
        key = entry.facts.call_key
        if key in unasked:
            raise StateError(
                f"the input {key!r} is refused: it names the tool that node {entry.name!r} calls, and the "
                "graph does not ask for it",
                hint=f"declare [state.{key}] with input = true, or take it out",
            )


def over_defaults(
    app: CompiledGraph, values: Mapping[str, object]
) -> tuple[dict[str, Json], list[tuple[object, StateError]]]:
    """Put values over copies of the defaults, without reducing; None takes a default away.

    Returns:
        The state, and each value that is refused, by its name.

    Raises:
        StateError: The values are not a table.
    """
    values = _table(values)
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
    """Load a fresh handle of a stored run.

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
    stored = store.load(run_id)
    head, pointer = stored
    run = read_run(store, stored, History(store, run_id, app))
    if pointer.definition == app.definition_hash:
        return run
    from ..documents.comparing import differences  # only where a graph was changed

    before = definition_of(store, pointer)
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
    _adopt(app, run, before, changes, now)
    return run


def definition_of(store: StateStore, pointer: Pointer) -> dict[str, Any]:
    """Read the document of the definition at the pointer."""
    definition: dict[str, Any] = json.loads(store.definition(pointer.definition))
    return definition


def _adopt(
    app: CompiledGraph,
    run: Run,
    before: dict[str, Any],
    differences: list[str],
    now: float,
) -> None:
    """Move a run to ``app``.

    Args:
        app: The graph.
        run: The run; moved in place.
        before: The document of its definition.
        differences: How the two differ.
        now: The time, in seconds since 1970.

    Raises:
        DefinitionChanged: The node at the pointer is not in it.
    """
    pointer, values, error = run._image
    if pointer.current is not None and pointer.current not in app.nodes:
        raise DefinitionChanged(
            f"run {run.id!r} waits at node {pointer.current!r}, which the new graph does not have",
            differences,
            hint="keep the node, or fork the run from an earlier step",
        )
    row = adoption_row(app, before, pointer, values, differences, now)
    extended = pointer.limit - int(before.get("max_steps", 50))
    moved = replace(
        pointer,
        version=row.seq,
        definition=app.definition_hash,
        limit=app.settings.max_steps + extended,
        updated_at=now,
    )
    run.record(row, (moved, values, error), app.append_keys, app.definition)


def adoption_row(
    app: CompiledGraph,
    before: dict[str, Any],
    pointer: Pointer,
    values: dict[str, Json],
    differences: list[str],
    now: float,
) -> Row:
    """Build the row that says that the run follows ``app`` from the pointer on."""
    # From here on an append key's items are looked for in rows that say so: record what they start with.
    was = {name for name, key in before.get("state", {}).items() if key.get("reducer") == "append"}
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
    run: Run, values: Mapping[str, object], by: str, comment: str, now: float, source: str = "library"
) -> None:
    """Set keys of a run's state; None removes one. A pending review is withdrawn by it.

    Args:
        run: The run.
        values: The keys, with their new values.
        by: Who edits it.
        comment: Why.
        now: The time, in seconds since 1970.
        source: From where: ``library``, ``cli``, ``app``.

    Raises:
        NotReady: The run has ended.
        StateError: A value is refused.
    """
    pointer, state, error = run._image
    if pointer.status is RunStatus.ENDED:
        raise not_ready(run, "edit")
    row, edited = edit_row(run.plan, pointer, state, values, now)
    row.data = _authorship(by, comment, source)
    moved = replace(pointer, version=row.seq, updated_at=now)
    if pointer.status is RunStatus.PAUSED:
        row.data["withdraws"] = pointer.review  # the pointer keeps it: what the node did may be held in it
        moved = replace(moved, status=RunStatus.READY)
    entry = _withdrawal(run, row)
    run.record(row, (moved, edited, error), run.plan.append_keys, audit=entry)


def edit_row(
    app: CompiledGraph, pointer: Pointer, state: dict[str, Json], values: Mapping[str, object], now: float
) -> tuple[Row, dict[str, Json]]:
    """Build the row that sets keys of a state, and the state after it.

    Raises:
        StateError: A value is refused.
    """
    values = _table(values)
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


def stop(run: Run, by: str, comment: str, now: float, source: str = "library") -> None:
    """End a run that is ready or paused, where it stands, as stopped. A pending review is withdrawn by it.

    Args:
        run: The run.
        by: Who stops it.
        comment: Why.
        now: The time, in seconds since 1970.
        source: From where: ``library``, ``cli``, ``app``.

    Raises:
        NotReady: The run has ended or failed.
        Conflict: Somebody else has moved it on.
    """
    pointer, values, _ = run._image
    if pointer.status not in (RunStatus.READY, RunStatus.PAUSED):
        raise not_ready(run, "stop")
    data = _authorship(by, comment, source)
    if pointer.status is RunStatus.PAUSED:
        data["withdraws"] = pointer.review
    row = Row(pointer.version + 1, "stop", pointer.step, pointer.current, at=now, data=data)
    moved = stopped(pointer, row)
    run.record(row, (moved, values, None), audit=_withdrawal(run, row))


def fail_visit(run: Run, reason: BaseException, at: float, duration: float) -> None:
    """Record that the coming visit has failed, where who executed it no longer can: its process is gone.

    Args:
        run: The run, ready at the node, or failed there and retried.
        reason: Why, as if the node had raised it.
        at: When the visit began, in seconds since 1970.
        duration: How long it took, in seconds.

    Raises:
        NotReady: The run is paused or has ended.
        Conflict: Somebody else has moved it on.
    """
    pointer, values, _ = run._image
    node = pointer.current
    if pointer.status not in (RunStatus.READY, RunStatus.FAILED) or node is None:
        raise not_ready(run, "fail")
    visit = run._history.count(node, pointer.version) + 1
    failure = node_failure(node, visit, reason)
    error = error_to_json(failure)
    row = Row(pointer.version + 1, "attempt", pointer.step + 1, node, visit, at, duration, error=error)
    moved = stayed(pointer, row, RunStatus.FAILED, pointer.review)
    run.record(row, (moved, values, failure))


def fail_lost(store: StateStore, run_id: str, lost: CommitsLost, at: float) -> None:
    """Fail a run of which its store has lost something, so that nobody drives it unless a person retries it.

    Args:
        store: The store.
        run_id: The run; where it is gone, or somebody else is at it, nothing is done.
        lost: What was found out.
        at: The time, in seconds since 1970.
    """
    with suppress(UnknownRun, NotReady, Conflict):
        fail_visit(open_run(store, run_id), lost, at, 0.0)


def _authorship(by: str, comment: str, source: str) -> dict[str, Json]:
    return {"by": text(by, "by"), "comment": text(comment, "the comment"), "source": source}


def _withdrawal(run: Run, row: Row) -> dict[str, Json] | None:
    """Build the audit's entry for a row that withdraws a review; None for one that does not."""
    if "withdraws" not in (row.data or {}):
        return None
    from ..reviews.stored import entry_for

    return entry_for(run.store, StoredRun(run.head, run._image[0]), row)


def extend(run: Run, steps: int, now: float) -> None:
    """Allow a run more steps; one that was stopped at its step limit becomes ready again.

    Raises:
        NotReady: The run ended or failed for another reason than its step limit.
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
        current = run._history.last_steps(1, pointer.version)[0].next
        if current not in run.plan.nodes:
            raise NotReady(
                f"cannot extend run {run.id!r}: node {current!r}, which comes next, is not in the graph",
                hint="give the graph that node again, or fork the run from an earlier step",
            )
        moved = replace(
            moved, status=RunStatus.READY, current=current, outcome=None, flagged=False, error=None
        )
    run.record(row, (moved, values, None if capped else run._image[2]))


def set_mode(run: Run, mode: RunMode, by: str, now: float) -> None:
    """Change a run's mode for whoever continues it; no effect if it is in that mode already.

    Args:
        run: The run; moved in place.
        mode: The mode.
        by: Who says so.
        now: The time, in seconds since 1970.

    Raises:
        Conflict: Another process has moved the run on.
    """
    if mode_of(run.store, run.id) != mode:
        say_of_run(run, "mode", mode.to_json(), by, now)


def say_of_run(run: Run, what: str, value: Json, by: str, now: float) -> None:
    """Write into the ledger what holds for a run from here on; its state stays as it is.

    Args:
        run: The run; moved in place.
        what: What is set: ``mode``, or ``limits`` of what it may spend.
        value: What holds.
        by: Who says so.
        now: The time, in seconds since 1970.

    Raises:
        Conflict: Another process has moved the run on.
    """
    pointer, values, error = run._image
    data: dict[str, Json] = {what: value, "by": text(by, "by")}
    row = Row(pointer.version + 1, "mode", pointer.step, pointer.current, at=now, data=data)
    moved = replace(pointer, version=row.seq, updated_at=now)
    run.record(row, (moved, values, error))


def set_limits(run: Run, limits: SpendingLimits, by: str, now: float) -> None:
    """Set a run's spending limits for whoever continues it; None leaves a limit as it was.

    Raises:
        Conflict: Another process has moved the run on.
    """
    table = limits.to_json()
    if table:
        say_of_run(run, "limits", table, by, now)
