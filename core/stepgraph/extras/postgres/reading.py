"""Reading runs, parts of their ledgers, past states and reviews: each by one statement, and of one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

import psycopg

from ...stores import encoding
from ...stores.audit import GENESIS, chained, link_from
from ...stores.base import AuditEntry, Damage, Listing, StoredReview, StoredRun
from ...stores.big_values import Bodies, Kept, big_value, columns_of, rows_from
from ...stores.encoding import (
    SEQ_BITS,
    SEQ_MASK,
    Damaged,
    left_out,
    moved_snapshots,
    require_end,
    require_sequence,
    row_id,
    stretches,
)
from ...stores.ledger import FORKED, Row, hashes_in
from ...stores.opening import unknown_run
from ...stores.snapshots import SnapshotPolicy, Track, first_rows, rebuild, snapshot, whole_body, whole_lists
from ...values.json_values import Json, dumps
from . import statements
from .connection import plain

_Connection: TypeAlias = psycopg.Connection[Any]

_RUN_COLUMNS = 19


def read_run(db: _Connection, run_id: str) -> StoredRun:
    """Read a run's head and pointer.

    Raises:
        UnknownRun: There is none of that id.
        Damaged: Its ledger does not end where it says.
    """
    found = db.execute(statements.RUN, (run_id,)).fetchone()
    if found is None:
        raise unknown_run(run_id)
    run = encoding.whole_run(plain(found[:_RUN_COLUMNS]))
    end, kind, step = found[_RUN_COLUMNS:]
    require_end(run, 0 if end is None else end & SEQ_MASK, kind, step)
    return run


def list_runs(db: _Connection, status: str | None, limit: int | None) -> Listing[StoredRun]:
    """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
    found: Listing[StoredRun] = Listing()
    for columns in db.execute(statements.RUNS, (status, limit)):
        try:
            found.append(encoding.whole_run(plain(columns)))
        except Damaged as error:
            found.damages.append(Damage(str(error), columns[1]))
    return found


def read_part(
    db: _Connection, statement: str, run_id: str, first: int, last: int, *more: object
) -> list[encoding.Columns]:
    """Read a part of a run's ledger, and check that it is whole."""
    found = db.execute(statement, (run_id, first, last, *more)).fetchall()
    if not found:
        raise unknown_run(run_id)
    _, version, count, total = found[0][:4]
    require_sequence(run_id, first, last, version, count, total or 0)
    return [columns[4:] for columns in found if columns[4] is not None]


