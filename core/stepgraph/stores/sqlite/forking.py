"""What a fork takes over of the run that it is forked from."""

from __future__ import annotations

from typing import Any

import apsw

from .. import encoding
from ..encoding import SUM_MASK, row_id
from ..forking import left_out, moved_snapshots, stretches
from ..ledger import FORKED

_KINDS = ",".join(f"'{kind}'" for kind in FORKED)
_REST = encoding.LEDGER.removeprefix("id, ")
_LEFT = (
    f"SELECT {encoding.LEDGER}, digest FROM ledger"  # noqa: S608  # constants
    f" WHERE id BETWEEN ? AND ? AND kind NOT IN ({_KINDS}) ORDER BY id"
)
_COPY_ROWS = (
    f"INSERT INTO ledger(id, {_REST}, digest)"  # noqa: S608  # constants
    f" SELECT id + ?3, {_REST}, (digest + ?4) & {SUM_MASK} FROM ledger WHERE id BETWEEN ?1 AND ?2"
)
_SNAPSHOTS = "SELECT id, base FROM snapshots WHERE id BETWEEN ? AND ?"
_COPY_SNAPSHOT = (
    "INSERT INTO snapshots(id, base, lengths, tails, body, digest, body_digest)"  # noqa: S608  # constants
    f" SELECT ?2, ?3, lengths, tails, body, (digest + ?4) & {SUM_MASK}, body_digest"
    " FROM snapshots WHERE id = ?1"
)
_COPY_BIG = (
    "INSERT INTO big_values(run, hash, seq, body)"
    " SELECT ?, hash, 1, body FROM big_values WHERE run = ? AND seq <= ?"
)
"""A fork has them from its start on: which row of its own puts one first, nobody asks."""


def measure(db: apsw.Connection, origin: int, upto: int) -> tuple[int, float]:
    """Count the rows that a fork takes over of a run, and sum up how long their nodes ran."""
    query = "SELECT count(*), total(iif(kind = 'step', duration, 0)) FROM ledger WHERE id BETWEEN ? AND ?"
    found: tuple[int, float] | None = db.execute(
        f"{query} AND kind IN ({_KINDS})", (row_id(origin, 1), row_id(origin, upto))
    ).fetchone()
    return found or (0, 0.0)


def take_over(db: apsw.Connection, no: int, origin: int, upto: int) -> None:
    """Copy what a fork takes over of a run's rows, and the snapshots at them, with all that is in them.

    The big values that they refer to are copied too.

    Args:
        db: The store.
        no: The number of the fork, which has no rows yet.
        origin: The number of the run that it is forked from.
        upto: The sequence number of the last row that is taken over.

    Raises:
        Damaged: A row that is left out is not as it was written: it may be one to take over.
        apsw.ConstraintError: A row or snapshot is none.
    """
    bounds = (row_id(origin, 1), row_id(origin, upto))
    left = left_out(db.execute(_LEFT, bounds))
    db.executemany(_COPY_ROWS, stretches(no, origin, left, upto))
    snapshots: list[Any] = db.execute(_SNAPSHOTS, bounds).fetchall()
    db.executemany(_COPY_SNAPSHOT, moved_snapshots(no, left, snapshots))
    db.execute(_COPY_BIG, (no, origin, upto))
