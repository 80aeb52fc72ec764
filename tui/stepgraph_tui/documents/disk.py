"""A graph file on disk: as it was read or written last, and whether it is still that."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from stepgraph.files.atomic import write_atomically
from stepgraph.files.limits import MAX_BYTES
from stepgraph.files.reader import read_bytes
from stepgraph.values.errors import GraphFileError

Standing = Literal["same", "changed", "gone"]
"""How a file stands against what is known of it."""

_HINTS = {
    errno.ENOSPC: "free some space and save again, or save a copy elsewhere",
    errno.EDQUOT: "free some space and save again, or save a copy elsewhere",
    errno.ENOENT: "its folder is gone: create it again, or save a copy elsewhere",
    errno.ENOTDIR: "its folder is gone: create it again, or save a copy elsewhere",
    errno.EISDIR: "a folder has this name: save a copy elsewhere",
    errno.EROFS: "nothing can be written there: save a copy elsewhere",
    errno.ENAMETOOLONG: "save it under a shorter name",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a file."""

    digest: str | None = None
    """The SHA-256 of its content; None where there was none that could be read."""
    stamp: tuple[int, ...] | None = None
    """When it last changed, and its size; None where the content must be looked at to tell."""


class DiskFile:
    """A file, and what is known of it.

    Args:
        path: Where it is.
        most: How many bytes it may have.
        kind: What the names of such files end in.
    """

    def __init__(self, path: Path, most: int = MAX_BYTES, kind: str = ".toml") -> None:
        self.path = path
        self._most, self._kind = most, kind
        self.seen = Seen()

    def read(self) -> bytes:
        """Read its content, which counts as known from now on.

        Raises:
            GraphFileError: It is missing, no plain file, unreadable or too large; that is known then too.
        """
        self.seen = Seen(None, _stamp(self.path))  # before reading: what changes meanwhile is found out
        data = read_bytes(self.path, str(self.path), self._most, self._kind)
        self.seen = Seen(digest_of(data), self.seen.stamp)
        return data

    def standing(self, *, closely: bool = False) -> Standing:
        """Tell whether it is still what is known of it.

        Args:
            closely: Whether to compare the content also where time and size are the known ones.
        """
        stamp = _stamp(self.path)
        if stamp is None:
            return "gone" if self.seen.digest is not None else "same"
        if stamp == self.seen.stamp and not closely:
            return "same"
        try:
            digest = digest_of(read_bytes(self.path, str(self.path), self._most))
        except GraphFileError:
            digest = None
        if digest is None or digest != self.seen.digest:
            return "changed"
        self.seen = Seen(digest, stamp)
        return "same"

    def keep_backup(self) -> Path | None:
        """Copy it as it is now to a file beside it; None when there is nothing to copy.

        Raises:
            GraphFileError: That cannot be written.
        """
        try:
            mode, data = self.path.stat().st_mode & 0o7777, self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _not_written(self.path, error) from error
        backup = self.path.with_name(f"{self.path.name}.bak")
        try:
            write_atomically(backup, data, mode)
        except OSError as error:
            raise _not_written(
                self.path, error, f"no copy of the old one could be left at {backup}: "
            ) from error
        return backup

    def write(self, data: bytes) -> None:
        """Replace its content, wholly or not at all.

        Raises:
            GraphFileError: It cannot be written; it is as it was.
        """
        try:
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise PermissionError(errno.EACCES, "you may not write it")  # replacing would not mind
            write_atomically(self.path, data)
        except (OSError, ValueError) as error:
            raise _not_written(self.path, error) from error
        self.seen = Seen(digest_of(data))


def digest_of(data: bytes) -> str:
    """Compute the SHA-256 of a content, as it is kept."""
    return sha256(data).hexdigest()


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _not_written(path: Path, error: OSError | ValueError, what: str = "") -> GraphFileError:
    number = getattr(error, "errno", None)
    reason = getattr(error, "strerror", None) or str(error)
    hint = _HINTS.get(number or 0, "change its permissions, or save a copy elsewhere")
    return GraphFileError(f"{path} was not saved: {what}{reason}", hint=hint)
