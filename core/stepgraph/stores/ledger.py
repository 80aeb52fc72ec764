"""The ledger's rows, the moving part of a run, and how rows add up to a state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from ..values.json_values import Json, copy_json, dumps
from ..values.state import OWN, Op

RowKind = Literal[
    "start", "step", "route", "attempt", "review", "vote", "escalation", "decision", "edit", "adopt",
    "extend", "stop", "fork", "mode",
]  # fmt: skip

WAITING: tuple[RowKind, ...] = ("review", "vote", "escalation")
"""The kinds of rows after which a run waits for a person: one of several approvals decides nothing yet."""

FORKED: tuple[RowKind, ...] = ("start", "step", "route", "edit", "adopt")
"""The kinds of rows that a fork takes over: those that make up its state and its way."""


class RunStatus(StrEnum):
    """Where a run stands."""

    READY = "ready"
    PAUSED = "paused"
    ENDED = "ended"
    FAILED = "failed"


READY = RunStatus.READY
"""The member by itself, for use at every step: looking it up in its enum costs as much as a small node."""


class Outcome(StrEnum):
    """How a run ended, or why it failed; None while it is ready or paused and after a node failure."""

    END = "end"
    MAX_STEPS = "max_steps"
    NO_MATCH = "no_match"
    STOPPED = "stopped"


_HASHES = re.compile("[0-9a-f]{32}")

MAX_ID = 200
"""The most characters of an id."""


def is_id(value: object) -> bool:
    """Check whether a value can name a run or a review: 1 to 200 printable characters, not all blank."""
    return (
        isinstance(value, str)
        and len(value) <= MAX_ID
        and value.isprintable()
        and not value.isspace()
        and value != ""
    )


@dataclass(slots=True)
class Row:
    """One entry of a run's ledger. Rows are only ever added, and never changed afterwards."""

    seq: int
    """From 1, without gaps; the sequence number of a run's last row is the run's version."""
    kind: RowKind
    """``route`` is a later evaluation of the edges of a step whose routing had failed; ``fork`` says who made
    a fork, after the rows that it took over."""
    step: int
    """The step it belongs to; 0 for the start."""
    node: str | None = None
    visit: int = 0
    at: float = 0.0
    """When it happened (a step: when it began), in seconds since 1970."""
    duration: float = 0.0
    """How long the node took, in seconds."""
    updates: dict[str, Json] | None = None
    """The changed keys only, in the order in which the node gave them; None under ``same``."""
    ops: dict[str, Op] | None = None
    """How the keys merge that are not plainly replaced."""
    output: str | None = None
    """None when the output is just the updates as JSON."""
    next: str | None = None
    edge: int | None = None
    """Which of the node's edges won, or the one whose condition raised; None when none matched."""
    error: dict[str, Json] | None = None
    review: str | None = None
    """The id of the review that a row is about: one that asks, decides, or fails as nobody decided."""
    data: dict[str, Json] | None = None
    """What else the kind needs: a request, a decision, who started, edited or stopped the run and why."""


@dataclass(frozen=True, slots=True)
class RunHead:
    """The part of a run that never changes."""

    id: str
    graph: str
    """The graph's name."""
    created_at: float
    source: str | None = None
    """The absolute path of the graph file, or None for a graph built in Python."""
    origin: str | None = None
    """The run and step that it was forked from, as ``run@step``; ``run@step+2`` with two edits after it."""


@dataclass(slots=True)
class Pointer:
    """The part of a run that moves. It is never changed in place; each commit brings a new one."""

    version: int
    definition: str
    """The hash of the run's definition."""
    status: RunStatus
    current: str | None
    step: int
    """How many steps are completed."""
    limit: int
    """The number of steps at which the run is stopped."""
    seconds: float = 0.0
    """How long its nodes have run in all."""
    outcome: Outcome | None = None
    flagged: bool = False
    review: str | None = None
    """The last review of the coming visit: pending while PAUSED, else decided (not yet used) or withdrawn."""
    error: dict[str, Json] | None = None
    updated_at: float = 0.0


def stopped_by(row: Row) -> dict[str, Json] | None:
    """Read who stopped a run, and why, out of the row that says so; None for any other row.

    That is a row of its own, or a step behind whose gate a person stopped the run, so that no edge was tried.
    """
    data = row.data or {}
    by = data if row.kind == "stop" else data.get("stopped") if row.kind == "step" else None
    return by if isinstance(by, dict) else None


def starter(rows: Iterable[Row]) -> str:
    """Read who started a run, or forked it, out of its start and fork rows; empty where nobody said."""
    named = [by for row in rows if isinstance(by := (row.data or {}).get("by"), str) and by]
    return named[-1] if named else ""


SAYING: tuple[RowKind, ...] = ("start", "fork", "edit", "decision")
"""The kinds of rows in which somebody may have given a run values."""


def givers(rows: Iterable[Row]) -> list[str]:
    """Name who gave a run its values, each once, out of its rows of the kinds SAYING.

    They started it, edited its state, or changed or answered something in a decision. Decisions are no rows
    that a fork takes over: its own row names those who were before it.
    """
    named: dict[str, None] = {}
    for row in rows:
        data = row.data or {}
        if row.kind == "fork":
            before = data.get("givers")
            names = before if isinstance(before, list) else []
            named |= dict.fromkeys(name for name in names if isinstance(name, str))
        elif row.kind != "decision" or data.get("verb") in ("edit", "respond"):
            named[str(data.get("by") or "")] = None
    return [name for name in named if name]


