"""What SQLite's errors mean to a person."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from ...values.errors import StoreError
from ..encoding import Damaged
from ..refusals import BACKUP, closed, damaged
from .checksums import is_mismatch

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
    """Say why a file cannot be opened, as far as the file system tells."""
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
