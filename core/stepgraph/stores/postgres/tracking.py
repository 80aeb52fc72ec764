"""Adding rows, and a snapshot where one is due: each with its checksum; also those that a fork takes over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import psycopg

from ...values.json_values import Json
from .. import encoding
from ..big_values import Bodies
from ..encoding import SEQ_BITS, SEQ_MASK, row_id
from ..forking import left_out, moved_snapshots, stretches
from ..ledger import FORKED, Row
from ..snapshots import SnapshotPolicy, Track, first_rows, snapshot
from . import statements
from .connection import plain


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
