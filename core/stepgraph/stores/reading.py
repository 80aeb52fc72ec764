"""Reading the rows of a run that may be long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .base import StateStore
    from .ledger import Row, RowKind

_AT_ONCE = 2_000  # rows that are read to be forgotten


def each_row(
    store: StateStore,
    run_id: str,
    after: int = 0,
    upto: int | None = None,
    kinds: Iterable[RowKind] | None = None,
) -> Iterator[Row]:
    """Read the rows of a run one by one, as ``StateStore.rows`` gives them; only few are in memory.

    Args:
        store: Where the run lives.
        run_id: The run.
        after: The row after which to begin.
        upto: The last row; where the run stands when None.
        kinds: Which rows; all of them when None.
    """
    end = store.load(run_id).pointer.version if upto is None else upto
    kinds = None if kinds is None else tuple(kinds)
    for first in range(after, end, _AT_ONCE):
        yield from store.rows(run_id, first, min(first + _AT_ONCE, end), kinds)
