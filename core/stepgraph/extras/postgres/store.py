"""Runs in a PostgreSQL database."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeAlias

import psycopg
from psycopg import errors

from ...stores import encoding
from ...stores.audit import entries_of
from ...stores.base import AuditEntry, BigValue, Listing, StoredReview, StoredRun
from ...stores.big_values import columns_of
from ...stores.encoding import Damaged, moved_version
from ...stores.ledger import FORKED, Pointer, Row, RowKind, RunStatus
from ...stores.listing import reviews_from
from ...stores.opening import deleted, moved, no_definition, replaced, run_exists, unknown_run
from ...stores.serving import Claim, ClaimLost, OutageListener, ServedStore, Unanswered, served
from ...stores.snapshots import SnapshotPolicy, Track
from ...values.errors import Conflict, StoreError
from ...values.json_values import Json
from . import statements
from .address import PostgresAddress, read_address
from .connection import Link, outage, plain, refused, translated
from .reading import (
    append_entry,
    delete_runs,
    insert_big_values,
    insert_row,
    insert_rows,
    is_created,
    is_recorded,
    list_runs,
    read_big_value,
    read_links,
    read_part,
    read_review,
    read_rows,
    read_run,
    read_track,
    read_values,
    read_visits,
    take_over,
    take_snapshot,
    written_links,
)


def lost(run_id: str) -> ClaimLost:
    """Refuse a commit whose claim is lost."""
    return ClaimLost(
        f"run {run_id!r} now belongs to another worker",
        hint="what its node has just done is not recorded, and the node is executed again",
    )


_Connection: TypeAlias = psycopg.Connection[Any]

_RUN_COLUMNS = 19
_OFTEN = 1.0
"""After how many seconds the server is asked for news in any case: a notification may be lost."""


class PostgresStore(ServedStore):
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
        self._given, self._address = address, read_address(address)
        super().__init__(self._address.shown, on_outage, snapshots)
        self.claims: dict[str, Claim] = {}
        """The claims of whoever drives runs over this store, by run: commits need them."""
        self._link = Link(self._address)
        self._poll = poll
        self._moment: str | None = None
        self._asked_at = 0.0
        self._open(on_outage is not None)

    @property
    def address(self) -> PostgresAddress:
        """Where it is, for other connections to the same database."""
        return self._address

    def another(self) -> Self:
        """Open another connection to the same schema, as the same user."""
        return type(self)(self._given, snapshots=self._policy, poll=self._poll)

    def answer_within(self, seconds: float) -> None:
        """Take the server for one that does not answer once it has said nothing for so long."""
        self._link.set_patience(seconds)

    def _connect(self) -> None:
        self._link.connection()

    def _disconnect(self) -> None:
        self._link.drop()

    def _heed_fork(self) -> None:
        self._link.leave_to_parent()
        super()._heed_fork()

    def _refusal(self, error: Unanswered) -> StoreError:
        cause = error.__cause__
        return refused(cause, self._address) if isinstance(cause, psycopg.Error) else super()._refusal(error)

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
        if self.turns.tries and is_created(db, run):
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
                        insert_row(db, *columns_of(no, row, self._policy.big))
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
            if not (self.turns.tries and is_recorded(self._link.connection(), run_id, row, self._policy.big)):
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
        columns, bodies = columns_of(track.no, row, self._policy.big)
        placed = encoding.pointer_columns(pointer)
        placed = (*placed, encoding.digest(placed, track.head), track.no, before, run_id, track.created_at)
        added = (*columns, encoding.row_digest(columns))
        # Whoever notifies waits for all others that do, until they are on the disk: steps on the way do not.
        tells = row.kind != "step" or pointer.status is not RunStatus.READY
        claim = self.claims.get(run_id)
        move = statements.move(tells, claim.rows if claim is not None else "")
        moves = placed + added + (claim.values if claim is not None else ())
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        track.version = row.seq
        track.changed += encoding.weight(columns)
        due = values is not None and self._policy.may_pay(row.seq - track.last, track.changed, track.estimate)
        self.turns.sent = True
        if definition is None and audit is None and not due and not bodies:
            self._move(db, move, moves, run_id)
        else:
            with db.transaction():
                self._move(db, move, moves, run_id)
                insert_big_values(db, columns[0], bodies)
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
        return read_run(self._link.connection(), run_id)

    @served
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        return read_values(self._link.connection(), run_id, seq)

    @served
    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq`` and leave big values where they are."""
        return {**read_values(self._link.connection(), run_id, seq, whole=False)}

    @served
    def big_value(self, run_id: str, hash_: str) -> Json:
        """Read a big value that an outline has left out."""
        return read_big_value(self._link.connection(), run_id, hash_)

    @served
    def rows(
        self, run_id: str, after: int = 0, upto: int | None = None, kinds: Iterable[RowKind] | None = None
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
        named: list[str] | None = None if kinds is None else [*kinds]
        return read_rows(self._link.connection(), run_id, after, upto, named)

    @served
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        db = self._link.connection()
        ((count, seconds),) = read_part(db, statements.MEASURE, run_id, 1, upto, list(FORKED))
        return count, seconds

    @served
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        return read_visits(self._link.connection(), run_id)

    @served
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        return list_runs(self._link.connection(), None if status is None else status.value, limit)

    @served
    def now(self) -> float | None:
        """Read the server's clock."""
        (now,) = _found(self._link.connection().execute(statements.NOW).fetchone())
        return float(now)

    @served
    def stamp(self) -> object:
        """Return what each commit changes; the server is asked when it has told of one, and now and then."""
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
        return read_review(self._link.connection(), review_id)

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

    def _track(self, db: _Connection, run_id: str, version: int) -> Track:
        """Find what is known of a run at ``version``; asks the server when another process moved it."""
        track = self._tracks.known(run_id, version)
        if track is None:
            no, track = self._tracks.number(run_id), read_track(db, run_id, version)
            if track is None or no not in (None, track.no):
                raise self._overtaken(db, run_id, no, version)
        return track

    def _move(self, db: _Connection, statement: str, bindings: tuple[Any, ...], run_id: str) -> None:
        """Move a run by a row, or say why that cannot be done."""
        if db.execute(statement, bindings).fetchone() is None:
            raise self._overtaken(db, run_id, *bindings[13:15])

    def _overtaken(self, db: _Connection, run_id: str, no: int | None, expected: int) -> StoreError:
        """Make the error for a run that could not be moved.

        Args:
            db: The store.
            run_id: The run.
            no: Its number, where that is known.
            expected: The version at which it was.
        """
        found = db.execute(statements.PLACE, (run_id,)).fetchone()
        if found is None:
            return deleted(run_id, surely=self._link.made == 1)
        version = moved_version(*found)
        if version != expected and no in (None, found[0]):
            return moved(run_id, expected, version)
        return lost(run_id) if version == expected and run_id in self.claims else replaced(run_id)

    def _origin(self, db: _Connection, run_id: str) -> int:
        found = db.execute(statements.ORIGIN, (run_id,)).fetchone()
        if found is None:
            raise unknown_run(run_id)
        no: int = found[0]
        return no


def _define(db: _Connection, hash_: str, definition: str) -> None:
    columns = (hash_, definition)
    db.execute(statements.KEEP_DEFINITIONS)
    db.execute(statements.DEFINE, (*columns, encoding.digest(columns)))


def _found(row: encoding.Columns | None) -> encoding.Columns:
    """Give the row of a statement that always has one."""
    assert row is not None  # noqa: S101  # for the type checker
    return row


def _durability(db: _Connection) -> str:
    """Describe what a power cut may lose, as the server is set."""
    settings = "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
    fsync, commit = _found(db.execute(settings).fetchone())
    if fsync == "off":
        return "none: a power cut may destroy the whole database (fsync is off)"
    if commit == "off":
        return "a power cut may lose the last commits (synchronous_commit is off)"
    return f"a power cut loses no commit (synchronous_commit is {commit})"
