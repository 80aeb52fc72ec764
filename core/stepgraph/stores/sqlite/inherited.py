"""Connections that this process inherited open when it was forked: its parent's, never touched here.

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
"""The files of those connections, by inode and device."""


def refuse_inherited(path: Path) -> None:
    """Refuse to open a file that this process has inherited open.

    Raises:
        StoreError: It has.
    """
    if _files and os.stat(path)[1:3] in _files:  # noqa: PTH116  # the inode and the device alone
        raise inherited_open(path)


def inherited_open(path: Path) -> StoreError:
    """Refuse a store that was in use when this process was forked."""
    return StoreError(
        f"the store {path} was in use when this process was forked, and is its parent's alone",
        hint="fork while no other thread uses it, or start a new process (multiprocessing's method 'spawn')",
    )


def never_free(inherited: object) -> None:
    """Keep an object from ever being freed, also when the interpreter ends."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))


def _note() -> None:
    for connection in apsw.connections():
        never_free(connection)
        with suppress(apsw.Error, OSError):
            _files.add(os.stat(connection.filename)[1:3])  # noqa: PTH116


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note)
