"""Stores in a process that forks: whatever other threads are doing, parent and child both go on.

A lock that another thread holds is held for ever in the child, for that thread is not there. And SQLite must
not be carried across a fork at all. The child lacks the locks on the file that its copy of the library counts
on, in new connections as well: a parent that closes the file takes away the log that its child writes to.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Protocol
from weakref import WeakValueDictionary


class ForkedStore(Protocol):
    """A store with hooks around a fork; what they raise is dropped."""

    def before_fork(self) -> None:
        """Come to rest, in a process that is about to be forked."""
        ...

    def after_fork(self, is_child: bool) -> None:
        """Go on, in the process that was forked or in its child."""
        ...


_stores: WeakValueDictionary[int, ForkedStore] = WeakValueDictionary()


def register(store: ForkedStore) -> None:
    """Call the hooks of a store around each fork, for as long as the store exists."""
    _stores[id(store)] = store


def _before() -> None:
    for store in _alive():
        with suppress(Exception):
            store.before_fork()


def _after(is_child: bool) -> None:
    for store in _alive():
        with suppress(Exception):
            store.after_fork(is_child)


def _alive() -> list[ForkedStore]:
    return [store for found in _stores.valuerefs() if (store := found()) is not None]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=lambda: _after(False), after_in_child=lambda: _after(True)
    )
