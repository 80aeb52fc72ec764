"""The file that a connection has open, looked at from outside: is it still the one that its path names?"""

from __future__ import annotations

import os
from pathlib import Path

from ...values.errors import StoreLost

_Identity = tuple[int, int]


class OpenFile:
    """The files of a store that is open: the database, its write-ahead log and the log's index.

    SQLite goes on writing to files that nobody can find any more, and locks that are kept in another index
    than everybody else's are no locks. So all three are looked at behind every commit, before it is
    acknowledged.

    Args:
        path: The store's path, as it was named.
        log: The path of its write-ahead log.

    Raises:
        StoreLost: It is gone already.
    """

    def __init__(self, path: Path, log: str) -> None:
        self.path = path
        self._file = str(path)
        self._log = log
        self._index = log.removesuffix("wal") + "shm"
        self._size = 0
        self._known: tuple[_Identity, ...] | None = None
        self.lost = False
        """True once it was found gone."""
        self.look()

    def look(self) -> None:
        """Look at the files; three calls of the system.

        Raises:
            StoreLost: One of them was deleted, moved, replaced or cut.
        """
        try:
            found = os.stat(self._file)  # noqa: PTH116  # half the cost of Path.stat, at every commit
            log = os.stat(self._log)  # noqa: PTH116  # as above
            index = os.stat(self._index)  # noqa: PTH116  # as above
        except OSError as error:
            raise self._gone(error) from error
        now = (found.st_dev, found.st_ino), (log.st_dev, log.st_ino), (index.st_dev, index.st_ino)
        if now != self._known:
            if self._known is not None:
                raise self._replaced(now)
            self._known = now
        if found.st_size < self._size:
            raise self._refusal(f"was truncated: it had {self._size:,} bytes, and has {found.st_size:,}")
        self._size = found.st_size

    def _replaced(self, now: tuple[_Identity, ...]) -> StoreLost:
        assert self._known is not None  # noqa: S101  # it was looked at before
        if now[0] != self._known[0]:
            moved = self._moved()
            return self._refusal(
                f"was moved to {moved}, and another file has its name"
                if moved
                else "was replaced by another file"
            )
        other = self._log if now[1] != self._known[1] else self._index
        return self._refusal(f"was cut off from {other}: another file has that name now")

    def _gone(self, error: OSError) -> StoreLost:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return StoreLost(
                f"the store {self.path} cannot be looked at: {error.strerror}",
                hint="make it reachable again and load the run anew: what was committed last may be missing",
            )
        if error.filename != self._file:
            return self._refusal(f"was cut off from {error.filename}, which was deleted")
        moved = self._moved()
        return self._refusal(f"was moved to {moved}" if moved else "was deleted or moved away")

    def _moved(self) -> str | None:
        """Ask the system where the open file is now; None where it does not tell."""
        try:
            for handle in Path("/proc/self/fd").iterdir():
                found = handle.stat()
                if self._known is not None and (found.st_dev, found.st_ino) == self._known[0]:
                    return str(handle.readlink()) if found.st_nlink else None
        except OSError:
            pass
        return None

    def _refusal(self, what: str) -> StoreLost:
        self.lost = True
        return StoreLost(
            f"the store {self.path} {what}, while it was open; nothing is written to it any more",
            hint="what it had is still in this program's hands: `store.rescue(path)` saves it to a new file",
        )
