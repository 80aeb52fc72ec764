"""Reading runs, parts of their ledgers, past states and reviews; several statements need a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import apsw

from ...values.errors import StoreDamaged
from ...values.json_values import Json, dumps
from .. import encoding
from ..audit import GENESIS, chained, entry_of, is_entered, link_from
from ..base import AuditEntry, Damage, Listing, StateStore, StoredReview, StoredRun
from ..big_values import Bodies, Kept, big_value, rows_from
from ..encoding import (
    SEQ_BITS,
    SEQ_MASK,
    SUM_MASK,
    left_out,
    moved_snapshots,
    require_end,
    require_sequence,
    row_id,
    stretches,
)
from ..ledger import FORKED, Row, RowKind, RunStatus, hashes_in
from ..listing import REVIEW_ROW, REVIEW_RUN, reviews_from
from ..opening import no_review, unknown_run
from ..snapshots import SnapshotPolicy, Track, first_rows, rebuild, snapshot, whole_body, whole_lists

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


_PENDING = """
    SELECT runs.no AS no, runs.review AS review, asked.at AS at, asked.id AS last
    FROM runs LEFT JOIN ledger AS asked ON asked.review = runs.review AND asked.kind = 'review'
    WHERE runs.status = 'paused' ORDER BY at, last LIMIT ?"""
_OTHERS = f"""
    SELECT id >> {SEQ_BITS} AS no, review, -max(at) AS at, -max(id) AS last
    FROM ledger
    WHERE review IS NOT NULL
        AND review NOT IN (SELECT review FROM runs WHERE status = 'paused' AND review IS NOT NULL)
    GROUP BY review ORDER BY 3, 4 LIMIT ?"""  # noqa: S608  # constant
_LIST = f"""
    WITH wanted AS MATERIALIZED (%s)
    SELECT wanted.review, wanted.no, {REVIEW_RUN}, {REVIEW_ROW}
    FROM wanted
    LEFT JOIN runs ON runs.no = wanted.no
    LEFT JOIN ledger ON ledger.review = wanted.review
    ORDER BY wanted.at, wanted.last, ledger.id"""  # noqa: S608  # constant columns


def list_reviews(db: apsw.Connection, pending: bool, limit: int | None) -> Listing[StoredReview]:
    """List the reviews that paused runs wait for, or all the others; see ``StateStore.reviews``."""
    query = _LIST % (_PENDING if pending else _OTHERS)
    return reviews_from(db.execute(query, (-1 if limit is None else limit,)).fetchall())


def each_review(store: StateStore, pending: bool, limit: int | None) -> Listing[StoredReview]:
    """List the reviews of a store where the list cannot be read at once: each is read by itself."""
    runs = store.runs(RunStatus.PAUSED if pending else None)
    found: list[StoredReview] = []
    damages = list(runs.damages)
    for run in runs:
        try:
            rows = [] if pending else store.rows(run.head.id, kinds=("review",))
            waits = run.pointer.review if run.pointer.status is RunStatus.PAUSED else None
            for id_ in [waits] if pending else {row.review for row in rows} - {waits}:
                review = store.review(id_ or "")
                if review is None:
                    damages.append(Damage(no_review(id_ or ""), run.head.id))
                else:
                    found.append(review)
        except StoreDamaged as error:
            damages.append(Damage(error.what, run.head.id))
    if pending:
        found.sort(key=lambda review: review.rows[0].at)
    else:
        found.sort(key=lambda review: review.rows[-1].at, reverse=True)
    return Listing(found[:limit], damages)


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
    """Return what reads big values of a run.

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


_INSERT_ROW = f"INSERT INTO ledger({encoding.LEDGER}, digest) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_INSERT_SNAPSHOT = (
    f"INSERT INTO snapshots({encoding.SNAPSHOT}, digest, body, body_digest)"  # constants
    " VALUES(?,?,?,?,?,?,?)"
)
_INSERT_BIG = "INSERT INTO big_values(run, hash, seq, body) VALUES(?,?,?,?) ON CONFLICT DO NOTHING"


def insert_row(cursor: apsw.Cursor, columns: encoding.Columns, bodies: Bodies) -> None:
    """Add a row of a ledger, and the big values that it refers to where the run has them not yet."""
    cursor.execute(_INSERT_ROW, (*columns, encoding.row_digest(columns)))
    if bodies:
        no, seq = columns[0] >> SEQ_BITS, columns[0] & SEQ_MASK
        cursor.executemany(_INSERT_BIG, [(no, hash_, seq, text) for hash_, text in bodies.items()])


def insert_rows(db: apsw.Connection, policy: SnapshotPolicy, no: int, rows: Sequence[Row]) -> Track:
    """Add a new run's first rows."""
    track, cursor = Track(no, 0), db.cursor()

    def write(track: Track, values: Mapping[str, Json]) -> None:
        take_snapshot(db, policy, track, values, frozenset())

    first_rows(track, policy, rows, partial(insert_row, cursor), write)
    return track


def read_track(db: apsw.Connection, no: int, version: int) -> Track:
    """Read what is known of a run at ``version``."""
    head = db.execute(f"SELECT no, {encoding.HEAD} FROM runs WHERE no = ?", (no,)).fetchone()  # noqa: S608  # constants
    track = Track(no, version, encoding.digest(head or ()), head[3] if head is not None else 0.0)
    last = db.execute(
        "SELECT id, base, lengths, length(body) FROM snapshots"
        " WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (row_id(no, 0), row_id(no, version)),
    ).fetchone()
    if last is None:
        track.estimate = _weight(db, no, 1, 1)
    else:
        track.last, track.base, track.estimate = last[0] & SEQ_MASK, last[1], last[3]
        track.lengths = {} if last[2] is None else encoding.loads(last[2])
    track.changed = _weight(db, no, track.last + 1, version)
    return track


def _weight(db: apsw.Connection, no: int, first: int, last: int) -> int:
    """Count what rows of a run changed, in characters of JSON."""
    return int(
        db.execute(
            "SELECT total(length(updates)) + total(length(ops)) FROM ledger WHERE id BETWEEN ? AND ?",
            (row_id(no, first), row_id(no, last)),
        ).get
    )


def take_snapshot(
    db: apsw.Connection,
    policy: SnapshotPolicy,
    track: Track,
    values: Mapping[str, Json],
    append_keys: frozenset[str],
) -> None:
    """Write a snapshot of the state at the track's version, if it pays."""
    since = (row_id(track.no, track.last + 1), row_id(track.no, track.version))

    def ops() -> Iterator[str]:
        query = "SELECT DISTINCT ops FROM ledger WHERE id BETWEEN ? AND ? AND ops IS NOT NULL"
        return (text for (text,) in db.execute(query, since))

    def known(hashes: list[str]) -> Iterator[str]:
        query = "SELECT hash FROM big_values WHERE run = ? AND hash IN (SELECT value FROM json_each(?))"
        return (hash_ for (hash_,) in db.execute(query, (track.no, dumps(hashes))))

    taken = snapshot(track, values, append_keys, policy, ops, known)
    if taken is not None:
        db.execute(_INSERT_SNAPSHOT, taken.columns(since[1]))
