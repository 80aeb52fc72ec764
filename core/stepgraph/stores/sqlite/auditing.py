"""The audit of a SQLite store: a table that is only added to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import apsw

from ...values.json_values import Json, dumps
from .. import encoding
from ..audit import GENESIS, chained, entry_of, is_entered, link_from
from ..base import AuditEntry
from ..encoding import SEQ_BITS, SEQ_MASK, row_id

TABLE = """
    -- AUTOINCREMENT, for SQLite remembers the last number then: entries that are cut off are missed.
    CREATE TABLE audit(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        entry TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_keeps_entries BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit is never deleted'); END;
    CREATE TRIGGER audit_keeps_texts BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit is never changed'); END;
    -- Else INSERT OR REPLACE would delete one.
    CREATE TRIGGER audit_goes_on BEFORE INSERT ON audit
    WHEN NEW.number <= (SELECT seq FROM sqlite_sequence WHERE name = 'audit')
    BEGIN SELECT RAISE(ABORT, 'an entry of the audit comes after the others'); END;
    """

_ENTERED = (
    f"SELECT {encoding.LEDGER}, digest FROM ledger"  # noqa: S608  # constant columns
    " WHERE kind IN ('decision', 'edit', 'stop') ORDER BY at, id"
)
_ASKED = "SELECT review FROM ledger WHERE kind = 'review' AND id BETWEEN ? AND ?"
_RUN = f"SELECT no, {encoding.RUN}, digest FROM runs WHERE no = ?"  # noqa: S608  # constant


def append_entry(db: apsw.Connection, entry: Mapping[str, Json]) -> None:
    """Add an entry; to be called in a transaction."""
    last = db.execute("SELECT number, previous, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    number, previous, hash_ = last or (0, "", GENESIS)
    # Behind those that were cut off: their numbers stay missing.
    insert_link(db, chained(AuditEntry(max(number, written(db)), {}, previous, hash_), entry))


def insert_link(db: apsw.Connection, link: AuditEntry) -> None:
    """Add a link of the chain as it is."""
    columns = (link.number, dumps(link.entry), link.previous, link.hash)
    db.execute("INSERT INTO audit(number, entry, previous, hash) VALUES(?,?,?,?)", columns)


def read_links(db: apsw.Connection, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
    """Read the links behind a number, in order; of one that cannot be read the text is its entry."""
    query = "SELECT number, entry, previous, hash FROM audit WHERE number > ? ORDER BY number LIMIT ?"
    found = db.execute(query, (after, -1 if limit is None else limit))
    return [link_from(columns) for columns in found]


def written(db: apsw.Connection) -> int:
    """Read the number of the last entry that was ever written."""
    found = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
    return found[0] if found is not None and type(found[0]) is int else 0


def take_over_audit(
    db: apsw.Connection, links: Iterable[AuditEntry], last: int, repaired: Mapping[str, Json] | None
) -> None:
    """Put the audit of another store into a new one; to be called in a transaction. See ``take_audit``."""
    for link in links:
        insert_link(db, link)
    if last > written(db):
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'audit'")
        db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('audit', ?)", (last,))
    if last == 0:  # it is of a version without one
        enter_decisions(db)
    if repaired is not None:
        append_entry(db, repaired)


def enter_decisions(db: apsw.Connection) -> None:
    """Give each decision of a file that had no audit an entry, which says that it was carried over.

    So are the edits and stops entered by which a review was withdrawn.
    """
    rows: list[encoding.Columns] = db.execute(_ENTERED).fetchall()
    for columns in rows:
        no = columns[0] >> SEQ_BITS
        run: encoding.Columns | None = db.execute(_RUN, (no,)).fetchone()
        if run is None:
            continue
        try:
            row, head = encoding.whole_row(columns), encoding.whole_run(run).head
        except encoding.Damaged:
            continue  # it is told as damaged, and is no evidence of anything
        asked = {id_ for (id_,) in db.execute(_ASKED, (row_id(no, 0), row_id(no, SEQ_MASK)))}
        if is_entered(row, asked):
            append_entry(db, {**entry_of(head, row), "carried": True})
