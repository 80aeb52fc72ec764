"""Runs in a SQLite file."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import apsw

from ...values.errors import Conflict, StoreError
from ...values.json_values import Json
from .. import encoding
from ..audit import entries_of
from ..base import AuditEntry, BigValue, Listing, StoredReview, StoredRun
from ..big_values import columns_of
from ..encoding import moved_version, row_id
from ..ledger import Pointer, Row, RowKind, RunStatus
from ..opening import ADDRESSES, closed, conflict, deleted, no_definition, replaced, run_exists
from ..process_forks import register
from ..snapshots import SnapshotPolicy, Track, Tracks
from . import opening as checksums
from .opening import Durability, Standing, connect, exclusive, inherited_open, located, never_free, translated
from .reading import (
    MADE,
    SELECT_RUN,
    SELECT_RUNS,
    append_entry,
    check_sequence,
    delete_runs,
    each_review,
    insert_row,
    insert_rows,
    known_number,
    list_reviews,
    measure,
    number_of,
    read_big_value,
    read_links,
    read_review,
    read_rows,
    read_run,
    read_track,
    read_values,
    read_visits,
    take_over,
    take_over_audit,
    take_snapshot,
    written,
)
from .recovery import DELETED, LastCommit, OpenFile
from .schema import Transaction

if TYPE_CHECKING:
    from ..opening import Salvage

_PATIENCE = 1.0
"""How long a fork waits for another thread that uses a store, beside its busy_timeout, in seconds."""
_DAMAGED = (apsw.CorruptError, apsw.IOError, encoding.Damaged, UnicodeError)
_INSERT_RUN = f"INSERT INTO runs(no, {encoding.RUN}, digest) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_MOVE_RUN = (
    f"UPDATE runs SET ({encoding.POINTER}, digest) = (?,?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608  # constant columns
    " WHERE no = ? AND version = ? AND id = ? AND created_at = ?"
)


def open_sqlite(address: str) -> SqliteStore:
    """Open the store at ``sqlite:///path``, or at the plain path of a file.

    Raises:
        StoreError: The address names no file, or it cannot be used.
    """
    if address[:7].lower() != "sqlite:":
        return SqliteStore(address)
    if not address.startswith("///", 7) or not address[10:]:
        raise StoreError(f"the store address {address!r} names no file", hint=ADDRESSES)
    return SqliteStore(address[10:])


class SqliteStore:
    """A store in a file that several processes may use at the same time.

    Args:
        path: The file; it and its folders are made where missing.
        durability: ``full``: a power cut loses no commit. ``normal``: it may lose the last ones, and
            a commit waits for no disk. Neither loses anything when the process is killed.
        busy_timeout: How long to wait for another process that is writing, in seconds.
        snapshots: When to write snapshots; for tests.

    Raises:
        StoreError: The file cannot be used; the message says why.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        durability: Durability = "full",
        busy_timeout: float = 5.0,
        snapshots: SnapshotPolicy | None = None,
    ) -> None:
        self.path = located(path)
        self.url = f"sqlite:///{self.path}"
        self._busy_timeout = busy_timeout
        self._policy = snapshots or SnapshotPolicy()
        self._lock = threading.RLock()
        self._durability = durability
        try:
            self._open()
        except (apsw.Error, encoding.Damaged, UnicodeError) as error:
            raise translated(error, self.path, self.url, busy_timeout) from error
        register(self)

    def _open(self, before: OpenFile | None = None) -> None:
        """Open the file; it is to be the one that was open ``before``."""
        self._db = connect(self.path, self._durability, self._busy_timeout)
        try:
            self._file = OpenFile(self.path, self._db.filename_wal, before)
        except StoreError:
            self._db.close()
            raise
        self._last = LastCommit(self.path, synced=self._durability == "full")
        self._tracks = Tracks()
        self._transaction = Transaction(self._db)
        self._cursor = self._db.cursor()  # for what every commit writes
        self._reading = Transaction(self._db, "DEFERRED")
        self._standing: Standing = "open"

    @exclusive
    def create(
        self,
        run: StoredRun,
        rows: Sequence[Row],
        definition: str,
        forked: tuple[str, int] | None = None,
    ) -> None:
        """Add a run with its first rows; RunExists when there is one of that id."""
        head, pointer = run
        with self._transaction:
            if number_of(self._db, head.id) is not None:
                raise run_exists(head.id)
            no = self._db.execute(f"SELECT {MADE} + 1").get
            columns = (no, *encoding.head_columns(head), *encoding.pointer_columns(pointer))
            self._db.execute(_INSERT_RUN, (*columns, encoding.run_digest(columns)))
            self._define(pointer.definition, definition)
            if forked is None:
                track = insert_rows(self._db, self._policy, no, rows)
                track.head, track.created_at = encoding.digest(columns[:6]), columns[3]
            else:
                origin, upto = forked
                take_over(self._db, no, known_number(self._db, origin), upto)
                for row in rows:
                    insert_row(self._cursor, *columns_of(no, row, self._policy.big))
                track = read_track(self._db, no, pointer.version)
        self._file.look()
        self._last.note(no, pointer.version)
        self._tracks.remember(head.id, track)

    @exclusive
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
        if self._file.lost:
            self._file.look()
        before = row.seq - 1
        track = self._track(run_id, before)
        columns, bodies = columns_of(track.no, row, self._policy.big)
        moved = encoding.pointer_columns(pointer)
        moved = (*moved, encoding.digest(moved, track.head), track.no, before, run_id, track.created_at)
        self._tracks.forget(run_id)  # until the commit has succeeded nothing of it is certain
        with self._transaction:
            self._cursor.execute(_MOVE_RUN, moved)
            if self._db.changes() != 1:
                raise self._overtaken(run_id, before)
            insert_row(self._cursor, columns, bodies)
            if definition is not None:
                self._define(pointer.definition, definition)
            if audit is not None:
                append_entry(self._db, audit)
            track.version = row.seq
            track.changed += encoding.weight(columns)
            if values is not None and self._policy.may_pay(
                row.seq - track.last, track.changed, track.estimate
            ):
                take_snapshot(self._db, self._policy, track, values, append_keys)
        self._file.look()  # behind the commit: what went to a file that nobody finds is not there
        self._last.note(track.no, row.seq)
        self._tracks.remember(run_id, track)

    @exclusive
    def load(self, run_id: str) -> StoredRun:
        """Read the run's head and pointer."""
        found = self._db.execute(SELECT_RUN, (run_id,)).fetchone()
        self._file.look()
        return read_run(self._db, run_id, found)

    @exclusive
    def values(self, run_id: str, seq: int) -> dict[str, Json]:
        """Rebuild the state after row ``seq``: the last snapshot before it, and the rows since."""
        with self._reading:
            return read_values(self._db, run_id, seq)

    @exclusive
    def outline(self, run_id: str, seq: int) -> dict[str, Json | BigValue]:
        """Rebuild the state after row ``seq`` and leave big values where they are."""
        with self._reading:
            return {**read_values(self._db, run_id, seq, whole=False)}

    @exclusive
    def big_value(self, run_id: str, hash_: str) -> Json:
        """Read a big value that an outline has left out."""
        with self._reading:
            return read_big_value(self._db, run_id, hash_)

    @exclusive
    def rows(
        self, run_id: str, after: int = 0, upto: int | None = None, kinds: Iterable[RowKind] | None = None
    ) -> list[Row]:
        """Read the rows with ``after < seq <= upto`` in order, of the given kinds."""
        with self._reading:
            return read_rows(self._db, run_id, after, upto, kinds)

    @exclusive
    def measure_fork(self, run_id: str, upto: int) -> tuple[int, float]:
        """Count the rows that a fork takes over, and sum up how long their nodes ran."""
        with self._reading:
            no = known_number(self._db, run_id)
            check_sequence(self._db, run_id, row_id(no, 1), row_id(no, upto))
            return measure(self._db, no, upto)

    @exclusive
    def visits(self, run_id: str) -> dict[str, list[int]]:
        """Find for each visited node the sequence numbers of its step rows."""
        with self._reading:
            return read_visits(self._db, run_id)

    @exclusive
    def runs(self, status: RunStatus | None = None, limit: int | None = None) -> Listing[StoredRun]:
        """List the runs, the last changed first, and those that are damaged, whatever their status may be."""
        try:
            found = self._db.execute(
                SELECT_RUNS + " WHERE ?1 IS NULL OR status = ?1 ORDER BY updated_at DESC, no DESC LIMIT ?2",
                (status, -1 if limit is None else limit),
            ).fetchall()
            self._file.look()
            return Listing(map(encoding.whole_run, found))
        except _DAMAGED as error:
            if isinstance(error, apsw.IOError) and not checksums.is_mismatch(error):
                raise
        self._file.look()
        from .checking import each_run  # what looks at each row loads where something is wrong

        return each_run(self.path, status, limit)

    def now(self) -> float | None:
        """Return None: there is no server, and so no clock but this machine's."""
        return None

    @exclusive
    def stamp(self) -> object:
        """Give what each commit changes: how many there were of others, and how many rows this one wrote."""
        self._file.look()
        return self._db.pragma("data_version"), self._db.total_changes()

    @exclusive
    def versions(self) -> dict[str, int]:
        """Find the version of every run."""
        found = self._db.execute("SELECT id, version FROM runs").fetchall()
        self._file.look()
        versions: dict[str, Any] = {id_: version for id_, version in found if type(id_) is str}
        return versions

    @exclusive
    def delete_runs(
        self, versions: Mapping[str, int], audit: Mapping[str, Mapping[str, Json]] | None = None
    ) -> list[str]:
        """Delete the runs that are still at these versions, with all that is theirs."""
        if self._file.lost:
            self._file.look()
        for run_id in versions:
            self._tracks.forget(run_id)
        with self._transaction:
            gone = delete_runs(self._db, versions)
            for entry in entries_of(gone, audit):
                append_entry(self._db, entry)
        self._file.look()
        for no in gone.values():
            self._last.note(no, DELETED)
        return list(gone)

    @exclusive
    def review(self, review_id: str) -> StoredReview | None:
        """Read a review's rows and where its run stands, both at one moment; None for none."""
        with self._reading:
            return read_review(self._db, review_id)

    @exclusive
    def reviews(self, pending: bool = True, limit: int | None = None) -> Listing[StoredReview]:
        """List the reviews that paused runs wait for, or all the others, by one query."""
        try:
            found = list_reviews(self._db, pending, limit)
            self._file.look()
            return found
        except _DAMAGED as error:
            if isinstance(error, apsw.IOError) and not checksums.is_mismatch(error):
                raise
        self._file.look()
        return each_review(self, pending, limit)

    @exclusive
    def audit(self, after: int = 0, limit: int | None = None) -> list[AuditEntry]:
        """Read the entries of the audit behind a number."""
        found = read_links(self._db, after, limit)
        self._file.look()
        return found

    @exclusive
    def audit_end(self) -> int:
        """Read the number of the last entry that was ever written."""
        found = written(self._db)
        self._file.look()
        return found

    @exclusive
    def take_audit(self, links: Iterable[AuditEntry], last: int, repaired: Mapping[str, Json] | None) -> None:
        """Put the audit of the store that this new one is a copy of into it, as it is.

        Args:
            links: Its links; where it has none, the decisions are entered that there are now.
            last: The number of the last one that was ever written there.
            repaired: The entry which says what this store lacks; None where that is nothing.
        """
        with self._transaction:
            take_over_audit(self._db, links, last, repaired)
        self._file.look()

    @exclusive
    def definition(self, hash_: str) -> str:
        """Read the JSON text of a definition."""
        found = self._db.execute("SELECT body, digest FROM definitions WHERE hash = ?", (hash_,)).fetchone()
        if found is None:
            raise no_definition(hash_, self.url)
        return encoding.definition_from(hash_, *found)

    @exclusive
    def rescue(self, path: str | Path | None = None) -> Salvage:
        """Save what this store still has open to a new file: after StoreLost, or as a copy.

        Args:
            path: The new file; None chooses a name beside the store, else in the folder for temporary files.

        Raises:
            StoreError: It cannot be written, or there is a file of that name already.
        """
        from tempfile import gettempdir

        from .salvage import free_name, salvage

        try:
            checksums.trust_pages(self._db, True)
            if path is not None:
                return salvage(self._db, located(path))
            try:
                return salvage(self._db, free_name(self.path, "rescued"))
            except StoreError:  # its folder is gone, or full
                return salvage(self._db, free_name(Path(gettempdir(), self.path.name), "rescued"))
        finally:
            checksums.trust_pages(self._db, False)

    def close(self) -> None:
        """Close the file; the last one to do so also folds the write-ahead log into it."""
        with self._lock:
            if self._standing == "open":
                try:
                    self._shut()
                except apsw.Error as error:
                    raise translated(error, self.path, self.url, self._busy_timeout) from error
            self._standing = "closed"

    def _shut(self) -> None:
        if self._file.lost:  # the log that has its name may be another store's by now: leave it alone
            with suppress(apsw.ConnectionClosedError):
                self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        had_log = self._file.has_log()
        self._db.close()
        self._last.close(is_over=had_log and not Path(self._file.log).exists())

    def before_fork(self) -> None:
        """Close the file until the process was forked, when no other thread uses it, or goes on doing so."""
        held = self._lock.acquire(timeout=self._busy_timeout + _PATIENCE)
        if held and self._standing == "open" and not (self._file.lost or self._db.in_transaction):
            self._standing = "resting"
            self._shut()

    def after_fork(self, is_child: bool) -> None:
        """Let others use it again; a child has nothing of what its parent has open."""
        if not is_child:
            with suppress(RuntimeError):  # it was not taken
                self._lock.release()
            return
        self._lock = threading.RLock()
        if self._standing == "open":
            self._standing = "inherited"
            never_free(self)

    def _reopen(self) -> None:
        """Open the file anew that was closed for a fork.

        Raises:
            StoreError: The store was closed for good, or is the parent's.
            StoreLost: The file is another one, or gone.
        """
        if self._standing == "closed":
            raise closed(self.url)
        if self._standing == "inherited":
            raise inherited_open(self.path)
        self._file.look_at_file()  # else it would be made anew
        self._open(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _place(self, run_id: str) -> tuple[int, int]:
        """Find the number and version of a run that is to be moved."""
        found = self._db.execute("SELECT no, version FROM runs WHERE id = ?", (run_id,)).fetchone()
        if found is None:
            raise deleted(run_id)
        no, version = found
        return no, moved_version(no, version)

    def _overtaken(self, run_id: str, expected: int) -> Conflict:
        """Explain why a run could not be moved."""
        _, version = self._place(run_id)
        return conflict(run_id, expected, version) if version != expected else replaced(run_id)

    def _define(self, hash_: str, definition: str) -> None:
        columns = (hash_, definition)
        self._db.execute(
            "INSERT OR IGNORE INTO definitions(hash, body, digest) VALUES(?,?,?)",
            (*columns, encoding.digest(columns)),
        )

    def _track(self, run_id: str, version: int) -> Track:
        """Find what is known of a run at ``version``; asks the store when another process moved it."""
        track = self._tracks.known(run_id, version)
        if track is None:
            no, found = self._place(run_id)
            if found != version:
                raise conflict(run_id, version, found)
            track = read_track(self._db, no, version)
            self._tracks.remember(run_id, track)
        return track
