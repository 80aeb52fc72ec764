"""Reading runs, parts of their ledgers, past states and reviews; several statements need a transaction."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import apsw

from ...values.json_values import Json, dumps
from .. import encoding
from ..base import StoredReview, StoredRun
from ..big_values import Kept, big_value, rows_from
from ..encoding import SEQ_BITS, SEQ_MASK, row_id
from ..ledger import Row, RowKind
from ..refusals import unknown_run
from ..snapshots import rebuild, whole_body, whole_lists
from .sequence import check_end, check_sequence

SELECT_RUNS = f"SELECT no, {encoding.RUN}, digest FROM runs"  # noqa: S608  # constant columns
SELECT_RUN = (
    f"SELECT no, {encoding.RUN}, digest,"  # noqa: S608  # constant columns
    f" (SELECT max(id) FROM ledger WHERE id BETWEEN no << {SEQ_BITS} AND (no + 1 << {SEQ_BITS}) - 1)"
    " FROM runs WHERE id = ?"
)
_SELECT_ROWS = f"SELECT {encoding.LEDGER}, digest FROM ledger"  # noqa: S608  # constant columns


def number_of(db: apsw.Connection, run_id: str) -> int | None:
    """Find a run's number; None for no run."""
    found: tuple[int] | None = db.execute("SELECT no FROM runs WHERE id = ?", (run_id,)).fetchone()
    return None if found is None else found[0]


def known_number(db: apsw.Connection, run_id: str) -> int:
    """Find a run's number; it is asked each time, for it is another run's once this one was deleted.

    Raises:
        UnknownRun: There is none of that id.
    """
    no = number_of(db, run_id)
    if no is None:
        raise unknown_run(run_id)
    return no


def read_run(db: apsw.Connection, run_id: str, columns: encoding.Columns | None) -> StoredRun:
    """Read a run's head and pointer out of what SELECT_RUN has found.

    Raises:
        UnknownRun: That is nothing.
        Damaged: Its ledger does not end where it says.
    """
    if columns is None:
        raise unknown_run(run_id)
    *of_run, end = columns
    run = encoding.whole_run(tuple(of_run))
    check_end(db, run, end)
    return run


def read_values(db: apsw.Connection, run_id: str, seq: int, whole: bool = True) -> dict[str, Json]:
    """Rebuild the state after a row: the last snapshot before it, and the rows since.

    Args:
        db: The store.
        run_id: The run.
        seq: The row.
        whole: See ``rebuild``.
    """
    no, last, body = known_number(db, run_id), 0, None
    lists: list[tuple[Any, ...]] = []
    found = db.execute(
        f"SELECT {encoding.SNAPSHOT}, digest, body, body_digest FROM snapshots"  # noqa: S608  # constants
        " WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (row_id(no, 0), row_id(no, seq)),
    ).fetchone()
    if found is not None:
        whole_lists(found[:4], found[4])
        last, body = found[0] & SEQ_MASK, whole_body(found[0], *found[5:])
        if found[2] is not None:
            lists = _lists(db, row_id(no, found[1]), found[0])
    since = (row_id(no, last + 1), row_id(no, seq))
    changes = db.execute(
        "SELECT updates, ops FROM ledger WHERE id BETWEEN ? AND ? AND updates IS NOT NULL ORDER BY id",
        since,
    ).fetchall()
    check_sequence(db, run_id, *since)
    return rebuild(body, lists, changes, big_values_of(db, no, f"run {run_id!r}"), whole)


def read_big_value(db: apsw.Connection, run_id: str, hash_: str) -> Json:
    """Read a big value of a run."""
    return big_value(hash_, big_values_of(db, known_number(db, run_id), f"run {run_id!r}"))


def _lists(db: apsw.Connection, first: int, last: int) -> list[tuple[Any, ...]]:
    """Read the lengths and tails of some snapshots."""
    found = db.execute(
        f"SELECT {encoding.SNAPSHOT}, digest FROM snapshots"  # noqa: S608  # constants
        " WHERE id BETWEEN ? AND ? ORDER BY id",
        (first, last),
    )
    return [whole_lists(columns[:-1], columns[-1]) for columns in found]


def read_rows(
    db: apsw.Connection, run_id: str, after: int, upto: int | None, kinds: Iterable[RowKind] | None
) -> list[Row]:
    """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
    query = _SELECT_ROWS + " WHERE id BETWEEN ? AND ?"
    named: tuple[str, ...] = ()
    if kinds is not None:
        named = tuple(kinds)
        query += f" AND kind IN ({','.join('?' * len(named))})"
    no = known_number(db, run_id)
    bounds = (row_id(no, after + 1), row_id(no, SEQ_MASK if upto is None else upto))
    whole = map(encoding.whole_columns, db.execute(query + " ORDER BY id", bounds + named))
    rows = rows_from(whole, big_values_of(db, no, f"run {run_id!r}"))
    check_sequence(db, run_id, *bounds)
    return rows


def big_values_of(db: apsw.Connection, no: int, name: str) -> Kept:
    """Give what reads big values of a run.

    Args:
        db: The store.
        no: The run's number.
        name: The run in words.
    """

    def read(columns: str, hashes: list[str]) -> apsw.Cursor:
        asked = "run = ? AND hash IN (SELECT value FROM json_each(?))"
        query = f"SELECT {columns} FROM big_values WHERE {asked}"  # noqa: S608  # constants
        return db.execute(query, (no, dumps(hashes)))

    return Kept(name, partial(read, "hash, body"), partial(read, "hash, octet_length(body)"))


def read_visits(db: apsw.Connection, run_id: str) -> dict[str, list[int]]:
    """Find for each visited node the sequence numbers of its step rows."""
    visits: dict[str, list[int]] = {}
    no = known_number(db, run_id)
    found = db.execute(
        "SELECT node, id & ?3 FROM ledger WHERE id BETWEEN ?1 AND ?2 AND kind = 'step' ORDER BY id",
        (row_id(no, 1), row_id(no, SEQ_MASK), SEQ_MASK),
    )
    for node, seq in found:
        seqs = visits.get(node)
        if seqs is not None:
            seqs.append(seq)
        elif type(node) is str:
            visits[node] = [seq]
        else:
            raise encoding.Damaged(f"a step in the ledger of run {run_id!r} names no node")
    check_sequence(db, run_id, row_id(no, 1), row_id(no, SEQ_MASK))
    return visits


def read_review(db: apsw.Connection, review_id: str) -> StoredReview | None:
    """Read a review's rows and where its run stands; None for none.

    Raises:
        Damaged: The rows belong to no run, or to several.
    """
    rows: list[encoding.Columns] = db.execute(
        _SELECT_ROWS + " WHERE review = ? ORDER BY id", (review_id,)
    ).fetchall()
    if not rows:
        return None
    numbers = {columns[0] >> SEQ_BITS for columns in rows}
    run = db.execute(SELECT_RUNS + " WHERE no = ?", (numbers.pop(),)).fetchone()
    if run is None or numbers:
        raise encoding.Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
    return StoredReview(encoding.whole_run(run), [encoding.whole_row(columns) for columns in rows])
