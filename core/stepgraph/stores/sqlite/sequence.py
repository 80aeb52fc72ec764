"""Reading of a run's ledger what tells whether it is whole."""

from __future__ import annotations

import apsw

from ..base import StoredRun
from ..encoding import SEQ_BITS, SEQ_MASK
from ..sequence import require_end, require_sequence

MADE = (
    "max(coalesce((SELECT max(no) FROM runs), 0),"
    " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0))"
)
"""The number that the last run was given; ``sqlite_sequence`` keeps it when that run is deleted."""


def check_end(db: apsw.Connection, run: StoredRun, end: int | None) -> None:
    """Check where a run stands against the last row of its ledger."""
    found = db.execute("SELECT kind, step FROM ledger WHERE id = ?", (end,)).fetchone()
    require_end(run, 0 if end is None else end & SEQ_MASK, *(found or (None, None)))


def check_sequence(db: apsw.Connection, run_id: str, first: int, last: int) -> None:
    """Check that a part of a run's ledger has every row once."""
    found = db.execute(
        "SELECT count(*), total(id - ?1), (SELECT version FROM runs WHERE no = ?3) FROM ledger"
        " WHERE id BETWEEN ?1 AND ?2",
        (first, last, first >> SEQ_BITS),
    ).fetchone()
    count, total, version = found or (0, 0, None)
    require_sequence(run_id, first & SEQ_MASK, last & SEQ_MASK, version, count, total)
