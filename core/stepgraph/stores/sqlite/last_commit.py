"""The note of what was committed last, in a small file beside the store: by it a log that is gone is missed.

SQLite takes a write-ahead log that was deleted, or cut at its end, for one in which nothing more was. The
note names a run, and the version to which a commit has moved it; a store that lacks that is refused.

It is written behind each commit and never synced. Under ``full`` the commit is on the disk by then: the note
is never ahead. Under ``normal`` a power cut may keep the note and lose the commit: it counts until the next
boot. Of two processes that write it at once either may be the last: what it says is true all the same. As the
log does, it goes when the last one closes the store.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from ...values.clocks import boot_id
from ...values.errors import CommitsLost
from .sequence import MADE

SUFFIX = "-last"
DELETED = 0
"""The version that is noted of a run that was deleted."""

_MAX_BYTES = 256
_SYNCED = "synced"
_LACKS = f"""
    SELECT CASE WHEN :version = {DELETED} THEN found IS NOT NULL OR made < :no
        ELSE coalesce(found < :version, made < :no) END, id
    FROM (SELECT {MADE} AS made) LEFT JOIN (SELECT version AS found, id FROM runs WHERE no = :no)"""  # noqa: S608  # constants
"""A run that is not there was deleted later, unless its number was never given to one."""


class _Noted(NamedTuple):
    """The content of a note: a run's number, and its version."""

    no: int
    version: int


class LastCommit:
    """The note of a store that is open for writing.

    Where the file cannot be written, there is none.

    Args:
        path: The store's file.
        synced: Whether a commit is on the disk when it is noted.
    """

    def __init__(self, path: Path, synced: bool) -> None:
        self._path = note_of(path)
        boot = _SYNCED if synced else boot_id()
        self._tail = None if boot is None else f" {boot}\n".encode()
        self._file: int | None = None

    def note(self, no: int, version: int) -> None:
        """Note a commit: a run's number, and the version that it is at now; DELETED where it is gone."""
        tail = self._tail
        if tail is None:
            return
        try:
            if self._file is None:
                self._file = self._opened()
            os.pwrite(self._file, b"%d %d %d%b" % (no, version, no + version, tail), 0)  # some microseconds
        except (OSError, AttributeError):  # a read-only folder; a system without pwrite
            self._tail = None

    def _opened(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def close(self, is_over: bool) -> None:
        """Let go of the file, and take it away when all that was committed is in the store's own file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if is_over:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def lacking(connection: apsw.Connection, path: Path) -> str | None:
    """Describe the commit that was noted beside a store and is not in it; None where nothing is missing.

    Args:
        connection: The store; what of it cannot be read is told of by whoever reads it.
        path: Its file.
    """
    noted = _read(path)  # before the store: another process may commit meanwhile
    if noted is None:
        return None
    try:
        is_missing, id_ = connection.execute(_LACKS, noted._asdict()).fetchone() or (False, None)
    except apsw.Error:
        return None
    if not is_missing:
        return None
    run = f"run number {noted.no}" if id_ is None else f"run {id_!r}"
    if noted.version == DELETED:
        return f"{run} had been deleted (noted in {note_of(path).name}), and is there again"
    return f"{run} had come to version {noted.version} (noted in {note_of(path).name}), which is not there"


def refuse_lost_commits(connection: apsw.Connection, path: Path) -> None:
    """Refuse a store that lacks what was committed last.

    Raises:
        CommitsLost: It does.
    """
    what = lacking(connection, path)
    if what is None:
        return
    # Closing would bring what is left of the log home, and throw it away.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    raise CommitsLost(
        f"the store {path} has lost commits: {what}",
        hint="its log was deleted or cut, or an older copy was put in its place; put back what you have of it"
        f" or delete {note_of(path)} to go on from here: steps that are missing are run again",
    )


def note_of(path: Path) -> Path:
    """Find the note beside a store."""
    return Path(os.path.realpath(path) + SUFFIX)


def _read(path: Path) -> _Noted | None:
    """Read a note; None where there is none that counts."""
    try:
        with note_of(path).open("rb") as file:
            no, version, sum_, when = file.read(_MAX_BYTES).partition(b"\n")[0].decode().split(" ")
        is_whole = int(sum_) == int(no) + int(version) and when in (_SYNCED, boot_id())
        return _Noted(int(no), int(version)) if is_whole else None
    except (OSError, ValueError):
        return None
