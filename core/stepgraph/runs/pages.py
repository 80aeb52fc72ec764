"""A run's ledger as a sequence that is read page by page: looking costs what is looked at."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar, overload

from ..stores.refusals import damaged

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..stores.ledger import Row

T = TypeVar("T")

PAGE = 256
"""How many rows are read at a time."""
_KEPT = 16  # pages


class Paged(Sequence[T]):
    """A sequence whose items are read when they are looked at, and so are those of its slices."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        places = range(len(self))
        if isinstance(index, slice):
            return PagedSlice(self, places[index])
        return self.item(places[index])

    @abstractmethod
    def item(self, index: int) -> T:
        """Read an item; there is one at ``index``, counted from 0."""


class PagedSlice(Paged[T]):
    """A part of a sequence."""

    def __init__(self, whole: Sequence[T], places: Sequence[int]) -> None:
        self._whole, self._places = whole, places

    def __len__(self) -> int:
        return len(self._places)

    def item(self, index: int) -> T:
        """Read an item of the whole."""
        return self._whole[self._places[index]]


class LedgerRows(Paged["Row"]):
    """The rows of a run. Only the pages that were looked at last are in memory.

    Args:
        store: Where the run lives.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self.version = 0
        """How many rows there are."""
        self._store = store
        self._run_id = run_id
        self._pages: dict[int, list[Row]] = {}  # the one that was looked at last comes last
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self.version

    def item(self, index: int) -> Row:
        """Read a row, with its page where that is not in memory."""
        return self._page(index // PAGE)[index % PAGE]

    def _page(self, number: int) -> list[Row]:
        first, end = number * PAGE, min(number * PAGE + PAGE, self.version)
        with self._lock:
            page = self._pages.pop(number, [])
            if len(page) < end - first:
                page = page + self._store.rows(self._run_id, first + len(page), end)
            if len(page) < end - first:
                raise damaged(self._store.url, f"the ledger of run {self._run_id!r} has gaps")
            self._pages[number] = page
            if len(self._pages) > _KEPT:
                del self._pages[next(iter(self._pages))]
        return page
