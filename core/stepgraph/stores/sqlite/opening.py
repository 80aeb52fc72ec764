"""Opening the file of a SQLite store."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal

import apsw

from ...values.errors import StoreError
from ..encoding import Damaged
from ..opening import BACKUP, closed, damaged
from . import schema
from .recovery import (
    lost_log,
    note_of,
    refuse_left_log,
    refuse_lost_commits,
    refuse_lost_log,
)


def _extension() -> str | None:
    try:
        from apsw import sqlite_extra
    except ImportError:
        return None
    return str(sqlite_extra.path("cksumvfs")) if sqlite_extra.has("cksumvfs") else None


_EXTENSION = _extension()  # looked up with the imports: an apsw that was built without the extras has none
_RESERVED = 8
"""Bytes at the end of each page, as the extension wants them."""


@cache
def checking_vfs() -> str:
    """Load the extension, and return the name that a connection opens its file with.

    Raises:
        StoreError: This installation of apsw has no such extension.
    """
    if _EXTENSION is None:
        raise StoreError(
            "the SQLite of this installation cannot check what it reads",
            hint="install apsw from its wheel: pip install --force-reinstall --only-binary apsw apsw",
        )
    default = apsw.vfs_names()[0]
    loader = apsw.Connection(":memory:")
    try:
        loader.enable_load_extension(True)
        loader.load_extension(_EXTENSION)
    finally:
        loader.close()
        apsw.set_default_vfs(default)  # other databases of this process stay as they are
    return "cksmvfs"


def is_mismatch(error: BaseException) -> bool:
    """Check whether a page was read that is not as it was written."""
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


def has_room(connection: apsw.Connection) -> bool:
    """Check whether the file's pages have room for checksums."""
    return connection.reserve_bytes("main") == _RESERVED


def trust_pages(connection: apsw.Connection, trusted: bool) -> None:
    """Set whether pages are read without being checked."""
    connection.pragma("checksum_verification", 0 if trusted else 1)
    if not trusted:
        connection.execute("PRAGMA shrink_memory")  # what was read unchecked is not to be found again


@contextmanager
def trusted_pages(connection: apsw.Connection) -> Iterator[None]:
    """Read pages without checking them for a while: what is read of them has checksums of its own."""
    trust_pages(connection, True)
    try:
        yield
    finally:
        trust_pages(connection, False)


def make_room(connection: apsw.Connection) -> None:
    """Reserve room for checksums in the pages of a file that is empty, or being rewritten."""
    connection.reserve_bytes("main", _RESERVED)


def write_all(connection: apsw.Connection) -> None:
    """Rewrite every page, with a checksum once there is room; the connection is alone, not in WAL mode."""
    connection.execute("VACUUM")


_ELSEWHERE = "or choose another store with --store or STEPGRAPH_STORE"
_SAFE = "what was committed is safe"


def translated(error: Exception, path: Path, url: str, busy_timeout: float) -> StoreError:
    """Turn an error of apsw, or of decoding what it read, into a StoreError.

    Args:
        error: What was raised.
        path: The store's file.
        url: The store's address.
        busy_timeout: How long the connection waits for a lock, in seconds.
    """
    if isinstance(error, (apsw.BusyError, apsw.LockedError)):
        return StoreError(
            f"the store {path} is locked: another process has held it for {busy_timeout:g} seconds",
            hint="nothing was changed; try again when it is done, or set a longer busy_timeout",
        )
    if isinstance(error, apsw.ConnectionClosedError):
        return closed(url)
    if isinstance(error, apsw.CantOpenError):
        return cannot_open(path)
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, f"it has a text that is not Unicode ({error.reason})")
    if isinstance(error, UnicodeError):
        return StoreError(f"a text is not Unicode: {error}", hint="remove its lone surrogates")
    if is_mismatch(error):
        return damaged(path, "a page of the file is not as Stepgraph wrote it")
    # A constraint too: it refuses to copy for a fork what no Stepgraph has written.
    if isinstance(error, (apsw.CorruptError, apsw.SQLError, apsw.FormatError, apsw.ConstraintError, Damaged)):
        return damaged(path, error)
    what, hint = _words(error)
    return StoreError(f"the store {path} {what}", hint=hint)


def _words(error: Exception) -> tuple[str, str]:
    if isinstance(error, apsw.FullError):
        return "cannot grow: the disk is full", f"free some space and try again; {_SAFE}"
    if isinstance(error, (apsw.ReadOnlyError, apsw.PermissionsError)):
        return "cannot be written: its file or folder is read-only", f"allow writing to both, {_ELSEWHERE}"
    if isinstance(error, apsw.NotADBError):
        return "is not an SQLite database", f"check the path; if it was a store, {BACKUP}, {_ELSEWHERE}"
    if isinstance(error, apsw.IOError):
        return f"cannot be read or written ({error})", f"check the disk, quotas and file size limits; {_SAFE}"
    if isinstance(error, apsw.TooBigError):
        return "cannot hold a value of more than 1 GB", "keep big data in files, and their paths in the state"
    return (
        f"failed: {type(error).__name__}: {error}",
        "`stepgraph doctor` checks the store, and `stepgraph doctor --repair` saves what is whole",
    )


