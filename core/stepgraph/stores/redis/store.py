"""Runs on a Redis server."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Concatenate, NoReturn, ParamSpec, Self, TypeVar

import redis

from ...values.errors import Conflict, RunExists, StoreError, StoreUnreachable
from ...values.json_values import Json
from .. import encoding
from ..audit import GENESIS, AuditEntry, chained
from ..base import Damage, Listing, StoredReview, StoredRun
from ..encoding import Damaged, loads
from ..ledger import FORKED, Pointer, Row, RowKind, RunStatus
from ..outages import PATIENCE, UNSURE, OutageListener, Unanswered, outlast, unreachable, waiting_for
from ..refusals import closed, conflict, deleted, no_definition, replaced, run_exists, unknown_run
from ..sequence import require_end
from ..snapshots import SnapshotPolicy, Track, Tracks, first_rows, rebuild, snapshot
from . import scripts, texts
from .address import read_address
from .errors import translated
from .forking import TakenOver, take_over
from .server import RedisServer
from .transaction import Transaction

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _served(
    method: Callable[Concatenate[RedisStore, _P], _T],
) -> Callable[Concatenate[RedisStore, _P], _T]:
    """Let in one thread at a time, repeat what an outage stopped, and raise errors as StoreErrors."""

    @functools.wraps(method)
    def served(self: RedisStore, /, *args: _P.args, **named: _P.kwargs) -> _T:
        if self._process != os.getpid():
            self._begin_in_fork()
        with self._lock:
            if self._closing.is_set():
                raise closed(self.url)
            self._sent = False
            try:
                return outlast(
                    lambda tries: self._attempt(tries, lambda: method(self, *args, **named)),
                    self.url,
                    lambda: self.on_outage,
                    self._closing,
                )
            except StoreUnreachable as gone:
                if self._sent:
                    gone.hint = UNSURE
                raise

    return served


class RedisStore:
    """A store on a Redis server that any number of processes on any number of machines may use.

    It has one connection, on which its methods take turns; each of them is one script. A cut connection is
    made anew, and what was asked is asked again; a commit is looked up first.

    Args:
        address: ``redis://...``, ``rediss://...`` or ``unix:///...``; ``?prefix=`` is what keys begin with.
        on_outage: See the attribute.
        snapshots: When to write snapshots; for tests.

    Raises:
        StoreError: The address cannot be read, or the server cannot be used; the message says why.
        StoreUnreachable: The server does not answer.
    """

    def __init__(
        self,
        address: str,
        *,
        on_outage: OutageListener | None = None,
        snapshots: SnapshotPolicy | None = None,
    ) -> None:
        read = read_address(address)
        self.url = read.shown
        """Its address without a password."""
        self.on_outage = waiting_for(PATIENCE) if on_outage is None else on_outage
        """Hears, before each wait, that the server does not answer, and says whether to wait on."""
        self._policy = snapshots or SnapshotPolicy()
        self._server = RedisServer(read)
        self._tries = 0
        """How many attempts there were before this one at what is asked now."""
        self._sent = False
        """Whether one of them may have written something."""
        self._begin()
        self._open(on_outage is not None)

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._tracks = Tracks()

    def _begin_in_fork(self) -> None:
        """Start anew in a forked process: a lock may be held for ever; redis-py sees to the connection."""
        was_closed = self._closing.is_set()
        self._begin()
        if was_closed:
            self._closing.set()

    def _open(self, wait: bool) -> None:
        """Connect for the first time: an address may be wrong, so nobody waits unless somebody listens."""
        try:
            self._attempt(0, self._server.check)
        except Unanswered as error:
            if not wait:
                raise unreachable(self.url, error.what) from error
            self._look()

    @_served
    def _look(self) -> None:
        self._server.check()

    def _attempt(self, tries: int, method: Callable[[], _T]) -> _T:
        self._tries = tries
        try:
            return method()
        except (redis.RedisError, Damaged, UnicodeError, OSError) as error:
            raise translated(error, self.url) from error

    @_served
    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        try:
            self._create(run, rows, definition, forked)
        except RunExists:
            if not (self._tries and self._load(run.head.id) == run):  # it was ours that was cut off
                raise

    def _create(
        self, run: StoredRun, rows: Sequence[Row], definition: str, forked: tuple[str, int] | None
    ) -> None:
        head, pointer = run
        no = int(self._server.command("INCR", "made"))
        transaction = Transaction(self._server.prefix, no, head.id, None, pointer)
        transaction.begin(head)
        transaction.define(pointer.definition, definition)
        track = Track(no, 0)
        if forked is None:
            self._add_first_rows(transaction, track, rows)
        else:
            transaction.take_over(self._taken_over(no, *forked))
            for row in rows:
                transaction.add_row(row, encoding.row_columns(no, row))
        self._sent = True
        if self._server.commit(transaction) is not None:
            raise run_exists(head.id)
        if forked is None:
            self._tracks.remember(head.id, track)

    def _add_first_rows(self, transaction: Transaction, track: Track, rows: Sequence[Row]) -> None:
        left = iter(rows)

        def insert(columns: encoding.Columns) -> None:
            transaction.add_row(next(left), columns)

        def write(track: Track, values: Mapping[str, Json]) -> None:
            taken = snapshot(track, values, frozenset(), self._policy, lambda: ())
            if taken is not None:
                transaction.add_snapshot(track.version, taken)

        first_rows(track, self._policy, rows, insert, write)

    def _taken_over(self, no: int, origin: str, upto: int) -> TakenOver:
        entry, rows, bodies, lists = self._server.run(scripts.ORIGIN, origin, upto) or self._unknown(origin)
        of_origin, version = _place(origin, entry)
        _check_count(origin, rows, min(upto, version))
        return take_over(no, of_origin, rows, dict(_pairs(bodies)), dict(_pairs(lists)))

    @_served
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
        try:
            self._commit(run_id, row, pointer, values, append_keys, definition, audit)
        except Conflict:
            if not (self._tries and self._has(run_id, row)):  # it was ours that was cut off
                raise

    def _commit(
        self,
        run_id: str,
        row: Row,
        pointer: Pointer,
        values: Mapping[str, Json] | None,
        append_keys: frozenset[str],
        definition: str | None,
        audit: Mapping[str, Json] | None,
    ) -> None:
        before = row.seq - 1
        track = self._track(run_id, before)
        no, columns = track.no, encoding.row_columns(track.no, row)
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        transaction = Transaction(self._server.prefix, no, run_id, before, pointer)
        transaction.add_row(row, columns)
        if definition is not None:
            transaction.define(pointer.definition, definition)
        track.version = row.seq
        track.changed += encoding.weight(columns)
        if values is not None and self._policy.may_pay(row.seq - track.last, track.changed, track.estimate):
            taken = snapshot(
                track, values, append_keys, self._policy, lambda: self._ops(run_id, track, columns)
            )
            if taken is not None:
                transaction.add_snapshot(row.seq, taken)
        if (found := self._write(transaction, audit)) is not None:
            raise self._overtaken(run_id, no, before, found)
        self._tracks.remember(run_id, track)

    def _write(self, transaction: Transaction, audit: Mapping[str, Json] | None) -> str | None:
        """Write a commit, with an entry of the audit; where the run is not as expected, give its version.

        An entry goes behind the last one that was ever written: where some were cut off, they stay missing.
        """
        while True:
            attempt = transaction
            if audit is not None:
                written, text = self._server.run(scripts.LAST_ENTRY)
                last = texts.entry_from(text) if text else AuditEntry(0, {}, "", GENESIS)
                attempt = transaction.without_entry()
                attempt.add_entry(chained(last._replace(number=int(written)), audit))
            self._sent = True
            failed = self._server.commit(attempt)
            if failed is None:
                return None
            if failed[0] == 1:
                return failed[1]

    def _ops(self, run_id: str, track: Track, columns: encoding.Columns) -> set[str]:
        """Find the ops of the rows since the last snapshot, and of the one that is about to be written."""
        entry, rows = self._server.run(scripts.ROWS, run_id, track.last + 1, track.version - 1) or ("", [])
        changes = texts.changes_from(track.no, track.last + 1, rows if entry else [])
        return {ops for _, ops in [*changes, columns[7:9]] if ops is not None}

    def _has(self, run_id: str, row: Row) -> bool:
        """Tell whether a run has this very row."""
        found = self._server.run(scripts.ROWS, run_id, row.seq, row.seq)
        if not found or not found[1]:
            return False
        no, _ = _place(run_id, found[0])
        return bool(found[1][0] == texts.row_text(encoding.row_columns(no, row)))

    @_served
    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        return self._load(run_id)

    def _load(self, run_id: str) -> StoredRun:
        entry, head, pointer, count, last = self._server.run(scripts.RUN, run_id) or self._unknown(run_id)
        no, version = _place(run_id, entry)
        same, run = texts.run_from(run_id, head, pointer)
        if (no, version) != (same, run.pointer.version):
            raise Damaged(f"run {run_id!r} is at version {run.pointer.version}, and was moved to {version}")
        kind, step = texts.row_columns(no, version, last)[1:3] if count == version else (None, None)
        require_end(run, count, kind, step)
        return run

    @_served
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        past = self._server.run(scripts.PAST, run_id, seq, 1) or self._unknown(run_id)
        entry, last, stored, parts, rows = past
        no, version = _place(run_id, entry)
        _check_count(run_id, rows, max(min(seq, version) - last, 0))
        base, body = texts.snapshot_part(no, last, stored) if last else (0, None)
        lists = [texts.snapshot_part(no, at, text)[1].split("\n") for at, text in _pairs(parts)]
        if base and (not parts or parts[-2] != last):
            raise Damaged(f"the snapshot at row {last} of run {run_id!r} has lost its lists")
        changes = texts.changes_from(no, last + 1, rows)
        return rebuild(body, map(tuple, lists), [change for change in changes if change[0] is not None])

    @_served
    def rows(
        self, run_id: str, after: int = 0, upto: int | None = None, kinds: Iterable[RowKind] | None = None
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
        wanted = None if kinds is None else set(kinds)
        last = encoding.SEQ_MASK if upto is None else upto
        if wanted is not None and "step" not in wanted:
            no, pairs = self._others(run_id, after, last, wanted)
        else:
            entry, found = self._server.run(scripts.ROWS, run_id, after + 1, last) or self._unknown(run_id)
            no, version = _place(run_id, entry)
            _check_count(run_id, found, max(min(last, version) - after, 0))
            pairs = enumerate(found, after + 1)
        rows = [texts.row_from(no, seq, stored) for seq, stored in pairs]
        return rows if wanted is None else [row for row in rows if row.kind in wanted]

    def _others(
        self, run_id: str, after: int, last: int, kinds: set[RowKind]
    ) -> tuple[int, Iterable[tuple[int, str]]]:
        """Read rows that are no steps."""
        named = f",{','.join(kinds)},"
        entry, found = self._server.run(scripts.ROWS, run_id, after + 1, last, named) or self._unknown(run_id)
        return _place(run_id, entry)[0], _pairs(found)

    @_served
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        entry, found = self._server.run(scripts.ROWS, run_id, 1, upto) or self._unknown(run_id)
        no, version = _place(run_id, entry)
        _check_count(run_id, found, min(upto, version))
        rows = [texts.row_columns(no, seq, stored) for seq, stored in enumerate(found, 1)]
        taken = [columns for columns in rows if columns[1] in FORKED]
        return len(taken), sum(columns[6] for columns in taken if columns[1] == "step")

    @_served
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        entry, text, others = self._server.run(scripts.NODES, run_id) or self._unknown(run_id)
        _, version = _place(run_id, entry)
        nodes = loads(f"[{text.removesuffix(',')}]")
        apart = {int(other.partition(" ")[0]) for other in others}
        steps = [seq for seq in range(1, version + 1) if seq not in apart]
        if len(nodes) != len(steps):
            raise Damaged(f"run {run_id!r} has {len(steps)} steps, and the nodes of {len(nodes)}")
        visits: dict[str, list[int]] = {}
        for node, seq in zip(nodes, steps, strict=True):
            visits.setdefault(node, []).append(seq)
        return visits

    @_served
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        if limit == 0:
            return Listing()
        statuses = scripts.STATUSES if status is None else (status.value,)
        found = self._server.run(scripts.RUNS, limit or 0, *statuses)
        runs: list[tuple[int, StoredRun]] = []
        damages: list[Damage] = []
        for run_id, head, pointer in zip(*[iter(found)] * 3, strict=True):
            try:
                runs.append(texts.run_from(run_id, head, pointer))
            except Damaged as damage:
                damages.append(Damage(str(damage), run_id))
        runs.sort(key=lambda numbered: (numbered[1].pointer.updated_at, numbered[0]), reverse=True)
        return Listing([run for _, run in runs[:limit]], damages)

    @_served
    def stamp(self) -> object:
        """Give how often anything was written."""
        return self._server.command("GET", "changes")

    @_served
    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        lines = iter(self._server.run(scripts.VERSIONS).split("\n"))
        return {run_id: _place(run_id, entry)[1] for run_id, entry in zip(lines, lines, strict=False)}

    @_served
    def delete_runs(self, versions: Mapping[str, int]) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        asked = [word for pair in versions.items() for word in pair]
        self._sent = True
        gone: list[str] = self._server.run(scripts.DELETE, *asked)
        for run_id in gone:
            self._tracks.forget(run_id)
        if self._tries:  # those that are not there any more were deleted by what was cut off
            there = set(self.versions())
            gone = [run_id for run_id in versions if run_id not in there]
        return gone

    @_served
    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        found = self._server.run(scripts.REVIEW, review_id)
        return texts.review_from(review_id, found) if found else None

    @_served
    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others, by one script."""
        if limit == 0:
            return Listing()
        numbered: list[tuple[int, StoredReview]] = []
        damages: list[Damage] = []
        for review_id, *found in self._server.run(scripts.REVIEWS, int(pending), limit or 0):
            try:
                review = texts.review_from(review_id, found)
                numbered.append((_place(found[0], found[1])[0], review))
            except Damaged as damage:
                damages.append(Damage(str(damage), found[0] or None))
        if pending:
            numbered.sort(key=lambda found: (found[1].rows[0].at, found[0]))
        return Listing([review for _, review in numbered[:limit]], damages)

    @_served
    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit behind a number."""
        most = -1 if limit is None else limit
        found = self._server.command("ZRANGEBYSCORE", "audit", f"({after}", "+inf", "LIMIT", 0, most)
        return [texts.entry_from(text) for text in found]

    @_served
    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        stored = self._server.command("HGET", "definitions", hash_)
        if stored is None:
            raise no_definition(hash_, self.url)
        text = texts.unsealed(stored, 0, f"the definition {hash_!r:.40}")
        return encoding.definition_from(hash_, text, encoding.digest((hash_, text)))

    @_served
    def about(self) -> dict[str, str]:
        """Tell which server it is, and what a power cut may lose."""
        return self._server.about()

    def close(self) -> None:
        """Close the connection; who waits for the server in another thread gives up."""
        if self._process != os.getpid():
            self._begin_in_fork()
        self._closing.set()
        with self._lock:
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unknown(self, run_id: str) -> NoReturn:
        """Refuse an id of no run."""
        _, known = self._server.command("HSCAN", "versions", 0, "COUNT", 1000)
        raise unknown_run(run_id, known)

    def _overtaken(self, run_id: str, no: int, expected: int, entry: str) -> StoreError:
        """Say why a run could not be moved."""
        if not entry:
            return deleted(run_id)
        found, version = _place(run_id, entry)
        return conflict(run_id, expected, version) if version != expected or found == no else replaced(run_id)

    def _track(self, run_id: str, version: int) -> Track:
        """Find what is known of a run at ``version``; asks the server when another process moved it."""
        track = self._tracks.known(run_id, version)
        if track is None:
            past = self._server.run(scripts.PAST, run_id, version, 0)
            if not past:
                raise deleted(run_id)
            entry, last, weight, lists, rows = past
            no, found = _place(run_id, entry)
            if found != version:
                raise conflict(run_id, version, found)
            track = Track(no, version)
            since = rows
            if last:
                track.last, track.base, track.estimate = last, last, int(weight)
                if lists:
                    track.base, text = texts.snapshot_part(no, last, lists[1])
                    track.lengths = loads(text.partition("\n")[0])
            changes = texts.changes_from(no, last + 1, since)
            weights = [len(updates or "") + len(ops or "") for updates, ops in changes]
            if not last:
                track.estimate = weights.pop(0) if weights else 0
            track.changed = sum(weights)
            self._tracks.remember(run_id, track)
        return track


def _place(run_id: str, entry: str) -> tuple[int, int]:
    """Read the number and the version of a run."""
    no, _, rest = entry.partition(":")
    version = rest.partition(":")[0]
    if not (no.isdecimal() and version.isdecimal()):
        raise Damaged(f"run {run_id!r:.200} has no version")
    return int(no), int(version)


def _check_count(run_id: str, rows: Sequence[str], expected: int) -> None:
    """Check that a part of a run's ledger has as many rows as there must be."""
    if len(rows) != expected:
        raise Damaged(f"the ledger of run {run_id!r:.200} has gaps, or rows that are not its own")


def _pairs(flat: Sequence[Any]) -> Iterator[tuple[int, str]]:
    """Read what comes as numbers and texts in turns."""
    return ((int(flat[at]), flat[at + 1]) for at in range(0, len(flat), 2))
