"""Writing a file so that it is either the old one or the whole new one, whatever happens."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..values.errors import StepgraphError


def write_atomically(path: Path, data: bytes | Iterable[bytes], mode: int | None = None) -> None:
    """Replace the file at ``path``; a link stays a link.

    Args:
        path: The file.
        data: Its whole new content, or the parts of it, which are written as they come.
        mode: Its permissions; those that it had, or the usual ones of a new file, when None.

    Raises:
        OSError: It could not be written; what was there before is unchanged.
    """
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines((data,) if isinstance(data, bytes) else data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_mode(path) if mode is None else mode)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def write_output(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file that somebody has asked for, with the folders that it lies in, whole or not at all.

    Raises:
        StepgraphError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, parts)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError | ValueError) -> StepgraphError:
    """Build the error for a file that cannot be written."""
    why = getattr(error, "strerror", None) or error
    return StepgraphError(f"{path} cannot be written: {why}", hint="choose another name or folder")


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0o077)  # it can only be read by setting it: what others make meanwhile stays private
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Sync the folder so that the new name survives a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
