"""Runs in a SQLite file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from ...locks import Lock
from ...values.errors import StoreDamaged, StoreError
from ..backend import Changes, Overtaken, Stale
from ..base import AuditEntry, Damage, Listing, StoredReview, StoredRun
from ..encoding import POINTER, Columns, Damaged, row_digest
from ..keeping import Ledger, turn
from ..ledger import RunStatus
from ..opening import ADDRESSES, closed, no_review, too_large
from ..process_forks import register
from ..snapshots import SnapshotPolicy
from ..sql import ROW, RUN_OF, SqlBackend, add_run, moved_columns
from . import schema
from .opening import (
    Durability,
    Standing,
    connect,
    inherited_open,
    is_mismatch,
    let_go,
    located,
    never_free,
    translated,
    trusted_pages,
)
from .recovery import DELETED, MADE, LastCommit, OpenFile
from .schema import Transaction, adapted, roll_back

if TYPE_CHECKING:
    from ..opening import Salvage

_T = TypeVar("_T")

_PATIENCE = 1.0
"""How long a fork waits for another thread that uses a store, beside its busy_timeout, in seconds."""
_DAMAGED = (apsw.CorruptError, apsw.IOError, UnicodeError)
_UNREADABLE = (apsw.Error, Damaged, UnicodeError)
_SIGNS_OF_LOSS = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError, Damaged)


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


_MOVE_RUN = f"""
UPDATE runs SET ({POINTER}, digest) = (?,?,?,?,?,?,?,?,?,?,?,?,?)
WHERE no = ? AND version = ? AND id = ? AND created_at = ?;
INSERT INTO ledger({ROW}) SELECT ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,? WHERE changes() = 1"""  # noqa: S608  # constants
_STEP = f"BEGIN IMMEDIATE;{_MOVE_RUN}; COMMIT"
"""What a step mostly is; each statement by itself would take twice as long from here to SQLite."""


class SqliteBackend(SqlBackend):
    """A file, and the one connection to it that threads share."""

    tries = 0

    def __init__(
        self, path: Path, durability: Durability, busy_timeout: float, db: apsw.Connection | None = None
    ) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"
        self._durability, self._busy_timeout = durability, busy_timeout
        self._lock = Lock()
        self._written_runs: list[tuple[int, int]] = []
        self._file: OpenFile | None = None
        """The files that are looked at; None for a connection that is another one's."""
        if db is not None:
            self._use(db)
            return
        try:
            self._open()
        except (apsw.Error, Damaged, UnicodeError) as error:
            raise translated(error, self.path, self.url, busy_timeout) from error
        register(self)

    def _open(self, before: OpenFile | None = None) -> None:
        """Open the file; it is to be the one that was open ``before``."""
        db = connect(self.path, self._durability, self._busy_timeout)
        try:
            self._file = OpenFile(self.path, db.filename_wal, before)
        except StoreError:
            db.close()
            raise
        self._last = LastCommit(self.path, synced=self._durability == "full")
        self._use(db)

    def _use(self, db: apsw.Connection) -> None:
        self.db = db
        self.transaction = Transaction(db)
        self._cursor = db.cursor()
        self._standing: Standing = "open"

    def take(self, method: Callable[[], _T]) -> _T:
        """Admit one thread at a time, and raise SQLite's errors as StoreErrors."""
        try:
            with self._lock:
                try:
                    if self._standing != "open":
                        self._reopen()
                    if self._file is not None and self._file.lost:
                        self._file.look()
                    roll_back(self.db)
                    self._written_runs.clear()
                    done = method()
                    self._look()  # what went to a file that nobody finds is not there
                    for place in self._written_runs:  # the note is beside the file that has the name now
                        self._last.note(*place)
                    return done
                except BaseException as error:
                    let_go(error.__traceback__)
                    if self._standing == "open":
                        roll_back(self.db)
                    raise
        except OverflowError as error:
            raise too_large(self.url) from error
        except (apsw.Error, Damaged, UnicodeError) as error:
            if isinstance(error, _SIGNS_OF_LOSS):
                self._look()  # what was cut or taken away reads as if it were damaged
            raise translated(error, self.path, self.url, self._busy_timeout) from error

    def _look(self) -> None:
        if self._file is not None:
            self._file.look()

    def _all(self, statement: str, *values: Any) -> list[Columns]:
        return self._cursor.execute(adapted(statement), values).fetchall()

    def _many(self, statement: str, rows: Iterable[Columns]) -> None:
        self._cursor.executemany(adapted(statement), rows)

    def _move(self, changes: Changes) -> None:
        self._move_by(_MOVE_RUN, changes)

    def _move_by(self, statement: str, changes: Changes) -> None:
        (columns,) = changes.rows
        self._cursor.execute(statement, (*moved_columns(changes), *columns, row_digest(columns)))
        if self.db.changes() != 1:  # a third of what RETURNING costs, at every step
            raise Overtaken

    def _transaction(self) -> AbstractContextManager[object]:
        return self.transaction

    def new_number(self) -> int:
        """Choose the number of a new run; another process may be quicker to use it."""
        return int(self.db.execute(f"SELECT {MADE} + 1").get)

    def _last_entry(self, *, hold: bool = False) -> int:
        return schema.last_entry_number(self.db)

    def _note_deleted(self, numbers: list[int]) -> None:
        self._written_runs += [(no, DELETED) for no in numbers]
        if numbers:
            made = max(self.new_number() - 1, *numbers)
            self.db.execute("DELETE FROM sqlite_sequence WHERE name = 'runs'")
            self.db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('runs', ?)", (made,))

    def write(self, changes: Changes) -> None:
        """Write changes in one transaction."""
        if changes.is_plain:
            self._move_by(_STEP, changes)
        else:
            with self.transaction:
                if changes.before is None and changes.no != self.new_number():
                    raise Stale
                self._write(changes)
        self._written_runs.append((changes.no, changes.pointer.version))

    def _unless_damaged(self, read: Callable[[], _T]) -> _T | None:
        """Read something at once; None where a damaged page is in the way."""
        try:
            return read()
        except _DAMAGED as error:
            if isinstance(error, apsw.IOError) and not is_mismatch(error):
                raise
        self._look()
        return None

    def runs(self, status: RunStatus | None, limit: int | None) -> Listing[StoredRun]:
        """List the runs; where a page is damaged, each is read by itself."""
        if (listed := self._unless_damaged(partial(super().runs, status, limit))) is not None:
            return listed
        with trusted_pages(self.db):
            found = self._each_run()
        whole = [run for run in found if status is None or run.pointer.status is status]
        whole.sort(key=lambda run: run.pointer.updated_at, reverse=True)
        return Listing(whole[:limit], found.damages)

    def _each_run(self) -> Listing[StoredRun]:
        found: Listing[StoredRun] = Listing()
        try:
            for (no,) in self.db.execute("SELECT no FROM runs ORDER BY no DESC"):
                try:
                    (columns,) = self._all(RUN_OF, no)
                except (apsw.Error, UnicodeError) as error:
                    found.damages.append(Damage(f"run number {no}: its entry is damaged: {error}"))
                else:
                    add_run(found, columns)
        except (apsw.Error, UnicodeError) as error:
            found.damages.append(Damage(f"the list of runs cannot be read to its end: {error}"))
        if not found.damages:
            what = "a page of the list of runs is not as Stepgraph wrote it; runs may be missing"
            found.damages.append(Damage(what))
        return found

    def reviews(self, pending: bool, limit: int | None) -> Listing[StoredReview]:
        """List reviews; where a page is damaged, each is read by itself."""
        if (listed := self._unless_damaged(partial(super().reviews, pending, limit))) is not None:
            return listed
        runs = self.runs(RunStatus.PAUSED if pending else None, None)
        found: Listing[StoredReview] = Listing(damages=runs.damages)
        for run in runs:
            try:
                found += self._reviews_of(run, pending)
            except _UNREADABLE as error:
                refusal = translated(error, self.path, self.url, self._busy_timeout)
                what = refusal.what if isinstance(refusal, StoreDamaged) else str(refusal)
                found.damages.append(Damage(what, run.head.id))
        found.sort(key=lambda review: review.rows[0 if pending else -1].at, reverse=not pending)
        return Listing(found[:limit], found.damages)

    def _reviews_of(self, run: StoredRun, pending: bool) -> Iterator[StoredReview]:
        pointer, place = run.pointer, self.place(run.head.id)
        waits = pointer.review if pointer.status is RunStatus.PAUSED else None
        asked = () if pending or place is None else self.rows(place.no, 1, pointer.version, ["review"])
        for id_ in [waits] if pending else {columns[13] for columns in asked} - {waits}:
            review = self.review(id_ or "")
            if review is None:
                raise Damaged(no_review(id_ or ""))
            yield review

    def is_deleted(self, no: int | None) -> bool | None:
        """Check that a missing run was deleted: files that have lost something are refused."""
        return True

    def now(self) -> float | None:
        """Return None: there is no server, and so no clock but this machine's."""
        return None

    def stamp(self) -> object:
        """Return what each commit changes: the count of other writers' commits, and of rows written here."""
        return self.db.pragma("data_version"), self.db.total_changes()

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
        if self._file is None:
            return
        if self._file.lost:  # the log that has its name may be another store's by now: leave it alone
            with suppress(apsw.ConnectionClosedError):
                self.db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        had_log = self._file.has_log()
        self.db.close()
        self._last.close(is_over=had_log and not Path(self._file.log).exists())

    def before_fork(self) -> None:
        """Close the file until the process was forked, when no other thread uses it, or goes on doing so."""
        held = self._lock.acquire(timeout=self._busy_timeout + _PATIENCE)
        lost = self._file is None or self._file.lost
        if held and self._standing == "open" and not (lost or self.db.in_transaction):
            self._standing = "resting"
            self._shut()

    def after_fork(self, is_child: bool) -> None:
        """Release it after a fork; a child has nothing of what its parent has open."""
        if not is_child:
            with suppress(RuntimeError):  # it was not taken
                self._lock.release()
            return
        self._lock = Lock()
        if self._standing == "open":
            self._standing = "inherited"
            never_free(self)

    def _reopen(self) -> None:
        """Open the file again that was closed for a fork.

        Raises:
            StoreError: The store was closed for good, or is the parent's.
            StoreLost: The file is another one, or gone.
        """
        if self._standing == "closed":
            raise closed(self.url)
        if self._standing == "inherited":
            raise inherited_open(self.path)
        assert self._file is not None  # noqa: S101  # for the type checker
        self._file.look_at_file()  # else it would be made again
        self._open(self._file)


class SqliteStore(Ledger[SqliteBackend]):
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
        super().__init__(SqliteBackend(self.path, durability, busy_timeout), snapshots)

    @turn
    def take_audit(self, links: Iterable[AuditEntry], last: int) -> None:
        """Copy the audit of the store that this new one is a copy of into it (see ``schema.take_over``)."""
        with self.backend.transaction:
            schema.take_over(self.backend.db, links, last)

    def rescue(self, path: str | Path | None = None) -> Salvage:
        """Save what this store still has open to a new file: after StoreLost, or as a copy.

        Args:
            path: The new file; None chooses a name beside the store, else in the folder for temporary files.

        Raises:
            StoreError: It cannot be written, or there is a file of that name already.
        """
        from .checking import free_name, rescue  # what looks at each row loads where something is wrong

        if path is not None:
            return rescue(self.backend.db, self.path, located(path))
        try:
            return rescue(self.backend.db, self.path, free_name(self.path, "rescued"))
        except StoreError:  # its folder is gone, or full
            elsewhere = free_name(Path(gettempdir(), self.path.name), "rescued")
            return rescue(self.backend.db, self.path, elsewhere)
