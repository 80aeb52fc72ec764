"""Connections to a store: one in memory is shared by all its users, and seen by no other process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.stores import open_store

if TYPE_CHECKING:
    from stepgraph.stores import StateStore


def is_in_memory(url: str) -> bool:
    """Check whether the store of an address is in the memory of its process."""
    return url.startswith("memory:")


def reopening(store: StateStore) -> Callable[[], StateStore]:
    """Return what opens another connection to a store, for a thread of its own; ``release`` closes it."""
    if is_in_memory(store.url):
        return lambda: store
    from stepgraph.stores import ServedStore

    return store.another if isinstance(store, ServedStore) else partial(open_store, store.url)


def release(store: StateStore) -> None:
    """Close a connection that somebody was lent, unless all share it."""
    if not is_in_memory(store.url):
        store.close()
