"""Adding rows, and a snapshot where one is due: each with its checksum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import apsw

from ...values.json_values import Json, dumps
from .. import encoding
from ..big_values import Bodies
from ..encoding import SEQ_BITS, SEQ_MASK, row_id
from ..ledger import Row
from ..snapshots import SnapshotPolicy, Track, first_rows, snapshot

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
