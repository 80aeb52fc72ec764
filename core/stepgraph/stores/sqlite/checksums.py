"""A checksum on every page of the file, kept and checked by SQLite's own extension.

Whatever is read is as it was written, or is refused: rows, indexes and the tables' own bookkeeping alike.
A copy that another tool made (``sqlite3 .backup``, ``VACUUM INTO``) has the rows, but not the checksums.
"""

from __future__ import annotations

from functools import cache

import apsw

from ...values.errors import StoreError


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
    """Load the extension, and give the name that a connection opens its file with.

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
    """Tell whether a page was read that is not as it was written."""
    return isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA


def has_room(connection: apsw.Connection) -> bool:
    """Tell whether the file's pages have room for checksums."""
    return connection.reserve_bytes("main") == _RESERVED


def trust_pages(connection: apsw.Connection, trusted: bool) -> None:
    """Say whether pages are read without being checked."""
    connection.pragma("checksum_verification", 0 if trusted else 1)
    if not trusted:
        connection.execute("PRAGMA shrink_memory")  # what was read unchecked is not to be found again


def make_room(connection: apsw.Connection) -> None:
    """Have room for checksums in the pages of a file that is still empty, or that is written anew."""
    connection.reserve_bytes("main", _RESERVED)


def write_all(connection: apsw.Connection) -> None:
    """Write every page anew, with a checksum once there is room; the connection is alone, not in WAL mode."""
    connection.execute("VACUUM")
