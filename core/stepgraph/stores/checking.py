"""Looking at every row of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..values.errors import StoreDamaged, UnknownRun
from .base import Damage, StateStore, StoredRun, each_row
from .keeping import Ledger
from .ledger import Row, replaying

Progress = Callable[[int], None]
"""Hears how many rows were read; what it raises stops the work."""
_TOLD = 1_000  # rows


def store_damages(store: StateStore, progress: Progress | None = None) -> Iterator[Damage]:
    """Check all runs of a store, and report each damage as it is found; others may write meanwhile.

    The file of a SQLite store is looked at more closely by ``stepgraph.stores.sqlite.file_damages``.

    Args:
        store: The store.
        progress: Hears how many rows were read.
    """
    runs = store.runs()
    yield from runs.damages
    read = 0

    def counted(rows: Iterable[Row]) -> Iterator[Row]:
        nonlocal read
        for row in rows:
            yield row
            read += 1
            if progress is not None and read % _TOLD == 0:
                progress(read)

    for run in runs:
        try:
            version = _version(store, run)
            _check_states(store, run.head.id, counted(each_row(store, run.head.id, upto=version)), version)
        except UnknownRun:  # it was deleted meanwhile
            continue
        except StoreDamaged as error:
            if not _is_gone(store, run.head.id):  # what it needed went with it
                yield Damage(error.what, run.head.id)
        if progress is not None:
            progress(read)


def whole_rows(store: StateStore, run: StoredRun) -> list[Row]:
    """Read a run's definition and all of its rows.

    Raises:
        StoreDamaged: One of them is not as it was written.
        UnknownRun: It was deleted meanwhile.
    """
    return store.rows(run.head.id, upto=_version(store, run))


def _version(store: StateStore, run: StoredRun) -> int:
    """Find how many rows a run has by now, and check that its definition is whole."""
    version = store.load(run.head.id).pointer.version
    store.definition(run.pointer.definition)
    return version


def _check_states(store: StateStore, run_id: str, rows: Iterable[Row], version: int) -> None:
    """Check that the last state of a run, and that of each snapshot, is what its rows add up to."""
    known = {version, *(store.snapshots(run_id) if isinstance(store, Ledger) else ())}
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
