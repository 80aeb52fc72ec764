"""Checking the file of a store, and copying what is whole of it to a new one; the old one stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain, count
from pathlib import Path

import apsw

from ...values.errors import StoreDamaged, StoreError
from ..audit import audit_damages
from ..base import Damage, StateStore
from ..checking import Progress, store_damages, whole_rows
from ..encoding import SEQ_BITS
from ..keeping import Ledger
from ..opening import BACKUP, Salvage
from . import schema
from .opening import checking_vfs, trust_pages, trusted_pages
from .recovery import SUFFIX, lost_commits, refuse_left_log
from .store import SqliteBackend, SqliteStore

_INSTRUCTIONS = 200_000
"""How many instructions SQLite works before it is asked whether to stop: some milliseconds."""
_STRAY = f"""
SELECT DISTINCT id >> {SEQ_BITS} FROM ledger WHERE id >> {SEQ_BITS} NOT IN (SELECT no FROM runs)"""  # noqa: S608
_SUFFIXES = ("", "-wal", "-shm", SUFFIX)


def file_damages(path: Path, progress: Progress | None = None) -> Iterator[Damage]:
    """Check a store's file, its pages too, and report each damage as it is found; nothing is changed.

    Args:
        path: The file.
        progress: Hears how many rows were read; what it raises stops the work.

    Raises:
        apsw.Error: It cannot be opened at all.
    """
    with closing(opened_to_look(path)) as connection:
        pages = page_damages(connection, progress)
    if pages:
        yield Damage("a page of the file is not as Stepgraph wrote it; of its rows see below")
    with closing(opened_to_read(path)) as connection:
        yield from map(Damage, lost_commits(connection, path))
        yield from row_damages(connection, path, progress)
        yield from page_damages(connection, progress) if pages else ()


def page_damages(connection: apsw.Connection, progress: Progress | None = None) -> list[Damage]:
    """Run SQLite's own checks, also of each page where the connection does not trust them."""
    stopped: list[BaseException] = []

    def ask() -> bool:
        try:
            if progress is not None:
                progress(0)
        except BaseException as error:
            stopped.append(error)
        return bool(stopped)

    connection.set_progress_handler(ask, _INSTRUCTIONS)
    try:
        found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check(20)")]
    except (apsw.Error, UnicodeError) as error:
        found = [str(error)]
    finally:
        connection.set_progress_handler(None)
    if stopped:
        raise stopped[0]
    lines = chain.from_iterable(text.splitlines() for text in found)
    return [Damage(f"SQLite: {line}") for line in lines if line != "ok" and line[:3] != "***"]


def row_damages(
    connection: apsw.Connection, path: Path, progress: Progress | None = None
) -> Iterator[Damage]:
    """Check all rows that a connection reads, and the audit.

    Args:
        connection: One that trusts pages, so that a damaged page costs no more than its damaged rows.
        path: The store's file.
        progress: Hears how many rows were read.
    """
    store = _over(connection, path)
    try:
        yield from store_damages(store, progress)
        for (no,) in connection.execute(_STRAY):
            yield Damage(f"the rows of run number {no} belong to no run")
        if schema.has_audit(connection):
            yield from audit_damages(store)
    except (apsw.Error, StoreDamaged) as error:
        yield Damage(f"it cannot be read to its end: {error}")


def first_damage(connection: apsw.Connection, path: Path) -> str | None:
    """Describe what is damaged in a store, the first thing that is found; None for one that is whole."""
    found = chain(page_damages(connection), row_damages(connection, path))
    return next((str(damage) for damage in found), None)


def has_whole_pages(connection: apsw.Connection) -> bool:
    """Check whether each page of a store is as it was written; after that none is checked when it is read."""
    trust_pages(connection, False)
    try:
        return not page_damages(connection)
    finally:
        trust_pages(connection, True)


def repair(path: Path, new: Path, progress: Progress | None = None) -> Salvage:
    """Copy what is whole of a store's file to a new one; nothing in the old one is changed.

    Where its write-ahead log is gone, what that had is listed among what was left out.

    Args:
        path: The damaged file.
        new: The new file.
        progress: Hears how many rows were read; what it raises stops the work, and the new file goes.

    Raises:
        StoreError: The new file is there already or cannot be written, or the old one cannot be read at all.
    """
    try:
        with closing(opened_to_read(path)) as connection:
            lost = lost_commits(connection, path)
            done = salvage(connection, path, new, progress)
            done.left += [f"what was committed last: {what}" for what in lost]
            return done
    except apsw.Error as error:
        raise StoreError(f"nothing of the store {path} can be read ({error})", hint=BACKUP) from error


def rescue(connection: apsw.Connection, path: Path, new: Path) -> Salvage:
    """Copy what is whole of a store that is open to a new one."""
    with trusted_pages(connection):
        return salvage(connection, path, new)


def salvage(connection: apsw.Connection, path: Path, new: Path, progress: Progress | None = None) -> Salvage:
    """Copy each run that is whole, and the audit, to a new store.

    Args:
        connection: See ``row_damages``.
        path: The old store's file.
        new: The new store's file.
        progress: Hears how many rows were read; what it raises stops the work, and the new file goes.

    Raises:
        StoreError: There is a file of that name already, or it cannot be written.
    """
    if new.exists():
        raise StoreError(f"there is a file {new} already", hint="name another one; nothing is written over")
    source, done = _over(connection, path), Salvage(new)
    with _gone_if_stopped(new), SqliteStore(new, durability="normal") as target:
        try:
            _copy_runs(source, target, done, progress)
            links, last = (source.audit(), source.audit_end()) if schema.has_audit(connection) else ([], 0)
            target.take_audit(links, last)
            done.entries = len(links)
        except StoreDamaged as error:
            done.left.append(f"what lies behind this: {error.what}")
    if not done.is_made:
        new.unlink()
    return done


def _copy_runs(source: StateStore, target: StateStore, done: Salvage, progress: Progress | None) -> None:
    runs, read = source.runs(), 0
    done.left += map(str, runs.damages)
    for run in reversed(runs):
        try:
            rows = whole_rows(source, run)
            target.create(run, rows, source.definition(run.pointer.definition))
        except StoreDamaged as error:
            done.left.append(f"run {run.head.id!r}: {error.what}")
        else:
            done.whole.append(run.head.id)
            read += len(rows)
        if progress is not None:
            progress(read)


@contextmanager
def _gone_if_stopped(new: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):  # a folder where nothing can be written has nothing to be taken away
            for suffix in _SUFFIXES:
                Path(f"{new}{suffix}").unlink(missing_ok=True)
        raise


def free_name(path: Path, word: str) -> Path:
    """Find a name beside a store that no file has: ``runs.rescued.db``, ``runs.rescued-2.db``, ..."""
    stem = path.with_suffix("").name
    names = chain([f"{stem}.{word}.db"], (f"{stem}.{word}-{number}.db" for number in count(2)))
    return next(found for name in names if not (found := path.with_name(name)).exists())


def _over(connection: apsw.Connection, path: Path) -> Ledger[SqliteBackend]:
    """Build a store over an open connection, whatever has become of the file."""
    return Ledger(SqliteBackend(path, "normal", 0, connection))


def opened_to_read(path: Path) -> apsw.Connection:
    """Open a store's file to read its rows, whatever state its pages are in, and whatever version it is of.

    Raises:
        apsw.Error: It cannot be read.
    """
    connection = opened_to_look(path)
    trust_pages(connection, True)
    schema.show_as_current(connection)
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
    connection = apsw.Connection(uri, flags=flags, vfs=checking_vfs())
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
    return connection
