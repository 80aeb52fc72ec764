"""The file that a connection has open, looked at from outside: is it still the one that its path names?"""

from __future__ import annotations

import os
from pathlib import Path

from ...values.errors import StoreLost

_Identity = tuple[int, int]


class OpenFile:
    """The files of a store that is open: the database and its write-ahead log.

    SQLite goes on writing to files that nobody can find any more. So they are looked at behind every commit,
    before it is acknowledged.

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
        self._size = 0
        self._identity: _Identity | None = None
        self._log_identity: _Identity | None = None
        self.lost = False
        """True once it was found gone."""
        self.look()

    def look(self) -> None:
        """Look at both files; two calls of the system.

        Raises:
            StoreLost: One of them was deleted, moved, replaced or cut.
        """
        try:
            found = os.stat(self._file)
            log = os.stat(self._log)
        except OSError as error:
            raise self._gone(error) from error
        if self._identity is None:
            self._identity = found.st_dev, found.st_ino
            self._log_identity = log.st_dev, log.st_ino
        if found.st_ino != self._identity[1] or found.st_dev != self._identity[0]:
            raise self._refusal("was replaced: another file has its name now")
        if log.st_ino != self._log_identity[1] or log.st_dev != self._log_identity[0]:  # type: ignore[index]
            raise self._refusal(f"was cut off from its write-ahead log: {self._log} is another file now")
        if found.st_size < self._size:
            raise self._refusal(f"was truncated: it had {self._size:,} bytes, and has {found.st_size:,}")
        self._size = found.st_size

    def _gone(self, error: OSError) -> StoreLost:
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return StoreLost(
                f"the store {self.path} cannot be looked at: {error.strerror}",
                hint="nothing is written to a file that cannot be seen; make it reachable again, and go on",
            )
        if self._identity is None or Path(error.filename) == self.path:
            moved = self._moved()
            return self._refusal(f"was moved to {moved}" if moved else "was deleted or moved away")
        return self._refusal(f"was cut off from its write-ahead log: {self._log} was deleted")

    def _moved(self) -> str | None:
        """Ask the system where the open file is now; None where it does not tell."""
        try:
            for handle in Path("/proc/self/fd").iterdir():
                found = handle.stat()
                if (found.st_dev, found.st_ino) == self._identity and found.st_nlink:
                    return str(handle.readlink())
        except OSError:
            pass
        return None

    def _refusal(self, what: str) -> StoreLost:
        self.lost = True
        return StoreLost(
            f"the store {self.path} {what}, while it was open; nothing is written to it any more",
            hint="what it had is still in this program's hands: `store.rescue(path)` saves it to a new file",
        )