def definitions_named(row: Row) -> list[str]:
    """Find the definitions that a row names beside the pointer's: a fork may go by them again."""
    data = row.data if row.kind == "adopt" and row.data is not None else {}
    return [name for name in (data.get("from"), data.get("to")) if isinstance(name, str)]


def hashes_in(data: str) -> list[str]:
    """Find what may be hashes of definitions in the JSON of a row's data, which may be damaged."""
    return _HASHES.findall(data)


def replay(
    values: dict[str, Json], rows: Iterable[Row], only: frozenset[str] | None = None
) -> dict[str, Json]:
    """Apply the rows' updates, in order, to ``values``, and return it.

    Args:
        values: Changed in place; its containers are not.
        rows: Rows of any kind, in order.
        only: When given, the keys to look at.
    """
    for _ in replaying(values, rows, only):
        pass
    return values


def replaying(
    values: dict[str, Json], rows: Iterable[Row], only: frozenset[str] | None = None
) -> Iterator[Row]:
    """Apply the rows' updates as ``replay`` does, and yield each row when it is applied.

    Between two rows ``values`` is the state after the first of them; what is read of it is to be copied.
    """
    own: set[str] = set()  # lists made here, which may grow in place: appending stays linear
    for row in rows:
        ops = row.ops
        for name, value in (row.updates or {}).items():
            if only is None or name in only:
                _apply(values, name, value, None if ops is None else ops.get(name), own)
        yield row


def _apply(values: dict[str, Json], name: str, value: Json, op: Op | None, own: set[str]) -> None:
    if op == "append":
        items = value if type(value) is list else [value]
        if name not in own:
            values[name] = list(values.get(name) or [])  # type: ignore[arg-type]  # a list, by its reducer
            own.add(name)
        values[name].extend(items)  # type: ignore[union-attr]
    elif op == "merge":
        values[name] = {**values[name], **value}  # type: ignore[dict-item]  # tables, by the reducer
    elif value is None and op != "same":
        own.discard(name)
        values.pop(name, None)
    elif op != "same":
        own.discard(name)
        values[name] = value


def as_stored(
    updates: dict[str, Json], ops: dict[str, Op], before: dict[str, Json]
) -> tuple[dict[str, Json], dict[str, Op]]:
    """Reduce the updates to what a row keeps, and tell how that merges.

    Of a large value that did not change it is only the name, of a list that has grown what came to it.

    Args:
        updates: The updates, whole.
        ops: How they differ from plainly replacing their keys.
        before: The state that they change.
    """
    if not {"same", "grown"}.intersection(ops.values()):
        return updates, ops
    kept = dict(updates)
    for name, op in ops.items():
        if op == "same":
            kept[name] = None
        elif op == "grown":
            kept[name] = updates[name][len(before[name]) :]  # type: ignore[index,arg-type]  # both are lists
    return kept, {name: "append" if op == "grown" else op for name, op in ops.items()}


def _in_part(row: Row, append_keys: frozenset[str]) -> set[str]:
    ops = row.ops or {}
    return {name for name, op in ops.items() if op == "same" or (op == "append" and name not in append_keys)}


def is_partial(row: Row, append_keys: frozenset[str]) -> bool:
    """Check whether a row keeps less than its node returned: see ``as_stored``."""
    return bool(_in_part(row, append_keys))


def returned_updates(row: Row, state_after: dict[str, Json], append_keys: frozenset[str]) -> dict[str, Json]:
    """Copy the updates as the node returned them; what the row keeps in part comes from the state."""
    part = _in_part(row, append_keys)
    return {
        name: copy_json(state_after[name] if name in part else value)
        for name, value in (row.updates or {}).items()
    }


def returned_output(row: Row, state_after: dict[str, Json], append_keys: frozenset[str]) -> str:
    """Write what the node of a step put out; where it said nothing else, that is what it returned."""
    return dumps(returned_updates(row, state_after, append_keys)) if row.output is None else row.output


_ANSWERS = {"model": "text", "tool": "result"}


def calls_of(row: Row) -> list[dict[str, Any]]:
    """Read what models and tools answered while a row came to be, oldest first.

    These are the row's own: a visit that paused or failed before has more, in the rows of that. An answer
    that is the step's output is there once, and is put back here.
    """
    return [_with_output(call, row.output) for call in _calls_of(row) if call.get("kind") != OWN]


def own_of(row: Row) -> list[dict[str, Any]]:
    """Read what the node has kept for itself while a row came to be, oldest first."""
    return [kept for kept in _calls_of(row) if kept.get("kind") == OWN]


def without_output(row: Row) -> None:
    """Leave out of a row's calls the answers that are the step's output as well."""
    if row.output is not None and row.data is not None and "calls" in row.data:
        row.data["calls"] = [_without_output(call, row.output) for call in _calls_of(row)]


def _calls_of(row: Row) -> list[dict[str, Json]]:
    calls = (row.data or {}).get("calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _without_output(call: dict[str, Json], output: str) -> dict[str, Json]:
    if call.get("text") != output and not ("result" in call and dumps(call["result"]) == output):
        return call
    return {key: value for key, value in call.items() if key not in ("text", "result")}


def _with_output(call: dict[str, Json], output: str | None) -> dict[str, Json]:
    kind = call.get("kind")
    answer = _ANSWERS.get(kind) if isinstance(kind, str) else None
    if output is None or answer is None or answer in call or "error" in call:
        return call
    with suppress(ValueError):  # a store may be damaged
        return {**call, answer: output if kind == "model" else json.loads(output)}
    return call