def read_rows(
    db: _Connection, run_id: str, after: int, upto: int | None, kinds: list[str] | None
) -> list[Row]:
    """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
    last = SEQ_MASK if upto is None else upto
    found = read_part(db, statements.ROWS, run_id, after + 1, last, kinds)
    whole = (encoding.whole_columns(plain(columns)) for columns in found)
    return rows_from(whole, big_values_of(db, found[0][0] >> SEQ_BITS if found else 0, run_id))


def big_values_of(db: _Connection, no: int, run_id: str) -> Kept:
    """Return what reads big values of a run; these go with it when somebody deletes it meanwhile."""

    def read(statement: str, hashes: list[str]) -> list[encoding.Columns]:
        found = list(map(plain, db.execute(statement, (no, hashes))))
        place = db.execute(statements.PLACE, (run_id,)).fetchone() if len(found) < len(hashes) else (no,)
        if place is None or place[0] != no:
            raise unknown_run(run_id)
        return found

    return Kept(
        f"run {run_id!r}", partial(read, statements.BIG_VALUES), partial(read, statements.BIG_VALUE_SIZES)
    )


def read_visits(db: _Connection, run_id: str) -> dict[str, list[int]]:
    """Find for each visited node the sequence numbers of its step rows."""
    visits: dict[str, list[int]] = {}
    for id_, node in map(plain, read_part(db, statements.VISITS, run_id, 1, SEQ_MASK)):
        if node is None:
            raise Damaged(f"a step in the ledger of run {run_id!r} names no node")
        visits.setdefault(node, []).append(id_ & SEQ_MASK)
    return visits


def read_values(db: _Connection, run_id: str, seq: int, whole: bool = True) -> dict[str, Json]:
    """Rebuild the state after a row: the last snapshot before it, and the rows since.

    Args:
        db: The store.
        run_id: The run.
        seq: The row.
        whole: See ``rebuild``.
    """
    found = db.execute(statements.VALUES, (run_id, min(seq, SEQ_MASK))).fetchall()
    if not found:
        raise unknown_run(run_id)
    parts: list[list[encoding.Columns]] = [[], [], [], []]
    for part, *columns in sorted(found, key=itemgetter(0, 1)):
        parts[part].append(tuple(columns))
    ((no, version, *_),), snapshots, lists, rows = parts
    last, body = 0, None
    for columns in snapshots:
        whole_lists(columns[:4], columns[4])
        last, body = columns[0] & SEQ_MASK, whole_body(columns[0], *columns[5:])
    behind = [(id_ & SEQ_MASK) - last - 1 for id_, *_ in rows]
    require_sequence(run_id, last + 1, seq, version, len(rows), sum(behind))
    changes = [columns[2:4] for columns in rows if columns[2] is not None]
    parts_of_lists = [whole_lists(columns[:4], columns[4]) for columns in lists]
    return rebuild(body, parts_of_lists, changes, big_values_of(db, no, run_id), whole)


def read_big_value(db: _Connection, run_id: str, hash_: str) -> Json:
    """Read a big value of a run."""
    place = db.execute(statements.PLACE, (run_id,)).fetchone()
    if place is None:
        raise unknown_run(run_id)
    return big_value(hash_, big_values_of(db, place[0], run_id))


def read_review(db: _Connection, review_id: str) -> StoredReview | None:
    """Read a review's rows and where its run stands; None for none."""
    found = db.execute(statements.REVIEW, (review_id,)).fetchall()
    if not found:
        return None
    if found[0][0] is None or len({columns[0] for columns in found}) > 1:
        raise Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
    run = encoding.whole_run(plain(found[0][:_RUN_COLUMNS]))
    return StoredReview(run, [encoding.whole_row(plain(columns[_RUN_COLUMNS:])) for columns in found])


def is_recorded(db: _Connection, run_id: str, row: Row, limit: int) -> bool:
    """Check whether a row is in the ledger although the answer to its commit was cut."""
    found = db.execute(statements.RECORDED, (run_id, row.seq)).fetchone()
    return found is not None and plain(found[:-1]) == columns_of(found[0] >> SEQ_BITS, row, limit)[0]


def is_created(db: _Connection, run: StoredRun) -> bool:
    """Check whether a run is in the store although the answer to its creation was cut."""
    found = db.execute(statements.RUN, (run.head.id,)).fetchone()
    return found is not None and encoding.whole_run(plain(found[:_RUN_COLUMNS])) == run


def append_entry(db: psycopg.Connection[Any], entry: Mapping[str, Json]) -> None:
    """Add an entry; to be called in a transaction, behind all that others may wait for."""
    written = written_links(db, statements.AUDIT_END)
    number, previous, hash_ = db.execute(statements.LAST_LINK).fetchone() or (0, "", GENESIS)
    # Behind those that were cut off: their numbers stay missing.
    link = chained(AuditEntry(max(number, written), {}, previous, hash_), entry)
    db.execute(statements.ADD_LINK, (link.number, dumps(link.entry), link.previous, link.hash))


def read_links(db: psycopg.Connection[Any], after: int, limit: int | None) -> list[AuditEntry]:
    """Read the links behind a number, in order; of one that cannot be read the text is its entry."""
    return [link_from(columns) for columns in db.execute(statements.LINKS, (after, limit))]


def written_links(db: psycopg.Connection[Any], statement: str = "SELECT last FROM audit_end") -> int:
    """Read the number of the last entry that was ever written."""
    found = db.execute(statement).fetchone()
    return 0 if found is None else int(found[0])


