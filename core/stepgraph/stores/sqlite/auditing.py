"""The audit of a file that another store or version has written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import apsw

from ...values.json_values import Json
from .. import encoding
from ..audit import GENESIS, chained, entry_of, is_entered
from ..base import AuditEntry
from ..encoding import SEQ_BITS, SEQ_MASK, row_id
from ..sql import link_columns

_ENTERED = (
    f"SELECT {encoding.LEDGER}, digest FROM ledger"  # noqa: S608  # constant columns
    " WHERE kind IN ('decision', 'edit', 'stop') ORDER BY at, id"
)
_ASKED = "SELECT review FROM ledger WHERE kind = 'review' AND id BETWEEN ? AND ?"
_RUN = f"SELECT no, {encoding.RUN}, digest FROM runs WHERE no = ?"  # noqa: S608  # constant


def last_entry_number(db: apsw.Connection) -> int:
    """Read the number of the last entry that was ever written."""
    found = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit'").fetchone()
    return found[0] if found is not None and type(found[0]) is int else 0


def _add(db: apsw.Connection, link: AuditEntry) -> None:
    query = "INSERT INTO audit(number, entry, previous, hash) VALUES(?,?,?,?)"
    db.execute(query, link_columns(link))


def _append(db: apsw.Connection, entry: Mapping[str, Json]) -> None:
    last = db.execute("SELECT number, previous, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    number, previous, hash_ = last or (0, "", GENESIS)
    _add(db, chained(AuditEntry(max(number, last_entry_number(db)), {}, previous, hash_), entry))


def take_over(db: apsw.Connection, links: Iterable[AuditEntry], last: int) -> None:
    """Copy the audit of the store that a new one is a copy of into it, as it is; call it in a transaction.

    Args:
        db: The new store.
        links: The links; where there are none, the decisions are entered that there are now.
        last: The number of the last one that was ever written there.
    """
    for link in links:
        _add(db, link)
    if last > last_entry_number(db):
        db.execute("DELETE FROM sqlite_sequence WHERE name = 'audit'")
        db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('audit', ?)", (last,))
    if last == 0:  # it is of a version without one
        enter_decisions(db)


def enter_decisions(db: apsw.Connection) -> None:
    """Add an audit entry for each decision of a file that had no audit, marked as carried over.

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
            _append(db, {**entry_of(head, row), "carried": True})
