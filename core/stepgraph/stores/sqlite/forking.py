"""What a fork takes over of the run that it is forked from."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import apsw

from .. import encoding
from ..encoding import SEQ_MASK, row_id, row_name
from ..ledger import FORKED

_KINDS = ",".join(f"'{kind}'" for kind in FORKED)


def measure(db: apsw.Connection, origin: int, upto: int) -> tuple[int, float]:
    """Count the rows that a fork takes over of a run, and sum up how long their nodes ran."""
    query = "SELECT count(*), total(iif(kind = 'step', duration, 0)) FROM ledger WHERE id BETWEEN ? AND ?"
    found: tuple[int, float] | None = db.execute(
        f"{query} AND kind IN ({_KINDS})", (row_id(origin, 1), row_id(origin, upto))
    ).fetchone()
    return found or (0, 0.0)


def take_over(db: apsw.Connection, no: int, origin: int, upto: int) -> None:
    """Copy what a fork takes over of a run's rows, and the snapshots at them, with all that is in them.

    Args:
        db: The store.
        no: The number of the fork, which has no rows yet.
        origin: The number of the run that it is forked from.
        upto: The sequence number of the last row that is taken over.

    Raises:
        Damaged: One of them is not as it was written.
    """
    bounds = (row_id(origin, 1), row_id(origin, upto))
    rest = encoding.LEDGER.removeprefix("id, ")
    db.execute(
        f"INSERT INTO ledger(id, {rest}, digest) SELECT new, {rest}, renumbered(digest, id, new, {rest}) FROM"  # noqa: S608  # constants
        f" (SELECT ?3 + row_number() OVER (ORDER BY id) AS new, id, {rest}, digest FROM ledger"  # constants
        f" WHERE id BETWEEN ?1 AND ?2 AND kind IN ({_KINDS}) ORDER BY id)",
        (*bounds, row_id(no, 0)),
    )
    left = [
        id_
        for (id_,) in db.execute(
            f"SELECT id FROM ledger WHERE id BETWEEN ? AND ? AND kind NOT IN ({_KINDS}) ORDER BY id",  # noqa: S608  # constants
            bounds,
        )
    ]

    def seq(id_: int) -> int:
        return (id_ & SEQ_MASK) - bisect_right(left, id_)

    taken: list[tuple[Any, ...]] = db.execute(
        "SELECT id, base, lengths, tails, digest FROM snapshots WHERE id BETWEEN ? AND ?", bounds
    ).fetchall()
    for id_, base, lengths, tails, stored in taken:
        encoding.require(stored, (id_, base, lengths, tails), f"the snapshot at {row_name(id_)}")
        db.execute(
            "INSERT INTO snapshots(id, base, lengths, tails, body, digest, body_digest)"
            " SELECT ?1, ?2, lengths, tails, body, digest(?1, ?2, lengths, tails), body_digest"
            " FROM snapshots WHERE id = ?3",
            (row_id(no, seq(id_)), seq(row_id(origin, base)), id_),
        )
