"""Connections that were open when this process was forked: they are its parent's, and are never touched here.

To use one would corrupt the file, and to close one might write to it. A new connection to such a file is none
either: the library shares with it the locks that it counts on, which a child does not inherit.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import apsw

from ...values.errors import StoreError

_files: set[tuple[int, int]] = set()
"""The files that they have open, by inode and device."""


def refuse_left(path: Path) -> None:
    """Refuse to open a file that this process has inherited open.

    Raises:
        StoreError: It has.
    """
    if _files and os.stat(path)[1:3] in _files:  # noqa: PTH116  # the inode and the device alone
        raise left_to_parent(path)


def left_to_parent(path: Path) -> StoreError:
    """Say that a store cannot be used because this process was forked while it was in use."""
    return StoreError(
        f"the store {path} was in use when this process was forked, and is its parent's alone",
        hint="fork while no other thread uses it, or start a new process (multiprocessing's method 'spawn')",
    )


def keep_for_ever(inherited: object) -> None:
    """Keep an object from ever being freed, also when the interpreter ends."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))


def _note() -> None:
    for connection in apsw.connections():
        keep_for_ever(connection)
        with suppress(apsw.Error, OSError):
            _files.add(os.stat(connection.filename)[1:3])  # noqa: PTH116


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note)
