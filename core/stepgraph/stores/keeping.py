"""What every store does, once: a ledger over a backend."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from ..values.errors import StoreError
from ..values.json_values import Json
from . import big_values
from .audit import GENESIS, chained
from .backend import Backend, Changes, Entries, Found, Overtaken, Stale, StoredPlace, WayStep
from .base import AuditEntry, BigValue, Listing, StoredReview, StoredRun
from .encoding import Columns, Damaged, loads, row_id, row_seq, weight
from .ledger import FORKED, Pointer, Row, RowKind, RunStatus, replay
from .opening import (
    commits_lost,
    conflict,
    deleted,
    no_definition,
    replaced,
    run_exists,
    unknown_run,
    version_conflict,
)
from .snapshots import Snapshot, SnapshotPolicy, Track, Tracks, rebuild, snapshot

_B = TypeVar("_B", bound=Backend)
_L = TypeVar("_L", bound="Ledger[Any]")
_P = ParamSpec("_P")
_T = TypeVar("_T")


def turn(method: Callable[Concatenate[_L, _P], _T]) -> Callable[Concatenate[_L, _P], _T]:
    """Serialize calls of a method at the backend."""

    @functools.wraps(method)
    def taking_its_turn(self: _L, /, *args: _P.args, **named: _P.kwargs) -> _T:
        done: _T = self.backend.take(functools.partial(method, self, *args, **named))
        return done

    return taking_its_turn


class Ledger(Generic[_B]):
    """A store over a backend; see ``StateStore`` for what its methods promise.

    Args:
        backend: What it is kept in.
        snapshots: When to write snapshots; for tests.
    """

    def __init__(self, backend: _B, snapshots: SnapshotPolicy | None = None) -> None:
        self.backend = backend
        self.url = backend.url
        self._policy = snapshots or SnapshotPolicy()
        self._tracks = Tracks()

    @turn
    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        while True:
            try:
                return self._create(run, rows, definition, forked)
            except Stale:
                continue

    def _create(
        self, run: StoredRun, rows: Sequence[Row], definition: str, forked: tuple[str, int] | None
    ) -> None:
        head, pointer = run
        changes = Changes(self.backend.new_number(), head, None, pointer, definition=definition)
        track = Track(changes.no, head)
        if forked is None:
            self._add_first(changes, track, rows)
        else:
            self._take_over(changes, *forked)
            for row in rows:
                self._add(changes, row)
        self._tracks.forget(head.id)
        try:
            self.backend.write(changes)
        except Overtaken:
            there = self.backend.find(head.id) if self.backend.tries else None
            if there is None or there.run != run:  # else it is ours, whose answer was cut off
                raise run_exists(head.id) from None
            return
        if forked is None:
            self._tracks.remember(head.id, track)
        else:
            self._tracks.note(head.id, changes.no)

    def _add(self, changes: Changes, row: Row) -> Columns:
        columns, bodies = big_values.columns_of(changes.no, row, self._policy.big)
        changes.rows.append(columns)
        if bodies:
            changes.bodies |= bodies
        return columns

    def _add_first(self, changes: Changes, track: Track, rows: Sequence[Row]) -> None:
        """Add a new run's rows; of many, some bring snapshots.

        These have every list in full: who knows which keys were append keys when the rows were made.
        """
        values: dict[str, Json] = {}
        replayed = 0
        for position, row in enumerate(rows, 1):
            columns = self._add(changes, row)
            track.version = row.seq
            if position == 1:
                track.estimate = weight(*columns[7:9])
                continue
            track.changed += weight(*columns[7:9])
            if self._policy.may_pay(row.seq - track.last, track.changed, track.estimate):
                replay(values, rows[replayed:position])
                replayed = position
                self._take_snapshot(changes, track, values, frozenset())

    def _take_over(self, changes: Changes, origin: str, upto: int) -> None:
        """Add what a fork takes over of another run: rows renumbered, snapshots, and big values."""
        no, upto = self._place(origin, upto)
        with self._as_one(origin, no):
            rows = list(self.backend.rows(no, 1, upto))
            _require_all(origin, len(rows), upto)
            left = [row_seq(row) for row in rows if row[1] not in FORKED]

            def new(seq: int) -> int:
                return seq - bisect_right(left, seq)

            taken = [columns for columns in rows if columns[1] in FORKED]
            changes.rows += [(row_id(changes.no, seq), *row[1:]) for seq, row in enumerate(taken, 1)]
            hashes = dict.fromkeys(
                hash_ for columns in taken for hash_ in big_values.hashes_of(*columns[7:10])
            )
            for found in self._snapshots(no, upto):
                changes.snapshots.append(found._replace(seq=new(found.seq), base=new(found.base)))
            if hashes:
                changes.bodies |= big_values.fetched([*hashes], self._big_value_reader(origin, no))

    @turn
    def commit(
        self,
        run_id: str,
        row: Row,
        pointer: Pointer,
        values: Mapping[str, Json] | None = None,
        append_keys: frozenset[str] = frozenset(),
        definition: str | None = None,
        audit: Mapping[str, Json] | None = None,
    ) -> None:
        """Append one row and move the run, or raise Conflict or UnknownRun and change nothing."""
        before = row.seq - 1
        track = self._track(run_id, before)
        if track is None:
            self._heed_overtaken(run_id, self._tracks.number(run_id), row)
            return
        changes = Changes(track.no, track.head, before, pointer, definition=definition)
        columns = self._add(changes, row)
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        track.version = row.seq
        track.changed += weight(*columns[7:9])
        if values is not None and self._policy.may_pay(row.seq - track.last, track.changed, track.estimate):
            self._take_snapshot(changes, track, values, append_keys)
        try:
            self._write(changes, audit)
        except Overtaken:
            self._heed_overtaken(run_id, track.no, row)
        else:
            self._tracks.remember(run_id, track)

    def _write(self, changes: Changes, audit: Mapping[str, Json] | None) -> None:
        while True:
            if audit is not None:
                changes.entries = self._entries([audit])
            try:
                return self.backend.write(changes)
            except Stale:
                continue

    def _entries(self, entries: Iterable[Mapping[str, Json]]) -> Entries:
        """Chain entries to the audit: behind those that were cut off, which stay missing."""
        written, last = self.backend.audit_end()
        before = last or AuditEntry(0, {}, "", GENESIS)
        links = [before._replace(number=max(before.number, written))]
        for entry in entries:
            links.append(chained(links[-1], entry))
        return Entries(written, links[1:])

    def _heed_overtaken(self, run_id: str, no: int | None, row: Row) -> None:
        """Explain why a run could not be moved, unless the row is there: an answer may be cut off.

        Args:
            run_id: The run.
            no: Its number, where that is known.
            row: The row that it was to be moved by.
        """
        there = self.backend.place(run_id)
        if self.backend.tries and there is not None and there.version >= row.seq:
            columns, _ = big_values.columns_of(there.no, row, self._policy.big)
            if list(self.backend.rows(there.no, row.seq, row.seq)) == [columns]:
                return
        raise self._refusal(run_id, no, row.seq - 1, there)

    def _refusal(self, run_id: str, no: int | None, expected: int, there: StoredPlace | None) -> StoreError:
        if there is not None and no in (None, there.no) and there.version != expected:
            refusal = version_conflict if self.backend.loses else conflict
            return refusal(run_id, expected, there.version)
        is_deleted = self.backend.is_deleted(no)
        if is_deleted is False:
            return commits_lost(
                run_id, "is another one by that id" if there else "is not there, and was not deleted"
            )
        return replaced(run_id) if there else deleted(run_id, surely=is_deleted is True)

    def _track(self, run_id: str, version: int) -> Track | None:
        """Find what is known of a run at a version; None where it is at another one, or is another run."""
        track = self._tracks.get(run_id, version)
        if track is not None:
            return track
        no, found = self._tracks.number(run_id), self.backend.find(run_id)
        if found is None or no not in (None, found.no) or found.run.pointer.version != version:
            return None
        track = self._read_track(found)
        self._tracks.remember(run_id, track)
        return track

    def _read_track(self, found: Found) -> Track:
        no, (head, pointer) = found
        track = Track(no, head, pointer.version)
        last = self.backend.snapshot(no, track.version)
        if last is not None:
            track.last, track.base, track.estimate = last.seq, last.base, len(last.body)
            track.lengths = {} if last.lengths is None else loads(last.lengths)
        first = 1 if last is None else last.seq + 1
        weights = [weight(*change) for change in self.backend.changes(no, first, track.version)]
        if last is None:
            track.estimate = weights.pop(0) if weights else 0
        track.changed = sum(weights)
        return track

    def _take_snapshot(
        self, changes: Changes, track: Track, values: Mapping[str, Json], append_keys: frozenset[str]
    ) -> None:
        """Add a snapshot of the state at the track's version, if it pays."""
        no = track.no

        def ops() -> Iterator[str | None]:
            if changes.before is not None:
                yield from (ops for _, ops in self.backend.changes(no, track.last + 1, changes.before))
            yield from (columns[8] for columns in changes.rows)

        def known(hashes: list[str]) -> set[str]:
            there = {} if changes.before is None else dict(self.backend.big_sizes(no, hashes))
            return changes.bodies.keys() | there.keys()

        taken = snapshot(track, values, append_keys, self._policy, ops, known)
        if taken is not None:
            changes.snapshots.append(taken)

    @turn
    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        found = self.backend.find(run_id)
        if found is None:
            raise unknown_run(run_id)
        self._tracks.note(run_id, found.no)
        return found.run

    @turn
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        return self._past(run_id, seq, whole=True)

    @turn
    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq`` and leave big values where they are."""
        return {**self._past(run_id, seq, whole=False)}

    def _past(self, run_id: str, seq: int, whole: bool) -> dict[str, Json]:
        no, seq = self._place(run_id, seq)
        with self._as_one(run_id, no):
            found = self.backend.snapshot(no, seq)
            last, body = (0, None) if found is None else (found.seq, found.body)
            lists: list[tuple[str | None, str | None]] = []
            if found is not None and found.lengths is not None:
                lists = self.backend.lists(no, found.base, last)
            changes = self.backend.changes(no, last + 1, seq)
            _require_all(run_id, len(changes), seq - last)
            changed = [change for change in changes if change[0] is not None]
            return rebuild(body, lists, changed, self._big_value_reader(run_id, no), whole)

    @turn
    def snapshots(self, run_id: str) -> list[int]:
        """Find the rows after which there is a snapshot, the last one first."""
        no, last = self._place(run_id)
        with self._as_one(run_id, no):
            return [taken.seq for taken in self._snapshots(no, last)]

    def _snapshots(self, no: int, upto: int) -> Iterator[Snapshot]:
        while (taken := self.backend.snapshot(no, upto)) is not None:
            yield taken
            upto = taken.seq - 1

    @turn
    def big_value(self, run_id: str, hash_: str) -> Json:
        """Read a big value that an outline has left out."""
        no, _ = self._place(run_id)
        return big_values.big_value(hash_, self._big_value_reader(run_id, no))

    @turn
    def rows(
        self,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: Iterable[RowKind] | None = None,
        with_data: bool = False,
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds, or those with data."""
        no, last = self._place(run_id, upto)
        with self._as_one(run_id, no):
            named = None if kinds is None else tuple(kinds)
            found = self.backend.rows(no, after + 1, last, named, with_data)
            rows = big_values.rows_from(found, self._big_value_reader(run_id, no))
            is_all = named is None and not with_data
            count = len(rows) if is_all else self.backend.count(no, after + 1, last)
            _require_all(run_id, count, last - after)
            return rows

    @turn
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        way = [(kind, seconds) for kind, _, seconds in self._way(run_id, upto) if kind in FORKED]
        return len(way), sum(seconds for kind, seconds in way if kind == "step")

    @turn
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        visits: dict[str, list[int]] = {}
        for seq, (kind, node, _) in enumerate(self._way(run_id), 1):
            if kind != "step":
                continue
            if type(node) is not str:
                raise Damaged(f"a step in the ledger of run {run_id!r} names no node")
            visits.setdefault(node, []).append(seq)
        return visits

    def _way(self, run_id: str, upto: int | None = None) -> Sequence[WayStep]:
        no, last = self._place(run_id, upto)
        with self._as_one(run_id, no):
            way = self.backend.way(no, last)
            _require_all(run_id, len(way), last)
            return way

    @turn
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        return self.backend.runs(status, limit)

    @turn
    def now(self) -> float | None:
        """Read the server's clock; None without a server, or the right to."""
        return self.backend.now()

    @turn
    def stamp(self) -> object:
        """Return what stays equal as long as nobody commits anything."""
        return self.backend.stamp()

    @turn
    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        return self.backend.versions()

    @turn
    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        for run_id in versions:
            self._tracks.forget(run_id)
        entries = audit or {}
        while True:
            there = self.backend.versions() if entries else {}
            audited = [
                run for run, version in versions.items() if run in entries and there.get(run) == version
            ]
            added = self._entries(entries[run_id] for run_id in audited) if audited else None
            try:
                gone = self.backend.delete(versions, audited, added)
            except Stale:
                continue
            break
        if self.backend.tries:  # those that are not there any more were deleted by what was cut off
            there = self.backend.versions()
            return [run_id for run_id in versions if run_id not in there]
        return gone

    @turn
    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        return self.backend.review(review_id)

    @turn
    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others."""
        return self.backend.reviews(pending, limit)

    @turn
    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit after a number."""
        return self.backend.links(after, limit)

    @turn
    def audit_end(self) -> int:
        """Read the number of the last entry that was ever written."""
        return self.backend.audit_end().written

    @turn
    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        found = self.backend.definition(hash_)
        if found is None:
            raise no_definition(hash_, self.url)
        return found

    def close(self) -> None:
        """Close the store; closing twice does nothing."""
        self.backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _place(self, run_id: str, upto: int | None = None) -> tuple[int, int]:
        """Find a run's number, and its last row up to one.

        Raises:
            UnknownRun: There is none of that id.
        """
        place = self.backend.place(run_id)
        if place is None:
            raise unknown_run(run_id)
        return place.no, place.version if upto is None else min(upto, place.version)

    def _big_value_reader(self, run_id: str, no: int) -> big_values.Kept:
        """Return what reads big values of a run."""
        return big_values.Kept(
            f"run {run_id!r}",
            functools.partial(self.backend.big_values, no),
            functools.partial(self.backend.big_sizes, no),
        )

    @contextmanager
    def _as_one(self, run_id: str, no: int) -> Iterator[None]:
        """Take what is missing of a run that somebody deletes meanwhile for no damage.

        Raises:
            UnknownRun: It is not there any more.
        """
        try:
            yield
        except Damaged:
            there = self.backend.place(run_id)
            if there is None or there.no != no:
                raise unknown_run(run_id) from None
            raise


def _require_all(run_id: str, count: int, expected: int) -> None:
    """Check that a part of a run's ledger has as many rows as there must be.

    Raises:
        Damaged: Some are missing, or too many.
    """
    if count != max(expected, 0):
        raise Damaged(f"the ledger of run {run_id!r:.200} has gaps, or rows that are not its own")
