"""Changing a store as somebody does who means it: with checksums that fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from stepgraph.stores.sqlite import schema
from stepgraph.stores.sqlite.opening import checking_vfs


@contextmanager
def forged(path: Path) -> Iterator[apsw.Connection]:
    """A connection; what was changed by it gets checksums in the end."""
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    try:
        yield connection
        schema._write_digests(connection, 1)
    finally:
        connection.close()
