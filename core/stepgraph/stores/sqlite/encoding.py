"""Rows, heads and pointers as columns of SQLite, there and back."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from ...json_values import dumps
from ...ledger import Outcome, Pointer, Row, RunHead, RunStatus
from ..base import StoredRun

Columns: TypeAlias = tuple[Any, ...]

SEQ_BITS = 32
SEQ_MASK = (1 << SEQ_BITS) - 1

LEDGER = "id, kind, step, node, visit, at, duration, updates, ops, output, next, edge, error, review, data"
INSERT_ROW = f"INSERT INTO ledger({LEDGER}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"  # constants

_HEAD = "id, graph, created_at, source, origin"
_POINTER = (
    "version, definition, status, current, step, step_limit, seconds,"
    " outcome, flagged, review, error, updated_at"
)
RUN = f"{_HEAD}, {_POINTER}"
INSERT_RUN = f"INSERT INTO runs({RUN}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"  # constants
MOVE_RUN = f"UPDATE runs SET ({_POINTER}) = (?,?,?,?,?,?,?,?,?,?,?,?) WHERE no = ? AND version = ?"  # noqa: S608


def row_id(no: int, seq: int) -> int:
    """The id of row ``seq`` of run number ``no``: a run's rows lie together, in order."""
    return no << SEQ_BITS | seq


def row_columns(no: int, row: Row) -> Columns:
    """A row as the values of INSERT_ROW; empty parts are NULL, which takes no room."""
    return (
        no << SEQ_BITS | row.seq,
        row.kind,
        row.step,
        row.node,
        row.visit,
        row.at,
        row.duration,
        None if row.updates is None else dumps(row.updates),
        None if row.ops is None else dumps(row.ops),
        row.output,
        row.next,
        row.edge,
        None if row.error is None else dumps(row.error),
        row.review,
        None if row.data is None else dumps(row.data),
    )


def weight(columns: Columns) -> int:
    """What a row changed, in characters of JSON."""
    updates, ops = columns[7], columns[8]
    if updates is None:
        return 0
    return len(updates) if ops is None else len(updates) + len(ops)


def row_from(columns: Columns) -> Row:
    """The row of a tuple of the LEDGER columns."""
    kind, step, node, visit, at, duration = columns[1:7]
    updates, ops, output, next_, edge, error, review, data = columns[7:]
    return Row(
        columns[0] & SEQ_MASK,
        kind,
        step,
        node,
        visit,
        at,
        duration,
        None if updates is None else json.loads(updates),
        None if ops is None else json.loads(ops),
        output,
        next_,
        edge,
        None if error is None else json.loads(error),
        review,
        None if data is None else json.loads(data),
    )


def head_columns(head: RunHead) -> Columns:
    """A head as the first values of INSERT_RUN."""
    return (head.id, head.graph, head.created_at, head.source, head.origin)


def pointer_columns(pointer: Pointer) -> Columns:
    """A pointer as the rest of INSERT_RUN, and the first values of MOVE_RUN."""
    return (
        pointer.version,
        pointer.definition,
        pointer.status,
        pointer.current,
        pointer.step,
        pointer.limit,
        pointer.seconds,
        pointer.outcome,
        pointer.flagged,
        pointer.review,
        None if pointer.error is None else dumps(pointer.error),
        pointer.updated_at,
    )


def run_from(columns: Columns) -> StoredRun:
    """The run of a tuple of the RUN columns."""
    status, current, step, limit, seconds, outcome, flagged, review, error, updated = columns[7:]
    pointer = Pointer(
        columns[5],
        columns[6],
        RunStatus(status),
        current,
        step,
        limit,
        seconds,
        None if outcome is None else Outcome(outcome),
        bool(flagged),
        review,
        None if error is None else json.loads(error),
        updated,
    )
    return StoredRun(RunHead(*columns[:5]), pointer)
