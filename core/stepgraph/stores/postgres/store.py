"""Runs in a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeAlias, TypeVar

import psycopg
from psycopg import errors

from ...values.errors import Conflict, StoreUnreachable, UnknownRun
from ...values.json_values import Json
from .. import encoding
from ..audit import AuditEntry, entries_of
from ..base import Damage, Listing, StoredReview, StoredRun
from ..encoding import SEQ_BITS, SEQ_MASK, Damaged
from ..ledger import FORKED, Pointer, Row, RowKind, RunStatus
from ..listing import reviews_from
from ..outages import PATIENCE, OutageListener, Unanswered, waiting_for
from ..refusals import conflict, deleted, no_definition, replaced, run_exists, unknown_run
from ..sequence import moved_version, require_end, require_sequence
from ..serving import Turns, served
from ..snapshots import SnapshotPolicy, Track, Tracks, rebuild, whole_body, whole_lists
from . import statements
from .address import PostgresAddress, read_address
from .auditing import append_entry, read_links, written_links
from .connection import Link, plain
from .deleting import delete_runs
from .errors import outage, refused, translated
from .tracking import insert_row, insert_rows, read_track, take_over, take_snapshot

_P = ParamSpec("_P")
_T = TypeVar("_T")

_Connection: TypeAlias = psycopg.Connection[Any]

_RUN_COLUMNS = 19
_OFTEN = 1.0
"""After how many seconds the server is asked for news in any case: a notification may be lost."""


class PostgresStore:
    """A store in a database that any number of processes on any number of machines may use.

    It has one connection, on which its methods take turns, and no transaction is open between them. A cut
    connection is made anew, and what was asked is asked again; a commit is looked up first.

    Args:
        address: ``postgresql://user@host/database``; ``?schema=NAME`` is where its tables are.
        on_outage: See the attribute.
        snapshots: When to write snapshots; for tests.
        poll: After how many seconds ``stamp`` asks the server, without having been notified.

    Raises:
        StoreError: The address cannot be read, or the database cannot be used; the message says why.
        StoreUnreachable: The server does not answer.
    """

    def __init__(
        self,
        address: str,
        *,
        on_outage: OutageListener | None = None,
        snapshots: SnapshotPolicy | None = None,
        poll: float = _OFTEN,
    ) -> None:
        self._address = read_address(address)
        self.url = self._address.shown
        """Its address without a password."""
        self.on_outage = waiting_for(PATIENCE) if on_outage is None else on_outage
        """Hears, before each wait, that the server does not answer, and says whether to wait on."""
        self._policy = snapshots or SnapshotPolicy()
        self._poll = poll
        self._link = Link(self._address)
        self._moment: str | None = None
        self._asked_at = 0.0
        self.turns = Turns(self.url, lambda: self.on_outage, self._translating, self._leave_to_parent)
        self._tracks = Tracks()
        self._open(on_outage is not None)

    @property
    def address(self) -> PostgresAddress:
        """Where it is, for other connections to the same database."""
        return self._address

    def _leave_to_parent(self) -> None:
        self._link.leave_to_parent()
        self._tracks = Tracks()

    def _open(self, wait: bool) -> None:
        """Connect for the first time: an address may be wrong, so nobody waits unless somebody listens."""
        try:
            self._link.connection()
        except psycopg.Error as error:
            if not self._link.is_cut_by(error):
                raise translated(error, self._address) from error
            refusal = refused(error, self._address)
            if not wait or not isinstance(refusal, StoreUnreachable):
                raise refusal from error
            self.stamp()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        """Raise the errors of psycopg as StoreErrors, and as Unanswered where the connection was cut."""
        try:
            yield
        except psycopg.Error as error:
            if not self._link.is_cut_by(error):
                raise translated(error, self._address) from error
            self._link.drop()
            raise Unanswered(outage(error)) from error
        except (Damaged, OverflowError, UnicodeError) as error:
            raise translated(error, self._address) from error
        except Exception:
            raise
        except BaseException:  # a Ctrl-C may leave half of an answer behind
            self._link.drop()
            raise

    @served
    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        head, pointer = run
        db = self._link.connection()
        if self.turns.tries and self._is_created(db, run):
            return
        (no,) = _found(db.execute(statements.NEXT_NUMBER).fetchone())
        columns = (no, *encoding.head_columns(head), *encoding.pointer_columns(pointer))
        self.turns.sent = True
        try:
            with db.pipeline(), db.transaction():
                db.execute(statements.INSERT_RUN, (*columns, encoding.run_digest(columns)))
                _define(db, pointer.definition, definition)
                if forked is None:
                    track = insert_rows(db, self._policy, no, rows)
                    track.head, track.created_at = encoding.digest(columns[:6]), columns[3]
                    self._tracks.remember(head.id, track)
                else:
                    take_over(db, no, self._origin(db, forked[0]), forked[1])
                    for row in rows:
                        insert_row(db, encoding.row_columns(no, row))
                db.execute(statements.TELL)
        except errors.UniqueViolation:
            self._tracks.forget(head.id)
            raise run_exists(head.id) from None
        self._link.news = True

    @served
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
            # It may be ours that was cut off, or that a server which had stood still has done after all.
            if not (self.turns.tries and self._is_recorded(self._link.connection(), run_id, row)):
                raise
        self._link.news = True

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
        db = self._link.connection()
        before = row.seq - 1
        track = self._track(db, run_id, before)
        columns = encoding.row_columns(track.no, row)
        moved = encoding.pointer_columns(pointer)
        moved = (*moved, encoding.digest(moved, track.head), track.no, before, run_id, track.created_at)
        added = (*columns, encoding.row_digest(columns))
        # Whoever notifies waits for all others that do, until they are on the disk: steps on the way do not.
        tells = row.kind != "step" or pointer.status is not RunStatus.READY
        move = statements.MOVE_AND_TELL if tells else statements.MOVE
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        track.version = row.seq
        track.changed += encoding.weight(columns)
        due = values is not None and self._policy.may_pay(row.seq - track.last, track.changed, track.estimate)
        self.turns.sent = True
        if definition is None and audit is None and not due:
            self._move(db, move, moved + added, run_id)
        else:
            with db.transaction():
                self._move(db, move, moved + added, run_id)
                if definition is not None:
                    _define(db, pointer.definition, definition)
                if due and values is not None:
                    take_snapshot(db, self._policy, track, values, append_keys)
                if audit is not None:
                    append_entry(db, audit)
        self._tracks.remember(run_id, track)

    @served
    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        db = self._link.connection()
        found = db.execute(statements.RUN, (run_id,)).fetchone()
        if found is None:
            raise self._unknown(db, run_id)
        run = encoding.whole_run(plain(found[:_RUN_COLUMNS]))
        end, kind, step = found[_RUN_COLUMNS:]
        require_end(run, 0 if end is None else end & SEQ_MASK, kind, step)
        return run

    @served
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        db = self._link.connection()
        found = db.execute(statements.VALUES, (run_id, min(seq, SEQ_MASK))).fetchall()
        if not found:
            raise self._unknown(db, run_id)
        parts: list[list[encoding.Columns]] = [[], [], [], []]
        for part, *columns in sorted(found, key=itemgetter(0, 1)):
            parts[part].append(tuple(columns))
        ((_, version, *_),), snapshots, lists, rows = parts
        last, body = 0, None
        for columns in snapshots:
            whole_lists(columns[:4], columns[4])
            last, body = columns[0] & SEQ_MASK, whole_body(columns[0], *columns[5:])
        behind = [(id_ & SEQ_MASK) - last - 1 for id_, *_ in rows]
        require_sequence(run_id, last + 1, seq, version, len(rows), sum(behind))
        changes = [columns[2:4] for columns in rows if columns[2] is not None]
        return rebuild(body, [whole_lists(columns[:4], columns[4]) for columns in lists], changes)

    @served
    def rows(
        self, run_id: str, after: int = 0, upto: int | None = None, kinds: Iterable[RowKind] | None = None
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
        last = SEQ_MASK if upto is None else upto
        named = None if kinds is None else list(kinds)
        found = self._part(statements.ROWS, run_id, after + 1, last, named)
        return [encoding.whole_row(plain(columns)) for columns in found]

    @served
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        ((count, seconds),) = self._part(statements.MEASURE, run_id, 1, upto, list(FORKED))
        return count, seconds

    @served
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        visits: dict[str, list[int]] = {}
        for id_, node in map(plain, self._part(statements.VISITS, run_id, 1, SEQ_MASK)):
            if node is None:
                raise Damaged(f"a step in the ledger of run {run_id!r} names no node")
            visits.setdefault(node, []).append(id_ & SEQ_MASK)
        return visits

    @served
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        asked = None if status is None else status.value
        found: Listing[StoredRun] = Listing()
        for columns in self._link.connection().execute(statements.RUNS, (asked, limit)):
            try:
                found.append(encoding.whole_run(plain(columns)))
            except Damaged as error:
                found.damages.append(Damage(str(error), columns[1]))
        return found

    @served
    def stamp(self) -> object:
        """Give what each commit changes; the server is asked when it has told of one, and now and then."""
        self._link.listen()
        now = time.monotonic()
        if self._link.news or now - self._asked_at >= self._poll:
            self._link.news = False
            (self._moment,) = _found(self._link.connection().execute(statements.MOMENT).fetchone())
            self._asked_at = now
        return self._moment

    @served
    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        return dict(self._link.connection().execute(statements.VERSIONS).fetchall())

    @served
    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        db = self._link.connection()
        self.turns.sent = True
        with db.transaction():
            gone = delete_runs(db, versions)
            for entry in entries_of(gone, audit):
                append_entry(db, entry)
            db.execute(statements.TELL)
        if self.turns.tries:  # the attempt before may have succeeded
            there = dict(db.execute(statements.VERSIONS).fetchall())
            gone = [run_id for run_id in versions if run_id not in there]
        self._link.news = True
        for run_id in gone:
            self._tracks.forget(run_id)
        return gone

    @served
    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        found = self._link.connection().execute(statements.REVIEW, (review_id,)).fetchall()
        if not found:
            return None
        if found[0][0] is None or len({columns[0] for columns in found}) > 1:
            raise Damaged(f"the rows of review {review_id!r} belong to no run, or to several")
        run = encoding.whole_run(plain(found[0][:_RUN_COLUMNS]))
        return StoredReview(run, [encoding.whole_row(plain(columns[_RUN_COLUMNS:])) for columns in found])

    @served
    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others, by one query."""
        query = statements.PENDING_REVIEWS if pending else statements.OTHER_REVIEWS
        return reviews_from(map(plain, self._link.connection().execute(query, (limit,))))

    @served
    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit behind a number."""
        return read_links(self._link.connection(), after, limit)

    @served
    def audit_end(self) -> int:
        """Read the number of the last entry that was ever written."""
        return written_links(self._link.connection())

    @served
    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        found = self._link.connection().execute(statements.DEFINITION, (hash_,)).fetchone()
        if found is None:
            raise no_definition(hash_, self.url)
        return encoding.definition_from(hash_, *found)

    @served
    def about(self) -> dict[str, str]:
        """Tell the server's version, the schema and what a power cut may lose."""
        db = self._link.connection()
        (version,) = _found(db.execute("SELECT version FROM schema_version").fetchone())
        return {
            "server": f"PostgreSQL {db.info.parameter_status('server_version')}",
            "schema": f"{self._address.schema}, version {version}",
            "durability": _durability(db),
        }

    def close(self) -> None:
        """Close the connection; who waits for the server in another thread gives up."""
        self.turns.end(self._link.drop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _part(
        self, statement: str, run_id: str, first: int, last: int, *more: object
    ) -> list[encoding.Columns]:
        """Read a part of a run's ledger, and check that it is whole."""
        db = self._link.connection()
        found = db.execute(statement, (run_id, first, last, *more)).fetchall()
        if not found:
            raise self._unknown(db, run_id)
        _, version, count, total = found[0][:4]
        require_sequence(run_id, first, last, version, count, total or 0)
        return [columns[4:] for columns in found if columns[4] is not None]

    def _track(self, db: _Connection, run_id: str, version: int) -> Track:
        """Find what is known of a run at ``version``; asks the server when another process moved it."""
        track = self._tracks.known(run_id, version)
        if track is None:
            track, found = read_track(db, run_id, version)
            if found is None:
                raise deleted(run_id)
            if track is None:
                raise conflict(run_id, version, found)
        return track

    def _move(self, db: _Connection, statement: str, bindings: tuple[Any, ...], run_id: str) -> None:
        """Move a run by a row, or say why that cannot be done."""
        if db.execute(statement, bindings).fetchone() is None:
            raise self._overtaken(db, run_id, bindings[14])

    def _overtaken(self, db: _Connection, run_id: str, expected: int) -> Conflict:
        found = db.execute(statements.PLACE, (run_id,)).fetchone()
        if found is None:
            raise deleted(run_id)
        version = moved_version(*found)
        return conflict(run_id, expected, version) if version != expected else replaced(run_id)

    def _origin(self, db: _Connection, run_id: str) -> int:
        found = db.execute(statements.ORIGIN, (run_id,)).fetchone()
        if found is None:
            raise self._unknown(db, run_id)
        no: int = found[0]
        return no

    def _unknown(self, db: _Connection, run_id: str) -> UnknownRun:
        return unknown_run(run_id, [found for (found,) in db.execute(statements.IDS)])

    def _is_recorded(self, db: _Connection, run_id: str, row: Row) -> bool:
        """Tell whether a row is in the ledger although the answer to its commit was cut."""
        found = db.execute(statements.RECORDED, (run_id, row.seq)).fetchone()
        return found is not None and plain(found[:-1]) == encoding.row_columns(found[0] >> SEQ_BITS, row)

    def _is_created(self, db: _Connection, run: StoredRun) -> bool:
        """Tell whether a run is in the store although the answer to its creation was cut."""
        found = db.execute(statements.RUN, (run.head.id,)).fetchone()
        return found is not None and encoding.whole_run(plain(found[:_RUN_COLUMNS])) == run


def _define(db: _Connection, hash_: str, definition: str) -> None:
    columns = (hash_, definition)
    db.execute(statements.KEEP_DEFINITIONS)
    db.execute(statements.DEFINE, (*columns, encoding.digest(columns)))


def _found(row: encoding.Columns | None) -> encoding.Columns:
    """Give the row of a statement that always has one."""
    assert row is not None  # noqa: S101  # for the type checker
    return row


def _durability(db: _Connection) -> str:
    """Say what a power cut may lose, as the server is set."""
    settings = "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
    fsync, commit = _found(db.execute(settings).fetchone())
    if fsync == "off":
        return "none: a power cut may destroy the whole database (fsync is off)"
    if commit == "off":
        return "a power cut may lose the last commits (synchronous_commit is off)"
    return f"a power cut loses no commit (synchronous_commit is {commit})"
