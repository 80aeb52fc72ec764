"""Looking at every row of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..values.errors import StoreDamaged, UnknownRun
from .base import Damage, StateStore, StoredRun
from .keeping import Ledger
from .ledger import Row, replaying

Progress = Callable[[int], None]
"""Hears how many rows were read; what it raises stops the work."""


def store_damages(store: StateStore, progress: Progress | None = None) -> Iterator[Damage]:
    """Check all runs of a store, and tell of each damage as it is found; others may write meanwhile.

    The file of a SQLite store is looked at more closely by ``stepgraph.stores.sqlite.file_damages``.

    Args:
        store: The store.
        progress: Hears how many rows were read.
    """
    runs = store.runs()
    yield from runs.damages
    read = 0
    for run in runs:
        try:
            rows = whole_rows(store, run)
            _check_states(store, run.head.id, rows)
        except UnknownRun:  # it was deleted meanwhile
            continue
        except StoreDamaged as error:
            if not _is_gone(store, run.head.id):  # what it needed went with it
                yield Damage(error.what, run.head.id)
        else:
            read += len(rows)
        if progress is not None:
            progress(read)


def whole_rows(store: StateStore, run: StoredRun) -> list[Row]:
    """Read a run's definition and all of its rows.

    Raises:
        StoreDamaged: One of them is not as it was written.
        UnknownRun: It was deleted meanwhile.
    """
    version = store.load(run.head.id).pointer.version
    store.definition(run.pointer.definition)
    return store.rows(run.head.id, upto=version)


def _check_states(store: StateStore, run_id: str, rows: list[Row]) -> None:
    """Check that the last state of a run, and that of each snapshot, is what its rows add up to."""
    known = {len(rows), *(store.snapshots(run_id) if isinstance(store, Ledger) else ())}
    values: dict[str, Any] = {}
    try:
        for row in replaying(values, rows):
            if row.seq in known and store.values(run_id, row.seq) != values:
                raise ValueError(f"that after row {row.seq} is another one")
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # what replaying nonsense raises
        what = f"its states are not what its rows add up to: {error}"
        raise StoreDamaged(what, what) from error


def _is_gone(store: StateStore, run_id: str) -> bool:
    try:
        store.load(run_id)
    except (StoreDamaged, UnknownRun) as error:
        return isinstance(error, UnknownRun)
    return False
