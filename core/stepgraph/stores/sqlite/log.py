"""The write-ahead log of a store that was not closed: is it there, and does it hold what was committed?

SQLite takes a log to end before the first frame that it cannot read, and says nothing: that is how the last
transaction of a machine that lost its power looks. Whole transactions behind that place were acknowledged.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

import apsw

from ...values.errors import StoreDamaged, StoreError
from ..opening import left_log
from .last_commit import lacking

_HEADER, _FRAME = 32, 24  # bytes
_LOOKED_AT = 256  # frames
_BIG_ENDIAN_SUMS = 0x377F0683


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
    """Say what has become of the log of a file that is only read, where its last commits are lost with it."""
    log = _log(path)
    if _is_log_gone(path):
        return [f"{log.name} is gone"]
    if log.exists() and _has_unread_commits(connection, _frames(connection)):
        return [f"{log.name} is damaged"]
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
            "put a backup in its place or begin anew",
        )
    else:
        what, back, then = "its file is gone", "put the file back beside its log; or ", "begin a new store"
    raise StoreDamaged(
        f"the store {path} is damaged: {what}, and its write-ahead log {log.name} is left",
        f"{what}, and {log.name} is left",
        hint=f"nothing was changed; {back}{away} (the log may have what was committed last), then {then}",
    )


def refuse_damaged_log(connection: apsw.Connection, path: Path) -> None:
    """Refuse a file in whose write-ahead log there are commits that SQLite did not read.

    Raises:
        StoreError: There are.
    """
    while True:
        read = _frames(connection)
        if not _has_unread_commits(connection, read):
            return
        if _frames(connection) == read:  # else another process has written meanwhile
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # closing would throw it away
            raise lost_log(path, f"{Path(connection.filename_wal).name} is damaged")


def _frames(connection: apsw.Connection) -> int:
    """Count the frames of the log that SQLite reads."""
    return connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)[0]


def _has_unread_commits(connection: apsw.Connection, read: int) -> bool:
    """Tell whether the log goes on behind its readable end: with more than one commit, or as a whole."""
    step = _FRAME + int(connection.pragma("page_size"))
    with Path(connection.filename_wal).open("rb") as log:
        header = log.read(_HEADER)
        log.seek(0, os.SEEK_END)
        frames = (log.tell() - _HEADER) // step
        if frames < 1:
            return False
        if not _is_sound(header):
            return True
        commits = 0
        for frame in range(max(read, 0), min(frames, read + _LOOKED_AT)):
            log.seek(_HEADER + frame * step)
            _, pages, salts = struct.unpack(">II8s", log.read(16))
            commits += pages > 0 and salts == header[16:24]
    return commits > 1  # one alone may be what a power cut left of a commit that nobody was told of


def _is_sound(header: bytes) -> bool:
    """Check the header of a log by its checksum."""
    order = ">" if struct.unpack(">I", header[:4])[0] == _BIG_ENDIAN_SUMS else "<"
    words = struct.unpack(f"{order}6I", header[:24])
    one = two = 0
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = one + first + two & 0xFFFFFFFF
        two = two + second + one & 0xFFFFFFFF
    return (one, two) == struct.unpack(">2I", header[24:])


def lost_log(path: Path, what: str) -> StoreError:
    """Say that a store has lost what was committed last."""
    return StoreDamaged(
        f"the store {path} has lost its write-ahead log: {what}, and with it what was committed last",
        hint="put that file back beside it; `stepgraph doctor --repair` saves what is there without it",
    )
