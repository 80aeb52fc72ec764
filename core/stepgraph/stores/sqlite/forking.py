"""What a fork takes over of the run that it is forked from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import apsw

from .. import encoding
from ..encoding import SEQ_MASK, SUM_MASK, place, row_id, row_name
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
_COPY_SNAPSHOT = (
    "INSERT INTO snapshots(id, base, lengths, tails, body, digest, body_digest)"  # noqa: S608  # constants
    f" SELECT ?2, ?3, lengths, tails, body, (digest + ?4) & {SUM_MASK}, body_digest"
    " FROM snapshots WHERE id = ?1"
)


def measure(db: apsw.Connection, origin: int, upto: int) -> tuple[int, float]:
    """Count the rows that a fork takes over of a run, and sum up how long their nodes ran."""
    query = "SELECT count(*), total(iif(kind = 'step', duration, 0)) FROM ledger WHERE id BETWEEN ? AND ?"
    found: tuple[int, float] | None = db.execute(
        f"{query} AND kind IN ({_KINDS})", (row_id(origin, 1), row_id(origin, upto))
    ).fetchone()
    return found or (0, 0.0)


def take_over(db: apsw.Connection, no: int, origin: int, upto: int) -> None:
    """Copy what a fork takes over of a run's rows, and the snapshots at them, with all that is in them.

    SQLite copies them, and each checksum is moved with its row (see ``place``): none is computed anew. So
    what is damaged is so in the fork too. What is left out is read, and is as it was written.

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
    left = []
    for columns in db.execute(_LEFT, bounds):
        encoding.require(columns[-1], encoding.row_digest(columns[:-1]), row_name(columns[0]))
        left.append(columns[0] & SEQ_MASK)
    db.executemany(_COPY_ROWS, _stretches(no, origin, left, upto))

    def seq(of_origin: int) -> int:
        return of_origin - bisect_right(left, of_origin)

    snapshots = []
    for id_, base in db.execute("SELECT id, base FROM snapshots WHERE id BETWEEN ? AND ?", bounds):
        was = place(id_, base)
        new = row_id(no, seq(id_ & SEQ_MASK)), seq(base)
        snapshots.append((id_, *new, place(*new) - was & SUM_MASK))
    db.executemany(_COPY_SNAPSHOT, snapshots)


def _stretches(no: int, origin: int, left: list[int], upto: int) -> Iterator[tuple[int, int, int, int]]:
    """Find the rows that stay together: their first and last id, and what is added to ids and checksums."""
    start = 1
    for gone, seq in enumerate([*left, upto + 1]):
        if start < seq:
            first, new = row_id(origin, start), row_id(no, start - gone)
            yield first, row_id(origin, seq - 1), new - first, place(new) - place(first) & SUM_MASK
        start = seq + 1