def delete_runs(db: psycopg.Connection[Any], versions: Mapping[str, int]) -> list[str]:
    """Delete the runs that are still at these versions; to be called in a transaction.

    What is deleted is not read as rows, so that damaged runs can be deleted too.

    Returns:
        Those that were deleted.
    """
    asked = (list(versions), list(versions.values()))
    found = db.execute(statements.DELETE_RUNS, asked).fetchall()
    numbers = ([no for _, no, _ in found],)
    let_go = {definition for _, _, definition in found}
    for (data,) in db.execute(statements.DELETE_ROWS, numbers):
        let_go.update(hashes_in(data))
    db.execute(statements.DELETE_SNAPSHOTS, numbers)
    db.execute(statements.DELETE_BIG, numbers)
    db.execute(statements.DELETE_DEFINITIONS)  # behind the runs: who makes one takes them in this order too
    db.execute(statements.DELETE_UNUSED, (list(let_go),))
    gone = {run_id for run_id, _, _ in found}
    return [run_id for run_id in versions if run_id in gone]


def insert_row(db: psycopg.Connection[Any], columns: encoding.Columns, bodies: Bodies) -> None:
    """Add a row of a ledger, and the big values that it refers to."""
    db.execute(statements.INSERT_ROW, (*columns, encoding.row_digest(columns)))
    insert_big_values(db, columns[0], bodies)


def insert_big_values(db: psycopg.Connection[Any], id_: int, bodies: Bodies) -> None:
    """Add the big values that a row refers to, where its run has them not yet."""
    for hash_, text in bodies.items():
        db.execute(statements.INSERT_BIG, (id_ >> SEQ_BITS, hash_, id_ & SEQ_MASK, text))


def insert_rows(db: psycopg.Connection[Any], policy: SnapshotPolicy, no: int, rows: Sequence[Row]) -> Track:
    """Add a new run's first rows."""
    track = Track(no, 0)

    def write(track: Track, values: Mapping[str, Json]) -> None:
        take_snapshot(db, policy, track, values, frozenset())

    first_rows(track, policy, rows, partial(insert_row, db), write)
    return track


def read_track(db: psycopg.Connection[Any], run_id: str, version: int) -> Track | None:
    """Read what is known of a run at ``version``; None where it is at another one, or there is none."""
    found = db.execute(statements.TRACK, (run_id, version)).fetchone()
    if found is None:
        return None
    head, (at, id_, base, lengths, weight, changed, first) = plain(found[:6]), found[6:]
    if at != version:
        return None
    track = Track(head[0], version, encoding.digest(head), head[3], changed=changed, estimate=first or 0)
    if id_ is not None:
        track.last, track.base, track.estimate = id_ & SEQ_MASK, base, weight
        track.lengths = {} if lengths is None else encoding.loads(lengths)
    return track


def take_snapshot(
    db: psycopg.Connection[Any],
    policy: SnapshotPolicy,
    track: Track,
    values: Mapping[str, Json],
    append_keys: frozenset[str],
) -> None:
    """Write a snapshot of the state at the track's version, if it pays."""
    since = (row_id(track.no, track.last + 1), row_id(track.no, track.version))

    def ops() -> Iterator[str]:
        return (text for (text,) in db.execute(statements.OPS, since))

    def known(hashes: list[str]) -> Iterator[str]:
        return (hash_ for (hash_,) in db.execute(statements.KNOWN_BIG, (track.no, hashes)))

    taken = snapshot(track, values, append_keys, policy, ops, known)
    if taken is not None:
        db.execute(statements.INSERT_SNAPSHOT, taken.columns(since[1]))


def take_over(db: psycopg.Connection[Any], no: int, origin: int, upto: int) -> None:
    """Copy what a fork takes over of a run's rows, with the snapshots at them and what these refer to."""
    bounds = (row_id(origin, 1), row_id(origin, upto))
    left = left_out(map(plain, db.execute(statements.LEFT_OUT, (*bounds, list(FORKED))).fetchall()))
    snapshots = db.execute(statements.SNAPSHOTS_BETWEEN, bounds).fetchall()
    for stretch in stretches(no, origin, left, upto):
        db.execute(statements.COPY_ROWS, stretch)
    for moved in moved_snapshots(no, left, snapshots):
        db.execute(statements.COPY_SNAPSHOT, moved)
    db.execute(statements.COPY_BIG, (no, origin, upto))
