"""Past states to look around in: what is big of them stays in the store until somebody opens it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from stepgraph.runs import Mask
from stepgraph.stores import BigValue, is_big

if TYPE_CHECKING:
    from stepgraph.stores import StateStore
    from stepgraph.values import Json

Outline: TypeAlias = dict[str, Any]
"""A masked state, in which a BigValue stands for each value that nobody has opened."""

_KEPT = 8  # outlines, and values that were opened: going back and forth between two steps reads nothing


class Outlines:
    """The outlines of a run's states. They come out masked, and so does what is opened in them.

    Args:
        store: Where the run is.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._mask: Mask | None = None
        self._opened: set[BigValue] = set()
        self._read = lru_cache(_KEPT)(self._read_value)
        self._after = lru_cache(_KEPT)(self._outline_after)

    def mask_by(self, mask: Mask) -> None:
        """Hide these secrets from here on: more of the run was read."""
        if mask is not self._mask:
            self._mask = mask
            self._after.cache_clear()

    def between(self, before: int, after: int) -> tuple[Outline, Outline]:
        """Give the states after two rows (no state for 0); what is big in one and not in the other is read.

        Raises:
            StoreError: The store cannot be read.
        """
        one, other = self._after(before) if before else {}, self._after(after)
        return self._beside(one, other), self._beside(other, one)

    def open(self, value: BigValue) -> None:
        """Have a value stand in all outlines from here on.

        Raises:
            StoreError: It cannot be read.
        """
        self._read(value)
        self._opened.add(value)
        self._after.cache_clear()

    def _beside(self, one: Outline, other: Outline) -> Outline:
        """Read what is big of one state where another has something to compare it with."""
        missing = {
            name: self._masked({name: self._read(value)})[name]
            for name, value in one.items()
            if is_big(value) and name in other and not is_big(other[name])
        }
        return {**one, **missing} if missing else one

    def _outline_after(self, seq: int) -> Outline:
        outline = self._store.outline(self._run_id, seq)
        opened = {
            name: self._read(value)
            for name, value in outline.items()
            if is_big(value) and value in self._opened
        }
        return self._masked({**outline, **opened})

    def _read_value(self, value: BigValue) -> Json:
        return self._store.big_value(self._run_id, value.hash)

    def _masked(self, values: Outline) -> Outline:
        return values if self._mask is None else self._mask.values(values)
