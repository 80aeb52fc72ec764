"""How the store of a server is used: by one thread at a time, through outages, and in forked processes."""

from __future__ import annotations

import functools
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

from ..values.errors import StoreError, StoreUnreachable
from .outages import PATIENCE, UNSURE, OutageListener, Unanswered, outlast, unreachable, waiting_for
from .refusals import UNCHANGED, closed
from .snapshots import SnapshotPolicy, Tracks

_S = TypeVar("_S", bound="ServedStore")
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
            except StoreError as error:
                gone = isinstance(error, StoreUnreachable) or (type(error) is StoreError and self.tries)
                if self.sent and gone:  # also where what was cut off still holds what the next attempt needs
                    untrue = isinstance(error, StoreUnreachable) or error.hint.startswith(UNCHANGED)
                    error.hint = UNSURE if untrue else f"{error.hint}; {UNSURE}"
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


class ServedStore(ABC):
    """What the stores of servers have in common: one connection, turns on it, and patience with an outage.

    Args:
        url: Its address without a password.
        on_outage: See the attribute; for a moment, and nobody is told, when None.
        snapshots: When to write snapshots; for tests.
    """

    def __init__(self, url: str, on_outage: OutageListener | None, snapshots: SnapshotPolicy | None) -> None:
        self.url = url
        """Its address without a password."""
        self.on_outage = waiting_for(PATIENCE) if on_outage is None else on_outage
        """Hears, before each wait, that the server does not answer, and says whether to wait on."""
        self.turns = Turns(url, lambda: self.on_outage, self._translating, self._heed_fork)
        self._policy = snapshots or SnapshotPolicy()
        self._tracks = Tracks()

    @abstractmethod
    def _connect(self) -> None:
        """Make the connection where there is none, and look whether the server can be used."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Let go of the connection."""

    @abstractmethod
    def answer_within(self, seconds: float) -> None:
        """Take the server for one that does not answer once it has said nothing for so long.

        Whoever draws a screen waits less long than the address says; what the server takes longer for is
        asked in vain then.
        """

    @abstractmethod
    def another(self) -> Self:
        """Open another connection to the same store, which ``url`` alone may not do: it has no password.

        Raises:
            StoreError: The server cannot be used.
        """

    @abstractmethod
    def _translating(self) -> AbstractContextManager[None]:
        """Raise what goes wrong as StoreErrors, and as Unanswered where the server did not answer."""

    def _refusal(self, error: Unanswered) -> StoreError:
        """Say why the server could not be reached for the first time."""
        return unreachable(self.url, error.what)

    def _heed_fork(self) -> None:
        """Forget in a forked process what is its parent's."""
        self._tracks = Tracks()

    def _open(self, wait: bool) -> None:
        """Connect for the first time: an address may be wrong, so nobody waits unless somebody listens.

        Raises:
            StoreError: The server cannot be used.
            StoreUnreachable: It does not answer.
        """
        try:
            try:
                with self._translating():
                    self._connect()
            except Unanswered as error:
                refusal = self._refusal(error)
                if not wait or not isinstance(refusal, StoreUnreachable):
                    raise refusal from error
                self.turns.take(self._connect)
        except BaseException:
            self._disconnect()
            raise

    def close(self) -> None:
        """Close the connection; who waits for the server in another thread gives up."""
        self.turns.end(self._disconnect)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
