"""Looking at every row of a store: which are as they were written, and what can be saved of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import apsw

from ...values.json_values import dumps
from .. import encoding
from ..audit import broken_links, differences, is_entered, link_from
from ..base import AuditEntry, Damage, Listing, StoredRun
from ..big_values import Kept, rows_from
from ..encoding import SEQ_BITS, SEQ_MASK, Damaged, row_id
from ..ledger import Row, RunHead, RunStatus, is_id, replay
from ..snapshots import rebuild
from ..sql import BIG_SIZES, BIG_VALUES
from . import auditing, schema
from . import opening as checksums
from .recovery import lost_commits, refuse_left_log

_BATCH = 256
_INSTRUCTIONS = 200_000
"""How many instructions SQLite works before it is asked whether to stop: some milliseconds."""
_UNREADABLE = (apsw.Error, Damaged, UnicodeError)
"""What reading raises where a store is damaged."""

_OWNERS = f"""
WITH RECURSIVE owners(no) AS (
    SELECT min(id) >> {SEQ_BITS} FROM ledger
    UNION SELECT (SELECT min(id) >> {SEQ_BITS} FROM ledger WHERE id >= no + 1 << {SEQ_BITS})
    FROM owners WHERE no IS NOT NULL
) SELECT no FROM owners WHERE no IS NOT NULL"""  # noqa: S608  # constant
"""The numbers of the runs that have rows; it goes from one run to the next."""

Progress = Callable[[int], None]
"""Hears how many rows were read; what it raises stops the work."""


@dataclass(slots=True)
class ExaminedRun:
    """A run, and what is whole of it."""

    no: int
    id: str | None
    """None when it cannot be read."""
    stored: StoredRun | None
    """Its head and pointer; None when they are damaged."""
    definition: str | None
    """The text of its definition; None when it is missing or damaged."""
    damages: list[Damage] = field(default_factory=list)
    whole: int = 0
    """How many rows are whole from the first one on."""

    @property
    def name(self) -> str:
        """Which run it is, in words."""
        return f"run number {self.no}" if self.id is None else f"run {self.id!r}"

    def note(self, what: object, row: int | None = None) -> None:
        """Take note of a damage."""
        where = "" if self.id is not None else self.name + ("" if row is None else f", row {row}") + ": "
        self.damages.append(Damage(f"{where}{what}", self.id, row))


class Examiner:
    """Reads all of a store, whatever state it is in.

    Args:
        connection: One that does not check pages, so that a damaged page costs no more than its damaged rows.
        progress: Hears of each batch of rows.
    """

    def __init__(self, connection: apsw.Connection, progress: Progress | None = None) -> None:
        self._db = connection
        self._progress = progress or (lambda done: None)
        self._done = 0
        self._definitions: dict[str, str | None] = {}
        self._entered: list[tuple[RunHead, Row]] = []
        self._whole: dict[str, float] = {}
        self.damages: list[Damage] = []
        """What belongs to no run."""

    def pages(self) -> None:
        """Let SQLite look at its own bookkeeping."""
        stopped: list[BaseException] = []

        def ask() -> bool:
            try:
                self._progress(self._done)
            except BaseException as error:
                stopped.append(error)
            return bool(stopped)

        self._db.set_progress_handler(ask, _INSTRUCTIONS)
        try:
            for (found,) in self._db.execute("PRAGMA integrity_check(20)"):
                lines = [line for line in str(found).splitlines() if line != "ok" and line[:3] != "***"]
                self.damages += [Damage(f"SQLite: {line}") for line in lines]
        except _UNREADABLE as error:
            if not stopped:
                self.damages.append(Damage(f"SQLite: {error}"))
        finally:
            self._db.set_progress_handler(None)
        if stopped:
            raise stopped[0]

    def runs(self) -> Iterator[ExaminedRun]:
        """Find every run; its rows have yet to be read."""
        numbers = []
        for no in self._ids("SELECT no FROM runs ORDER BY no", "the table of runs"):
            numbers.append(no)
            try:
                row_id(no, 0)
            except Damaged as error:
                self.damages.append(Damage(str(error)))
            else:
                yield self._run(no)
        owners = self._ids(_OWNERS, "the ledger")
        for no in sorted(set(owners) - set(numbers)):
            self.damages.append(Damage(f"the rows of run number {no} belong to no run"))

    def rows(self, run: ExaminedRun) -> Iterator[Row]:
        """Read a run's rows while they are whole, and note every damage up to the last one."""
        before, whole = 0, True
        for id_, columns in self._ledger(run):
            seq = id_ & SEQ_MASK
            if seq != before + 1:
                missing = (
                    f"row {before + 1} is" if seq == before + 2 else f"rows {before + 1} to {seq - 1} are"
                )
                run.note(f"{missing} missing", before + 1)
                whole = False
            before = seq
            try:
                (row,) = rows_from([encoding.whole_columns(_read(columns))], self._kept(run))
            except _UNREADABLE as error:
                run.note(f"the row is damaged: {error}", seq)
                whole = False
                continue
            if whole:
                run.whole = seq
                yield row
        if run.stored is not None and run.stored.pointer.version != before:
            run.note(
                f"the run is at version {run.stored.pointer.version}, and its last row is {before}", before
            )

    def check(self, run: ExaminedRun) -> None:
        """Read all of a run, its snapshots too, and note what is damaged."""
        snapshots = {}
        query = f"SELECT {encoding.SNAPSHOT}, digest, body, body_digest FROM snapshots WHERE id = ?"  # noqa: S608
        bounds = f"WHERE id BETWEEN {row_id(run.no, 0)} AND {row_id(run.no, SEQ_MASK)}"
        for id_ in self._ids(f"SELECT id FROM snapshots {bounds} ORDER BY id", run.name):  # noqa: S608
            snapshots[id_ & SEQ_MASK] = self._one(query, id_)
        values: dict[str, Any] = {}
        lists: dict[int, tuple[Any, ...]] = {}
        asked: set[str | None] = set()
        for row in self.rows(run):
            try:
                replay(values, (row,))
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                run.note(f"its changes do not fit the state before ({error})", row.seq)
                return
            if row.seq in snapshots:
                self._check_snapshot(run, row.seq, snapshots[row.seq], lists, values)
            asked.add(row.review)
            if run.stored is not None and is_entered(row, asked):
                self._entered.append((run.stored.head, row))
        if run.stored is not None and not run.damages:
            self._whole[run.stored.head.id] = run.stored.head.created_at

    def links(self) -> tuple[list[AuditEntry], int]:
        """Read the audit, as far as it can be read, and the number of the last entry ever written."""
        links: list[AuditEntry] = []
        if not schema.has_audit(self._db):
            return links, 0
        for number in self._ids("SELECT number FROM audit ORDER BY number", "the audit"):
            found = self._one("SELECT number, entry, previous, hash FROM audit WHERE number = ?", number)
            if isinstance(found, Exception):
                self.damages.append(Damage(f"audit entry {number} cannot be read: {found}"))
            else:
                links.append(link_from(found))
        return links, auditing.written(self._db)

    def audit(self) -> list[Damage]:
        """Check the audit, once all runs were checked: its chain, and whether the ledgers tell the same."""
        if not schema.has_audit(self._db):
            return []
        links, last = self.links()
        return broken_links(links, last) + differences(links, self._whole, self._entered)

    def _check_snapshot(
        self,
        run: ExaminedRun,
        seq: int,
        found: Any,
        lists: dict[int, tuple[Any, ...]],
        values: dict[str, Any],
    ) -> None:
        try:
            *columns, digest, body, body_digest = _read(found)
            encoding.require(digest, encoding.snapshot_digest(tuple(columns)), "it")
            encoding.require(body_digest, encoding.digest((body,)), "it")
            lists[seq] = tuple(columns[2:])
            needed = [] if columns[2] is None else [part for at, part in lists.items() if at >= columns[1]]
            if rebuild(body, needed, [], self._kept(run)) != values:
                raise Damaged("it is not what the rows before it add up to")
        except _UNREADABLE as error:
            run.note(f"the snapshot is damaged: {error}; the rows have all that was in it", seq)

    def _run(self, no: int) -> ExaminedRun:
        query = f"SELECT no, {encoding.RUN}, digest FROM runs WHERE no = ?"  # noqa: S608  # constant columns
        id_ = None
        try:
            columns = _read(self._one(query, no))
            id_ = columns[1] if is_id(columns[1]) else None
            stored = encoding.run_from(columns[1:-1])
        except _UNREADABLE as error:
            run = ExaminedRun(no, id_, None, None)
            run.note(f"its entry is damaged: {error}")
            return run
        hash_ = stored.pointer.definition
        run = ExaminedRun(no, stored.head.id, stored, self._definition(hash_))
        if columns[-1] != encoding.run_digest(columns[:-1]):
            run.note("where it stands is not as it was written")
        if run.definition is None:
            run.note(f"its definition {hash_!r} is missing or damaged")
        return run

    def _definition(self, hash_: str) -> str | None:
        if hash_ not in self._definitions:
            self._definitions[hash_] = None
            try:
                found = _read(self._one("SELECT body, digest FROM definitions WHERE hash = ?", hash_))
                self._definitions[hash_] = encoding.definition_from(hash_, *found)
            except (*_UNREADABLE, TypeError):
                pass
        return self._definitions[hash_]

    def _ledger(self, run: ExaminedRun) -> Iterator[tuple[int, Any]]:
        """Read the columns of a run's rows, or what reading one raised."""
        bounds = (row_id(run.no, 0), row_id(run.no, SEQ_MASK))
        query = f"SELECT {encoding.LEDGER}, digest FROM ledger WHERE id BETWEEN ? AND ? ORDER BY id"  # noqa: S608
        ids = list(self._ids("SELECT id FROM ledger WHERE id BETWEEN ? AND ? ORDER BY id", run.name, bounds))
        for at in range(0, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            try:
                yield from [
                    (columns[0], columns) for columns in self._db.execute(query, (batch[0], batch[-1]))
                ]
            except _UNREADABLE:
                yield from ((id_, self._one(query, id_, id_)) for id_ in batch)
            self._done += len(batch)
            self._progress(self._done)

    def _ids(self, query: str, where: str, bindings: tuple[int, ...] = ()) -> Iterator[int]:
        """Read numbers, as far as they can be read."""
        try:
            yield from chain.from_iterable(self._db.execute(query, bindings))
        except _UNREADABLE as error:
            self.damages.append(Damage(f"{where} cannot be read to its end: {error}"))

    def _kept(self, run: ExaminedRun) -> Kept:
        def read(statement: str, hashes: list[str]) -> Any:
            return self._db.execute(schema.adapted(statement), (run.no, dumps(hashes)))

        return Kept(run.name, partial(read, BIG_VALUES), partial(read, BIG_SIZES))

    def _one(self, query: str, *bindings: int | str) -> Any:
        """Read one row, or give what reading it raised."""
        try:
            return self._db.execute(query, bindings).fetchone() or Damaged("it is gone")
        except _UNREADABLE as error:
            return error


def _read(columns: Any) -> tuple[Any, ...]:
    if isinstance(columns, Exception):
        raise columns
    found: tuple[Any, ...] = columns
    return found


def damages(connection: apsw.Connection, progress: Progress | None = None) -> Iterator[Damage]:
    """Check all of a store, and tell of each damage as it is found.

    Args:
        connection: See ``Examiner``.
        progress: Hears how many rows were read.
    """
    examiner = Examiner(connection, progress)
    examiner.pages()
    for run in examiner.runs():
        examiner.check(run)
        yield from run.damages
    yield from examiner.damages


def first_damage(connection: apsw.Connection) -> str | None:
    """Describe what is damaged in a store, the first thing that is found; None for one that is whole."""
    return next((str(damage) for damage in damages(connection)), None)


def has_whole_pages(connection: apsw.Connection, progress: Progress | None = None) -> bool:
    """Check whether each page of a store is as it was written; after that none is checked when it is read."""
    examiner = Examiner(connection, progress)
    checksums.trust_pages(connection, False)
    try:
        examiner.pages()
    finally:
        checksums.trust_pages(connection, True)
    return not examiner.damages


def each_run(path: Path, status: RunStatus | None, limit: int | None) -> Listing[StoredRun]:
    """List the runs of a store whose list cannot be read at once: each entry is read by itself.

    Args:
        path: The file.
        status: Only the runs that stand so.
        limit: The most of them.
    """
    with closing(opened_to_read(path)) as connection:
        examiner = Examiner(connection)
        found = list(examiner.runs())
    damaged = [*examiner.damages, *(run.damages[0] for run in found if run.damages)]
    if not damaged:
        damaged.append(Damage("a page of the list of runs is not as Stepgraph wrote it; runs may be missing"))
    found.sort(key=lambda run: (run.stored.pointer.updated_at if run.stored else 0, run.no), reverse=True)
    whole = [run.stored for run in found if run.stored is not None and not run.damages]
    return Listing([run for run in whole if status is None or run.pointer.status is status][:limit], damaged)


def file_damages(path: Path, progress: Progress | None = None) -> Iterator[Damage]:
    """Check a store's file, its pages too, and tell of each damage as it is found; nothing is changed.

    Args:
        path: The file.
        progress: Hears how many rows were read; what it raises stops the work.

    Raises:
        apsw.Error: It cannot be opened at all.
    """
    with closing(opened_to_look(path)) as connection:
        whole = has_whole_pages(connection, progress)
        if not whole:
            yield Damage("a page of the file is not as Stepgraph wrote it; of its rows see below")
    with closing(opened_to_read(path)) as connection:
        examiner = Examiner(connection, progress)
        yield from map(Damage, lost_commits(connection, path))
        if not whole:
            examiner.pages()
        for run in examiner.runs():
            examiner.check(run)
            yield from run.damages
            if run.damages:
                yield Damage(_savable(run), run.id)
        yield from examiner.audit()
        yield from examiner.damages


def _savable(run: ExaminedRun) -> str:
    """Describe what of a damaged run can be copied to a new store."""
    if run.stored is None or run.definition is None or not run.whole:
        return "nothing of it can be saved"
    if run.whole == run.stored.pointer.version:
        return f"all of its {run.whole:,} rows can be saved"
    return f"its rows 1 to {run.whole:,} can be saved"


def opened_to_read(path: Path) -> apsw.Connection:
    """Open a store's file to read its rows, whatever state its pages are in, and whatever version it is of.

    Raises:
        apsw.Error: It cannot be read.
    """
    connection = opened_to_look(path)
    checksums.trust_pages(connection, True)
    schema.show_as_current(connection)
    connection.execute("BEGIN")  # all of one moment: others may write meanwhile
    return connection


def opened_to_look(path: Path) -> apsw.Connection:
    """Open a store's file to read it as it is: nothing is checked, changed, or carried forward.

    Raises:
        StoreError: Only its write-ahead log is left.
        apsw.Error: It cannot be read.
    """
    refuse_left_log(path)
    uri = f"{path.absolute().as_uri()}?mode=ro"
    if not Path(f"{os.path.realpath(path)}-wal").exists():
        uri += "&immutable=1"  # nobody has it open; so it can be read where nothing can be written
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(uri, flags=flags, vfs=checksums.checking_vfs())
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
    return connection