def cannot_open(path: Path, error: OSError | ValueError | None = None) -> StoreError:
    """Explain why a file cannot be opened, as far as the file system tells."""
    folder = path.parent
    try:
        if path.is_dir():
            why, hint = "it is a folder", f"name a file in it, such as {path / 'runs.db'}"
        elif folder.exists() and not folder.is_dir():
            why, hint = f"{folder} is a file, not a folder", "check the path"
        elif path.exists() and not os.access(path, os.R_OK | os.W_OK):
            why, hint = "you may not read and write the file", f"change its permissions, {_ELSEWHERE}"
        elif folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            why, hint = f"you may not write to the folder {folder}", f"change its permissions, {_ELSEWHERE}"
        else:
            why, hint = _reason(error), f"check the path and its permissions, {_ELSEWHERE}"
    except (OSError, ValueError) as unreadable:
        why, hint = _reason(unreadable), f"check the path and its permissions, {_ELSEWHERE}"
    return StoreError(f"the store {path} cannot be opened: {why}", hint=hint)


def _reason(error: OSError | ValueError | None) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return str(error or "the system refuses it")


Standing = Literal["open", "resting", "inherited", "closed"]
"""Whether a file is open. ``resting``: closed around a fork; ``inherited``: open in the parent alone."""


def let_go(trace: TracebackType | None) -> None:
    """Clear the frames of an error: a query that is not read to its end would hold on to its moment."""
    while trace is not None:
        with suppress(RuntimeError):  # it is still running
            trace.tb_frame.clear()
        trace = trace.tb_next


_files: set[tuple[int, int]] = set()
"""The files of those connections, by inode and device."""


def refuse_inherited(path: Path) -> None:
    """Refuse to open a file that this process has inherited open.

    Raises:
        StoreError: It has.
    """
    if _files and os.stat(path)[1:3] in _files:  # noqa: PTH116  # the inode and the device alone
        raise inherited_open(path)


def inherited_open(path: Path) -> StoreError:
    """Refuse a store that was in use when this process was forked."""
    return StoreError(
        f"the store {path} was in use when this process was forked, and is its parent's alone",
        hint="fork while no other thread uses it, or start a new process (multiprocessing's method 'spawn')",
    )


def never_free(inherited: object) -> None:
    """Keep an object from ever being freed, also when the interpreter ends."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))


def _note() -> None:
    for connection in apsw.connections():
        never_free(connection)
        with suppress(apsw.Error, OSError):
            _files.add(os.stat(connection.filename)[1:3])  # noqa: PTH116


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note)


_SMALLEST = 512
"""Bytes of the smallest SQLite file; SQLite itself would take a shorter file for an empty one."""

Durability = Literal["full", "normal"]


def located(path: str | Path) -> Path:
    """Resolve the absolute path of a store's file, ``~`` being the user's home.

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
    until = time.monotonic() + busy_timeout
    while True:
        try:
            return _connected(path, durability, busy_timeout)
        except apsw.BusyError:  # SQLite waits for no lock while it switches how it logs
            if time.monotonic() > until:
                raise
            time.sleep(0.005)  # noqa: TID251  # the lock is another process's: no event tells when it goes


def _connected(path: Path, durability: Durability, busy_timeout: float) -> apsw.Connection:
    """Open the file once.

    Raises:
        apsw.BusyError: Another process uses it, or makes it: it may be what it is to be by now.
    """
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    try:
        connection.set_busy_timeout(round(busy_timeout * 1000))
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from somebody else
        if not _is_current(connection, path):
            _make_current(connection, path)
        _switch(connection, "WAL", path)
        connection.execute(f"PRAGMA synchronous = {'FULL' if durability == 'full' else 'NORMAL'}")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: its plain fsync does not reach the disk
        # From here on it has the write-ahead log open too; the tables may be damaged, and are read later.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        refuse_lost_commits(connection, path)
    except BaseException:
        connection.close(True)
        raise
    return connection


def _is_current(connection: apsw.Connection, path: Path) -> bool:
    """Check whether the file is as this version makes it, checksums included."""
    try:
        return schema.check(connection, path) and has_room(connection)
    except apsw.IOError as error:
        if not is_mismatch(error):
            raise
        return False


def _make_current(connection: apsw.Connection, path: Path) -> None:
    """Bring a new file, an older one, or a copy that another tool made to where this version wants it.

    A copy has no checksums on its pages; it is taken when its rows are whole by their own. All pages get
    new ones: nothing that the old ones tell is lost by that.
    """
    trust_pages(connection, True)
    is_copy, had_checksums = schema.check(connection, path), has_room(connection)
    if schema.is_empty(connection) and _uses_wal(connection):
        # No store is made without its tables.
        raise lost_log(path, f"{Path(connection.filename_wal).name} is gone")
    make_room(connection)
    _take_alone(connection, path)
    try:
        made_meanwhile = not is_copy and schema.check(connection, path)  # by another process
        if not made_meanwhile and not schema.is_empty(connection):
            from .checking import first_damage, has_whole_pages

            if schema.has_digests(connection) and not (had_checksums and has_whole_pages(connection)):
                with schema.shown_as_current(connection):
                    damage = first_damage(connection, path)
                if damage is not None:
                    raise Damaged(damage)
            write_all(connection)
        schema.migrate(connection)
        trust_pages(connection, False)
    finally:
        connection.pragma("locking_mode", "NORMAL")
    schema.check(connection, path)  # reading lets go of the lock


def _take_alone(connection: apsw.Connection, path: Path) -> None:
    """Take the file for this connection alone, out of WAL mode, until its locking mode is normal again."""
    while True:
        _switch(connection, "DELETE", path)
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


def _switch(connection: apsw.Connection, mode: str, path: Path) -> None:
    """Switch to write-ahead logging, which is kept in the file, or away from it."""
    found = connection.pragma("journal_mode", mode)
    if found != mode.lower():
        raise StoreError(
            f"the file system of {path} does not support write-ahead logging (SQLite offers {found!r})",
            hint="put the store on a local disk: choose it with --store or STEPGRAPH_STORE",
        )
