"""Looking at every row of a store through what every store offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..values.errors import StoreDamaged, UnknownRun
from .base import Damage, StateStore, StoredRun
from .ledger import replay


def store_damages(store: StateStore, progress: Callable[[int], None] | None = None) -> Iterator[Damage]:
    """Check all runs of a store, and tell of each damage as it is found; others may write meanwhile.

    The file of a SQLite store is looked at more closely by ``stepgraph.stores.sqlite.file_damages``.

    Args:
        store: The store.
        progress: Hears how many rows were read; what it raises stops the work.
    """
    runs = store.runs()
    yield from runs.damages
    read = 0
    for run in runs:
        try:
            read += _check(store, run)
        except UnknownRun:  # it was deleted meanwhile
            continue
        except StoreDamaged as error:
            if not _is_gone(store, run.head.id):  # what it needed went with it
                yield Damage(error.what, run.head.id)
        if progress is not None:
            progress(read)


def _is_gone(store: StateStore, run_id: str) -> bool:
    try:
        store.load(run_id)
    except (StoreDamaged, UnknownRun) as error:
        return isinstance(error, UnknownRun)
    return False


def _check(store: StateStore, run: StoredRun) -> int:
    """Read all of a run, and count its rows."""
    id_ = run.head.id
    seq = store.load(id_).pointer.version
    store.definition(run.pointer.definition)
    rows = store.rows(id_, upto=seq)
    if replay({}, rows) != store.values(id_, seq):
        what = "its last state is not what its rows add up to"
        raise StoreDamaged(what, what)
    return len(rows)
