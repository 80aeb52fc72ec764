"""Snapshots: when one is written, what is in it, and how a past state is rebuilt.

A snapshot has every key of the state in full, except for the lists of ``append`` keys: of these
it has only what was added since the snapshot before. So an item is stored twice at most, in its
row and in one snapshot, and rebuilding a state reads about as much as the state itself weighs,
however long the run is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import apsw

from ..values.json_values import Json, dumps
from .encoding import SEQ_MASK, Damaged, loads, row_id, table
from .ledger import Row, replay


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """When a snapshot is worth its room."""

    min_rows: int = 50
    """Never sooner than this many rows after the last one."""
    max_rows: int = 2_000
    """After this many rows also when it outweighs the changes, as long as it is small."""
    small: int = 128 * 1024
    """What is small, in characters of JSON."""

    def may_pay(self, rows: int, changed: int, estimate: int) -> bool:
        """True when it is time to weigh a snapshot, going by the estimate of its weight."""
        return rows >= self.min_rows and self.pays(rows, changed, estimate)

    def pays(self, rows: int, changed: int, weight: int) -> bool:
        """True when the changes since the last snapshot weigh as much as this one."""
        return changed >= weight or (rows >= self.max_rows and weight < self.small)


@dataclass(slots=True)
class Track:
    """What a connection remembers of a run, to tell quickly whether a snapshot is due."""

    no: int
    version: int
    """The version for which the rest holds: another process may have moved the run on."""
    last: int = 1
    """The row of the last snapshot; the first row serves as one."""
    base: int = 1
    """The oldest snapshot that the lists of the last one need."""
    lengths: dict[str, int] = field(default_factory=dict)
    """How long the lists of the append keys were in the last snapshot."""
    changed: int = 0
    """What the rows since have changed, in characters of JSON."""
    estimate: int = 0
    """What the next snapshot will weigh at least."""


def read_track(connection: apsw.Connection, no: int, version: int) -> Track:
    """The track of a run, from the store."""
    track = Track(no, version)
    last = connection.execute(
        "SELECT id, base, lengths, length(body) FROM snapshots"
        " WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (row_id(no, 0), row_id(no, version)),
    ).fetchone()
    if last is not None:
        track.last, track.base, track.estimate = last[0] & SEQ_MASK, last[1], last[3]
        track.lengths = {} if last[2] is None else loads(last[2])
    weights = "SELECT total(length(updates)), total(length(ops)) FROM ledger WHERE id BETWEEN ? AND ?"
    if last is None:
        track.estimate = int(connection.execute(weights, (row_id(no, 1), row_id(no, 1))).get[0])
    updates, ops = connection.execute(weights, (row_id(no, track.last + 1), row_id(no, version))).get
    track.changed = int(updates + ops)
    return track


def write(
    connection: apsw.Connection,
    track: Track,
    values: Mapping[str, Json],
    append_keys: frozenset[str],
    policy: SnapshotPolicy,
) -> None:
    """Write a snapshot of the state at the track's version, unless it turns out too heavy.

    Rows that touch an append key must say so in their ops, from the last snapshot on.
    """
    rows = track.version - track.last
    lists = {name: items for name in append_keys if type(items := values.get(name)) is list}
    body = dumps({name: None if name in lists else value for name, value in values.items()})
    weight = len(body)
    lengths, tails, base = None, None, track.version
    if lists and policy.pays(rows, track.changed, weight):
        reset = _reset_since(connection, track)
        kept = {name: 0 if name in reset else track.lengths.get(name, 0) for name in lists}
        tails = dumps({name: items[kept[name] :] for name, items in lists.items()})
        lengths = dumps({name: len(items) for name, items in lists.items()})
        weight += len(tails)
        if any(kept.values()):
            base = track.base
    if not policy.pays(rows, track.changed, weight):
        track.estimate = max(weight, track.changed + track.changed // 4)
        return
    connection.execute(
        "INSERT INTO snapshots(id, base, lengths, tails, body) VALUES(?,?,?,?,?)",
        (row_id(track.no, track.version), base, lengths, tails, body),
    )
    track.last, track.base, track.changed, track.estimate = track.version, base, 0, len(body)
    track.lengths = {name: len(items) for name, items in lists.items()}


def _reset_since(connection: apsw.Connection, track: Track) -> set[str]:
    """The append keys whose lists did anything but grow since the last snapshot."""
    ops = connection.execute(
        "SELECT DISTINCT ops FROM ledger WHERE id BETWEEN ? AND ? AND ops IS NOT NULL",
        (row_id(track.no, track.last + 1), row_id(track.no, track.version)),
    )
    return {name for (text,) in ops for name, op in loads(text).items() if op != "append"}


def rebuild(connection: apsw.Connection, no: int, seq: int) -> dict[str, Json]:
    """The state of run number ``no`` after row ``seq``.

    Raises:
        Damaged: The rows do not add up to a state.
    """
    try:
        return _rebuilt(connection, no, seq)
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # what replaying nonsense raises
        raise Damaged(f"the changes of its run number {no} do not add up to a state ({error})") from error


def _rebuilt(connection: apsw.Connection, no: int, seq: int) -> dict[str, Json]:
    last = 0
    values: dict[str, Json] = {}
    snapshot = connection.execute(
        "SELECT id, base, lengths, body FROM snapshots WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
        (row_id(no, 0), row_id(no, seq)),
    ).fetchone()
    if snapshot is not None:
        last = snapshot[0] & SEQ_MASK
        values = table(snapshot[3]) or {}
        if snapshot[2] is not None:
            values.update(_lists(connection, row_id(no, snapshot[1]), snapshot[0]))
    changes = connection.execute(
        "SELECT updates, ops FROM ledger WHERE id BETWEEN ? AND ? AND updates IS NOT NULL ORDER BY id",
        (row_id(no, last + 1), row_id(no, seq)),
    ).fetchall()
    return replay(values, _rows(changes))


def _lists(connection: apsw.Connection, first: int, last: int) -> dict[str, Json]:
    """The lists of the append keys in the snapshot ``last``, put together from ``first`` on."""
    parts = connection.execute(
        "SELECT lengths, tails FROM snapshots WHERE id BETWEEN ? AND ? ORDER BY id", (first, last)
    )
    lists: dict[str, list[Json]] = {}
    for lengths_text, tails_text in parts:
        before, lists = lists, {}
        lengths = loads(lengths_text)
        for name, tail in loads(tails_text).items():
            kept = lengths[name] - len(tail)
            lists[name] = tail
            if kept:
                lists[name] = before[name]
                lists[name] += tail
    return {**lists}


def _rows(changes: Iterable[tuple[Any, ...]]) -> list[Row]:
    """The changes as rows; all are parsed in one go, and equal ops only once."""
    known: dict[str | None, Any] = {None: None}
    changes = list(changes)
    parsed = loads("[" + ",".join([updates for updates, _ in changes]) + "]")
    rows = []
    for updates, (_, ops) in zip(parsed, changes, strict=True):
        if ops not in known:
            known[ops] = loads(ops)
        rows.append(Row(0, "step", 0, updates=updates, ops=known[ops]))
    return rows
