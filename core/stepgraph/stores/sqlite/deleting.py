"""Deleting runs with all that is theirs, and the definitions that nobody needs any more."""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from ..encoding import SEQ_MASK, row_id
from ..ledger import hashes_in
from .sequence import MADE


def delete_runs(db: apsw.Connection, versions: Mapping[str, int]) -> dict[str, int]:
    """Delete the runs that are still at these versions; to be called in a transaction.

    What is deleted is not read as rows, so that damaged runs can be deleted too.

    Returns:
        Those that were deleted, with their numbers, which are not given again.
    """
    deleted: dict[str, int] = {}
    let_go: set[str] = set()
    made = db.execute(f"SELECT {MADE}").get
    for run_id, version in versions.items():
        query = "SELECT no, definition FROM runs WHERE id = ? AND version = ?"
        found = db.execute(query, (run_id, version)).fetchone()
        if found is None:
            continue
        no, definition = found
        its_own = (row_id(no, 0), row_id(no, SEQ_MASK))
        let_go |= {definition, *_adopted(db, *its_own)}
        db.execute("DELETE FROM ledger WHERE id BETWEEN ? AND ?", its_own)
        db.execute("DELETE FROM snapshots WHERE id BETWEEN ? AND ?", its_own)
        db.execute("DELETE FROM big_values WHERE run = ?", (no,))
        db.execute("DELETE FROM runs WHERE no = ?", (no,))
        deleted[run_id] = no
    if deleted:
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'runs'")
        db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('runs', ?)", (made,))
    _delete_unused(db, let_go)
    return deleted


def _delete_unused(db: apsw.Connection, hashes: set[str]) -> None:
    """Delete those definitions that no run goes by or went by: a fork may still begin before it adopted."""
    unused = hashes - {hash_ for (hash_,) in db.execute("SELECT DISTINCT definition FROM runs")}
    if unused:  # seldom, for it reads through the ledger
        unused -= _adopted(db, row_id(1, 0), (1 << 63) - 1)
    db.executemany("DELETE FROM definitions WHERE hash = ?", [(hash_,) for hash_ in unused])


def _adopted(db: apsw.Connection, first: int, last: int) -> set[str]:
    """Find the definitions that some rows name which moved a run from one to another."""
    query = "SELECT data FROM ledger WHERE id BETWEEN ? AND ? AND kind = 'adopt' AND data IS NOT NULL"
    return {hash_ for (data,) in db.execute(query, (first, last)) for hash_ in hashes_in(str(data))}
