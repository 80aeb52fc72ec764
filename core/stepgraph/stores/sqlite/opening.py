"""Opening the file of a SQLite store."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Literal

import apsw

from ...values.errors import StoreError
from ..encoding import Damaged
from . import checksums, schema
from .errors import cannot_open
from .inherited import refuse_inherited
from .last_commit import note_of, refuse_lost_commits
from .log import lost_log, refuse_damaged_log, refuse_left_log, refuse_lost_log

_SMALLEST = 512
"""Bytes of the smallest SQLite file; SQLite itself would take a shorter file for an empty one."""

Durability = Literal["full", "normal"]


def located(path: str | Path) -> Path:
    """Make the absolute path of a store's file, ``~`` being the user's home.

    Raises:
        StoreError: There is no such user.
    """
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise cannot_open(Path(path), ValueError(f"it names no home folder ({error})")) from error


def connect(path: Path, durability: Durability, busy_timeout: float) -> apsw.Connection:
    """Open the store at ``path``, and make its folders, its file and its tables where missing.

    Args:
        path: The file, as an absolute path.
        durability: ``full`` survives a power cut with every commit; ``normal`` may lose the last ones.
        busy_timeout: How long to wait for another process's lock, in seconds.

    Raises:
        StoreError: The file cannot be opened, or is not a store that this version can use.
        apsw.Error: SQLite refused something.
    """
    _prepare(path)
    refuse_inherited(path)
    connection = apsw.Connection(str(path), vfs=checksums.checking_vfs())
    try:
        connection.set_busy_timeout(round(busy_timeout * 1000))
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
        if not _is_current(connection, path):
            _make_current(connection, path, busy_timeout)
        _switch(connection, "WAL", path, busy_timeout)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: its plain fsync does not reach the disk
        # From here on it has the write-ahead log open too; the tables may be damaged, and are read later.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        refuse_damaged_log(connection, path)
        refuse_lost_commits(connection, path)
    except BaseException:
        connection.close(True)
        raise
    return connection


def _is_current(connection: apsw.Connection, path: Path) -> bool:
    """Tell whether the file is as this version makes it, checksums included."""
    try:
        return schema.check(connection, path) and checksums.has_room(connection)
    except apsw.IOError as error:
        if not checksums.is_mismatch(error):
            raise
        return False


def _make_current(connection: apsw.Connection, path: Path, busy_timeout: float) -> None:
    """Bring a new file, an older one, or a copy that another tool made to where this version wants it.

    A copy has no checksums on its pages; it is taken when its rows are whole by their own. All pages get
    new ones: nothing that the old ones tell is lost by that.
    """
    checksums.trust_pages(connection, True)
    is_copy, had_checksums = schema.check(connection, path), checksums.has_room(connection)
    if schema.is_empty(connection) and _uses_wal(connection):
        # No store is made without its tables.
        raise lost_log(path, f"{Path(connection.filename_wal).name} is gone")
    checksums.make_room(connection)
    _take_alone(connection, path, busy_timeout)
    try:
        made_meanwhile = not is_copy and schema.check(connection, path)  # by another process
        if not made_meanwhile and not schema.is_empty(connection):
            from .checking import first_damage, has_whole_pages

            if schema.has_digests(connection) and not (had_checksums and has_whole_pages(connection)):
                with schema.shown_as_current(connection):
                    damage = first_damage(connection)
                if damage is not None:
                    raise Damaged(damage)
            checksums.write_all(connection)
        schema.migrate(connection)
        checksums.trust_pages(connection, False)
    finally:
        connection.pragma("locking_mode", "NORMAL")
    schema.check(connection, path)  # reading lets go of the lock


def _take_alone(connection: apsw.Connection, path: Path, busy_timeout: float) -> None:
    """Take the file for this connection alone, out of WAL mode, until its locking mode is normal again."""
    while True:
        _switch(connection, "DELETE", path, busy_timeout)
        connection.execute("BEGIN EXCLUSIVE")
        alone = not _uses_wal(connection)  # else another process has switched it back
        if alone:
            connection.pragma("locking_mode", "EXCLUSIVE")
        connection.execute("COMMIT")
        if alone:
            return


def _prepare(path: Path) -> None:
    """Look at the file before SQLite does. What is made is its owner's alone: states may hold secrets."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
    except FileNotFoundError:
        refuse_left_log(path)
        _make(path)
        note_of(path).unlink(missing_ok=True)  # that of a store which was deleted
        return
    except (OSError, ValueError) as error:
        raise cannot_open(path, error) from error
    if stat.S_ISDIR(found.st_mode):
        raise cannot_open(path)
    if not stat.S_ISREG(found.st_mode):
        raise cannot_open(path, ValueError("it is not a regular file"))
    if 0 < found.st_size < _SMALLEST:
        raise apsw.NotADBError
    refuse_left_log(path)
    refuse_lost_log(path)


def _make(path: Path) -> None:
    # Only a file that is new: closing any file of a store would drop the locks that this process has on it.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return  # another process made it just now, or it is a link to nothing, which SQLite follows
    except OSError as error:
        raise cannot_open(path, error) from error


def _uses_wal(connection: apsw.Connection) -> bool:
    return bool(connection.pragma("journal_mode") == "wal")


def _switch(connection: apsw.Connection, mode: str, path: Path, busy_timeout: float) -> None:
    """Switch to write-ahead logging, which is kept in the file, or away from it.

    SQLite does not wait for locks while it switches, so that two processes which create the same
    store at the same moment need this loop.
    """
    until = time.monotonic() + busy_timeout
    while True:
        try:
            found = connection.pragma("journal_mode", mode)
        except apsw.BusyError:
            if time.monotonic() > until:
                raise
            time.sleep(0.005)  # noqa: TID251  # the lock is another process's: no event tells when it goes
            continue
        if found != mode.lower():
            raise StoreError(
                f"the file system of {path} does not support write-ahead logging (SQLite offers {found!r})",
                hint="put the store on a local disk: choose it with --store or STEPGRAPH_STORE",
            )
        return
