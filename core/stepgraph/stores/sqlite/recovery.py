"""Detect a database file that was moved, replaced or has lost commits while it was open."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from ...values.errors import CommitsLost, StoreDamaged, StoreError, StoreLost
from ...values.json_values import boot_id
from ..opening import left_log

MADE = (
    "max(coalesce((SELECT max(no) FROM runs), 0),"
    " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0))"
)
"""The number that the last run was given; ``sqlite_sequence`` keeps it when that run is deleted."""
_NOW_AND_THEN = 4
"""Looks between two at what lies beside the file."""
_Identity = tuple[int, int]


class OpenFile:
    """The files of a store that is open: the database, its write-ahead log and the log's index.

    SQLite goes on writing to files that nobody can find any more, and locks that are kept in another index
    than everybody else's are no locks. So they are looked at after every commit, before it is acknowledged:
    the database each time, the two beside it in turns now and then, for closing the store brings home what is
    in the log.

    Args:
        path: The store's path, as it was named.
        log: The path of its write-ahead log.
        before: The same file, as it was when it was last open.

    Raises:
        StoreLost: It is gone already.
    """

    def __init__(self, path: Path, log: str, before: OpenFile | None = None) -> None:
        self.path = path
        self.lost = False
        """True once it was found gone; it stays lost, whatever comes back."""
        self._file = str(path)
        self.log = log
        self._beside = (log, log.removesuffix("wal") + "shm")
        self._looks = 0
        self._size = 0
        self._refused = ""
        try:
            self._known: _Identity | None = os.stat(path)[1:3]  # noqa: PTH116  # as look does
            self._known_beside = tuple(os.stat(part)[1:3] for part in self._beside)  # noqa: PTH116
        except OSError as error:
            self._known = None
            raise self._lost_store(error) from error
        if before is not None:
            self._known, self._size = before._known, before._size
            self.look_at_file()

    def look(self) -> None:
        """Look at the files; a call of the system or two.

        Raises:
            StoreLost: One of them was deleted, moved, replaced or cut.
        """
        if self.lost:
            raise self._refusal(self._refused)
        self._looks += 1
        self.look_at_file()
        if self._looks % _NOW_AND_THEN == 0:
            self._look_beside(self._looks // _NOW_AND_THEN % 2)

    def look_at_file(self) -> None:
        """Look at the database alone.

        Raises:
            StoreLost: It was deleted, moved, replaced or cut.
        """
        try:
            found = os.stat(self._file)  # noqa: PTH116  # half the cost of Path.stat, at every commit
        except OSError as error:
            raise self._lost_store(error) from error
        if found[1:3] != self._known:  # inode and device
            moved = self._current_path()
            raise self._refusal(
                f"was moved to {moved}, and another file has its name"
                if moved
                else "was replaced by another file"
            )
        size = found[6]
        if size < self._size:
            raise self._refusal(f"was truncated: it had {self._size:,} bytes, and has {size:,}")
        self._size = size

    def has_log(self) -> bool:
        """Return whether the log still has its name."""
        try:
            return os.stat(self.log)[1:3] == self._known_beside[0]  # noqa: PTH116  # as look does
        except OSError:
            return False

    def _look_beside(self, turn: int) -> None:
        part = self._beside[turn]
        try:
            found = os.stat(part)  # noqa: PTH116  # as above
        except OSError as error:
            raise self._lost_store(error) from error
        if found[1:3] != self._known_beside[turn]:
            raise self._refusal(f"was cut off from {part}: another file has that name now")

    def _lost_store(self, error: OSError) -> StoreLost:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return StoreLost(
                f"the store {self.path} cannot be looked at: {error.strerror}",
                hint="make it reachable again and load the run again: what was committed last may be missing",
            )
        if error.filename in self._beside:
            return self._refusal(f"was cut off from {error.filename}, which was deleted")
        moved = self._current_path()
        return self._refusal(f"was moved to {moved}" if moved else "was deleted or moved away")

    def _current_path(self) -> str | None:
        """Ask the system where the open file is now; None where it does not tell."""
        try:
            for handle in Path("/proc/self/fd").iterdir():
                found = handle.stat()
                if (found.st_ino, found.st_dev) == self._known:
                    return str(handle.readlink()) if found.st_nlink else None
        except OSError:
            pass
        return None

    def _refusal(self, what: str) -> StoreLost:
        self.lost, self._refused = True, what
        return StoreLost(
            f"the store {self.path} {what}, while it was open; nothing is written to it any more",
            hint="this program still has its contents: `store.rescue(path)` saves it to a new file",
        )


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
                self._file = self._open()
            os.pwrite(self._file, b"%d %d %d%b" % (no, version, no + version, tail), 0)  # some microseconds
        except (OSError, AttributeError):  # a read-only folder; a system without pwrite
            self._tail = None

    def _open(self) -> int:
        return os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)

    def close(self, is_over: bool) -> None:
        """Close the file, and delete it when all that was committed is in the store's own file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if is_over:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def lacking(connection: apsw.Connection, path: Path) -> str | None:
    """Describe the commit that was noted beside a store and is not in it; None where nothing is missing.

    Args:
        connection: The store; whoever reads a part that is damaged reports it.
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


def refuse_lost_log(path: Path) -> None:
    """Refuse a file whose write-ahead log was taken away: its last commits are not in the file itself.

    SQLite makes the log before the index of it (``-shm``), and removes it after that. So an index without
    a log was left by a process that was killed, or is open, and somebody removed the log.

    Raises:
        StoreError: It was.
    """
    if _is_log_gone(path):
        raise lost_log(path, f"{_log(path).name} is gone")


def lost_commits(connection: apsw.Connection, path: Path) -> list[str]:
    """Describe the state of a read-only file's log when its last commits are lost."""
    if _is_log_gone(path):
        return [f"{_log(path).name} is gone"]
    what = lacking(connection, path)
    return [] if what is None else [what]


def _log(path: Path) -> Path:
    return Path(f"{os.path.realpath(path)}-wal")


def _is_log_gone(path: Path) -> bool:
    log = _log(path)
    index = Path(f"{str(log).removesuffix('wal')}shm")
    try:
        before = index.stat()
        return not log.exists() and before == index.stat()  # another process may open or close it just now
    except OSError:
        return False


def refuse_left_log(path: Path) -> None:
    """Refuse to begin a store where the last commits of another lie, whose file is gone or was emptied.

    Raises:
        StoreError: They do.
    """
    log = left_log(path)
    if log is None:
        return
    away = f"move {log.name} and {log.name.removesuffix('wal')}shm away"
    if path.exists():
        what, back, then = (
            "its file was emptied (it has 0 bytes)",
            "",
            "put a backup in its place or start over",
        )
    else:
        what, back, then = "its file is gone", "put the file back beside its log; or ", "begin a new store"
    raise StoreDamaged(
        f"the store {path} is damaged: {what}, and its write-ahead log {log.name} is left",
        f"{what}, and {log.name} is left",
        hint=f"nothing was changed; {back}{away} (the log may have what was committed last), then {then}",
    )


def lost_log(path: Path, what: str) -> StoreError:
    """Build the error for a store that has lost its last commits."""
    return StoreDamaged(
        f"the store {path} has lost its write-ahead log: {what}, and with it what was committed last",
        hint="put that file back beside it; `stepgraph doctor --repair` saves what is there without it",
    )
