"""The look at the store that the whole app shares, and its connections for those who read or run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from stepgraph.stores import open_store
from stepgraph.values import StoreError

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.stores import StateStore


EVERY = 0.8
"""Seconds between two looks: what others do is seen within one, with the time of reading and painting."""


@runtime_checkable
class LooksAgain(Protocol):
    """A screen that shows something of the store, or something that changes as time passes."""

    def look_again(self) -> None:
        """Update from the app's look at the store."""


class StoreLook:
    """Reads the store's stamp, which each commit changes, and keeps it for all who compare it.

    A store that cannot be read is found out once, not by each of them: a server that does not answer takes
    its time to say so.

    Args:
        store: A connection of the reader's own.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._stamp: object = None
        self._error: StoreError | None = None

    def read(self) -> None:
        """Read the stamp; what goes wrong is kept for those who ask for it."""
        self._error = None
        try:
            self._stamp = self._store.stamp()
        except StoreError as error:
            self._error = error

    def stamp(self) -> object:
        """Return the stamp as it was read last.

        Raises:
            StoreError: The store could not be read.
        """
        if self._error is not None:
            raise self._error
        return self._stamp


class LastSeen:
    """Knows at which stamp something was read, so that nobody reads again what nobody has changed.

    Args:
        stamp: Gives the store's stamp, which each commit changes.
    """

    def __init__(self, stamp: Callable[[], object]) -> None:
        self._find = stamp
        self._read: object = None
        self._found: object = None

    @property
    def is_first(self) -> bool:
        """Whether nothing was read yet."""
        return self._read is None

    def is_current(self) -> bool:
        """Check whether what was read is still how the store is.

        Raises:
            StoreError: The store cannot be read.
        """
        self._found = self._find()
        return self._found == self._read

    def keep(self) -> None:
        """Record that the store was read, as it was when it was asked about last."""
        self._read = self._found

    def forget(self) -> None:
        """Record that the store has changed, whatever its stamp is."""
        self._read = None


def is_seen(screen: Screen[Any]) -> bool:
    """Check whether a screen is on top, or below nothing but dialogs."""
    stack = screen.app.screen_stack
    return screen in stack and all(above.is_modal for above in stack[stack.index(screen) + 1 :])


def tell(screens: Iterable[Screen[Any]]) -> None:
    """Notify the screens that the store was looked at; one that is just opening reads for itself."""
    for screen in screens:
        if isinstance(screen, LooksAgain) and screen.is_mounted:
            screen.look_again()


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
