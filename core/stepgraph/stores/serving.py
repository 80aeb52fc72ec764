"""How the store of a server is used: by one thread at a time, through outages, and in forked processes."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ..values.errors import StoreUnreachable
from .outages import UNSURE, OutageListener, outlast
from .refusals import closed


class Served(Protocol):
    """A store whose methods take turns on one connection."""

    turns: Turns


_S = TypeVar("_S", bound=Served)
_P = ParamSpec("_P")
_T = TypeVar("_T")


def served(method: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
    """Let in one thread at a time, and repeat what an outage stopped."""

    @functools.wraps(method)
    def taking_its_turn(self: _S, /, *args: _P.args, **named: _P.kwargs) -> _T:
        return self.turns.take(lambda: method(self, *args, **named))

    return taking_its_turn


class Turns:
    """The turns that the methods of a store take on its connection, in this process.

    Args:
        url: The store's address, without a password.
        listener: Finds who hears of an outage at that moment.
        guard: Makes the context of each attempt: it raises errors of the connection as StoreErrors, and as
            Unanswered where the server did not answer.
        forked: Is called once in a forked process, before the first turn: what the parent has is not ours.
    """

    def __init__(
        self,
        url: str,
        listener: Callable[[], OutageListener],
        guard: Callable[[], AbstractContextManager[None]],
        forked: Callable[[], None],
    ) -> None:
        self._url, self._listener, self._guard, self._forked = url, listener, guard, forked
        self.tries = 0
        """How many attempts there were before this one at what is asked now."""
        self.sent = False
        """Whether one of them may have written something."""
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._closing = threading.Event()

    def take(self, method: Callable[[], _T]) -> _T:
        """Do something on the connection, and again after an outage.

        Raises:
            StoreError: The store is closed.
            StoreUnreachable: The listener gave up, or the store was closed meanwhile.
        """
        self._heed_fork()
        with self._lock:
            if self._closing.is_set():
                raise closed(self._url)
            self.sent = False
            try:
                return outlast(
                    functools.partial(self._attempt, method), self._url, self._listener, self._closing
                )
            except StoreUnreachable as gone:
                if self.sent:
                    gone.hint = UNSURE
                raise

    def _attempt(self, method: Callable[[], _T], tries: int) -> _T:
        self.tries = tries
        with self._guard():
            return method()

    def end(self, close: Callable[[], None]) -> None:
        """Take the last turn; who waits for the server in another thread gives up."""
        self._heed_fork()
        self._closing.set()
        with self._lock:
            close()

    def _heed_fork(self) -> None:
        """Start anew in a forked process, where a lock may be held for ever."""
        if self._process != os.getpid():
            was_closed = self._closing.is_set()
            self._forked()
            self._begin()
            if was_closed:
                self._closing.set()
