"""The commands by which rows, pointers, snapshots and definitions are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...values.json_values import Json, dumps
from .. import encoding
from ..audit import AuditEntry
from ..encoding import Columns
from ..ledger import Pointer, Row, RunHead, definitions_named
from ..snapshots import Snapshot, SnapshotPolicy, Track, first_rows, snapshot
from . import texts
from .forking import TakenOver
from .scripts import STATUSES
from .server import Transaction

FORMAT = "1"
"""The version of the layout of the keys."""


def create_run(transaction: Transaction, no: int, head: RunHead, pointer: Pointer) -> None:
    """Add a run, unless there is one of its id."""
    transaction.require("", "HGET", "versions", head.id)
    transaction.write("HSET", "versions", head.id, f"{no}:{pointer.version}")
    transaction.write("SET", "format", FORMAT)
    transaction.write("HSET", "heads", head.id, texts.head_text(no, head))
    _place_run(transaction, no, head.id, pointer)


def move_run(transaction: Transaction, no: int, run_id: str, pointer: Pointer) -> None:
    """Move a run on from the version before, unless it is another run or somewhere else."""
    transaction.require(f"{no}:{pointer.version - 1}", "HGET", "versions", run_id)
    transaction.write("HSET", "versions", run_id, f"{no}:{pointer.version}")
    _place_run(transaction, no, run_id, pointer)


def _place_run(transaction: Transaction, no: int, run_id: str, pointer: Pointer) -> None:
    status = pointer.status.value
    transaction.write("HSET", "pointers", run_id, texts.pointer_text(no, pointer))
    for other in STATUSES:
        if other != status:
            transaction.write("ZREM", f"updated:{other}", member(no, run_id))
    transaction.write("ZADD", f"updated:{status}", pointer.updated_at + 0.0, member(no, run_id))
    transaction.write("INCR", "changes")


def add_row(transaction: Transaction, no: int, run_id: str, row: Row, columns: Columns) -> None:
    """Append one row to the ledger, and to what finds it again."""
    transaction.write("RPUSH", f"rows:{no}", texts.row_text(columns))
    if row.kind == "step":
        transaction.write("APPEND", f"nodes:{no}", _node(row.node))
    else:
        transaction.write("RPUSH", f"others:{no}", _other(row.seq, row.kind))
    if row.review is not None:
        transaction.write("RPUSH", f"review:{columns[13]}", f"{row.seq}:{run_id}")
        transaction.write("SADD", f"reviews:{no}", columns[13])
        transaction.write("ZADD", "reviewed", row.at + 0.0, member(no, columns[13]))
    if row.kind == "adopt":
        need_definitions(transaction, no, definitions_named(row))


def take_over(transaction: Transaction, no: int, taken: TakenOver) -> None:
    """Write what a fork takes over; no review is among it."""
    if taken.rows:
        transaction.write("RPUSH", f"rows:{no}", *taken.rows)
    if nodes := "".join(_node(node) for _, kind, node in taken.kinds if kind == "step"):
        transaction.write("APPEND", f"nodes:{no}", nodes)
    if others := [_other(seq, kind) for seq, kind, _ in taken.kinds if kind != "step"]:
        transaction.write("RPUSH", f"others:{no}", *others)
    for name, parts in (("bodies", taken.bodies), ("lists", taken.lists)):
        for seq, text in parts.items():
            transaction.write("HSET", f"{name}:{no}", seq, text)
    need_definitions(transaction, no, taken.definitions)


def define(transaction: Transaction, no: int, hash_: str, definition: str) -> None:
    """Keep a definition that a run goes by."""
    transaction.write("HSETNX", "definitions", hash_, texts.sealed(definition))
    need_definitions(transaction, no, [hash_])


def need_definitions(transaction: Transaction, no: int, hashes: Iterable[str]) -> None:
    """Note which definitions a run may need: they stay as long as it does."""
    for hash_ in hashes:
        transaction.write("SADD", f"needs:{no}", hash_)
        transaction.write("SADD", f"users:{hash_}", no)


def add_snapshot(transaction: Transaction, no: int, seq: int, taken: Snapshot) -> None:
    """Write a snapshot."""
    body, lists = texts.snapshot_texts(no, seq, taken)
    transaction.write("HSET", f"bodies:{no}", seq, body)
    if lists is not None:
        transaction.write("HSET", f"lists:{no}", seq, lists)


def add_first_rows(
    transaction: Transaction, policy: SnapshotPolicy, track: Track, run_id: str, rows: Sequence[Row]
) -> None:
    """Append a new run's first rows, which may bring snapshots of their own."""
    left = iter(rows)

    def insert(columns: Columns) -> None:
        add_row(transaction, track.no, run_id, next(left), columns)

    def write(track: Track, values: Mapping[str, Json]) -> None:
        taken = snapshot(track, values, frozenset(), policy, lambda: ())
        if taken is not None:
            add_snapshot(transaction, track.no, track.version, taken)

    first_rows(track, policy, rows, insert, write)


def add_entry(transaction: Transaction, written: str, link: AuditEntry) -> None:
    """Append an entry to the audit, unless somebody else has appended one since it was looked at."""
    transaction.require(written, "GET", "audited")
    text = dumps([link.number, link.entry, link.previous, link.hash])
    transaction.write("ZADD", "audit", link.number, text)
    transaction.write("SET", "audited", link.number)


def member(no: int, name: str) -> str:
    """Write what is listed in order of time: of the same moment, what is of the younger run comes later."""
    return f"{no:010d}:{name}"


def _node(node: str | None) -> str:
    """Write a step's node as ``nodes`` has it: JSON, a comma behind it."""
    return f"{dumps(node)},"


def _other(seq: int, kind: str) -> str:
    """Write a row that is no step as ``others`` has it."""
    return f"{seq} {kind}"
