"""The file that a connection has open, looked at from outside: is it still the one that its path names?"""

from __future__ import annotations

import os
from pathlib import Path

from ...values.errors import StoreLost

_NOW_AND_THEN = 4
"""Looks between two at what lies beside the file."""
_Identity = tuple[int, int]


class OpenFile:
    """The files of a store that is open: the database, its write-ahead log and the log's index.

    SQLite goes on writing to files that nobody can find any more, and locks that are kept in another index
    than everybody else's are no locks. So they are looked at behind every commit, before it is acknowledged:
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
            raise self._gone(error) from error
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
            raise self._gone(error) from error
        if found[1:3] != self._known:  # inode and device
            moved = self._moved()
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
            raise self._gone(error) from error
        if found[1:3] != self._known_beside[turn]:
            raise self._refusal(f"was cut off from {part}: another file has that name now")

    def _gone(self, error: OSError) -> StoreLost:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return StoreLost(
                f"the store {self.path} cannot be looked at: {error.strerror}",
                hint="make it reachable again and load the run anew: what was committed last may be missing",
            )
        if error.filename in self._beside:
            return self._refusal(f"was cut off from {error.filename}, which was deleted")
        moved = self._moved()
        return self._refusal(f"was moved to {moved}" if moved else "was deleted or moved away")

    def _moved(self) -> str | None:
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
