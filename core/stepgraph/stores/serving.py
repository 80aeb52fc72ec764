"""Stores on a server: one thread at a time, outages, and forked processes."""

from __future__ import annotations

import functools
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event
from typing import Generic, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

from ..locks import Lock
from ..values.errors import Conflict, StoreError, StoreUnreachable
from .opening import UNCHANGED, closed

PATIENCE = 5.0
"""How long a store waits for its server when nobody says otherwise, in seconds."""

ANSWERS_WITHIN = 30.0
"""How long a server may say nothing to what it was asked, in seconds, where the address does not say it."""

UNSURE = "whether what was asked last is recorded shows when it answers again; load the run then, and go on"
"""What to do next where an outage began in the middle of a commit."""

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Outage:
    """A server that does not answer, as its store tells it before each wait, and once when it is over."""

    what: str
    """What is wrong, in words: it goes on after "the store URL"."""
    url: str
    """The store's address, without a password."""
    since: float
    """When it was noticed, in seconds since 1970."""
    tries: int
    """How often the server was tried since."""
    waited: float = 0.0
    """For how many seconds the store has waited."""
    over: bool = False
    """True when the server answers again; what the listener returns does not matter then."""

    def __str__(self) -> str:
        if self.over:
            return f"the store {self.url} answers again after {self.waited:.0f} s"
        return f"waiting for the store {self.url}: it {self.what}"


OutageListener = Callable[[Outage], bool]
"""Hears of an outage in the thread that waits, and decides whether to keep waiting."""


@runtime_checkable
class ServerStore(Protocol):
    """A store that a server keeps: it waits for one that is down, and tells whoever wants to know."""

    on_outage: OutageListener

    def about(self) -> dict[str, str]:
        """Describe what `doctor` shows of the server: its version, and what a power cut may lose."""
        ...


class ClaimLost(Conflict):
    """Another driver was given the run meanwhile; nothing was recorded."""


class Claim(NamedTuple):
    """A row in the store's own database that allows its holder to move a run: a job of a queue, say."""

    rows: str
    """The row that is there as long as the claim holds, in SQL behind FROM; ``{0}`` is the first value."""
    values: tuple[int, ...]


class Unanswered(Exception):
    """The server did not answer: whether it did what it was asked to is not known.

    Args:
        what: What is wrong, in words that go on after "the store URL".
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def waiting_for(seconds: float) -> OutageListener:
    """Build a listener that notifies nobody, and gives up after ``seconds``."""
    return lambda outage: outage.waited < seconds


def outlast(
    attempt: Callable[[int], _T], url: str, listener: Callable[[], OutageListener], closed: Event
) -> _T:
    """Repeat an attempt until the server answers, or nobody wants to wait any more.

    A cut connection is repaired at once and without a word: only a server that does not answer twice is down.

    Args:
        attempt: What to do, given how many attempts there were before. It raises Unanswered; an attempt to
            write must find out first whether the one before has succeeded.
        url: The store's address, without a password.
        listener: Finds who hears of it at that moment: it may be set again during an outage.
        closed: Is set when the store is closed meanwhile.

    Raises:
        StoreUnreachable: The listener gave up, or the store was closed.
    """
    try:
        return attempt(0)
    except Unanswered as cut:
        first = cut
    since, began = time.time(), time.monotonic()
    tries, wait, error = 1, _FIRST_WAIT, first
    while True:
        try:
            done = attempt(tries)
        except Unanswered as again:
            error = again
        else:
            if tries > 1:
                listener()(Outage(error.what, url, since, tries, time.monotonic() - began, over=True))
            return done
        tries += 1
        outage = Outage(error.what, url, since, tries, time.monotonic() - began)
        if not listener()(outage) or closed.wait(wait):
            raise unreachable(url, error.what) from error
        wait = min(2 * wait, _LONGEST_WAIT)


def unreachable(url: str, what: str) -> StoreUnreachable:
    """Build the error for a store whose server does not answer."""
    return StoreUnreachable(
        f"the store {url} {what}",
        what,
        hint="what was acknowledged is safe; start the server or check the address, and try again",
    )


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
        self._lock = Lock()
        self._closing = threading.Event()

    def take(self, method: Callable[[], _T]) -> _T:
        """Run a function on the connection, and again after an outage.

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
        """Take the last turn; a thread that waits for the server gives up."""
        self._heed_fork()
        self._closing.set()
        with self._lock:
            close()

    def _heed_fork(self) -> None:
        """Start over in a forked process, where a lock may be held for ever."""
        if self._process != os.getpid():
            was_closed = self._closing.is_set()
            self._forked()
            self._begin()
            if was_closed:
                self._closing.set()


class ServedBackend(ABC):
    """What the backends on servers have in common: one connection, turns on it, and patience in an outage.

    Args:
        url: Its address without a password.
        on_outage: See the attribute; None waits a moment and notifies nobody.
    """

    url: str
    loses = True
    on_outage: OutageListener
    """Hears, before each wait, that the server does not answer, and decides whether to keep waiting."""
    turns: Turns

    def __init__(self, url: str, on_outage: OutageListener | None) -> None:
        self.url = url
        self.on_outage = waiting_for(PATIENCE) if on_outage is None else on_outage
        self.turns = Turns(url, lambda: self.on_outage, self._translating, self._disconnect_child)

    @property
    def tries(self) -> int:
        """How many attempts there were before this one."""
        return self.turns.tries

    def take(self, method: Callable[[], _T]) -> _T:
        """Admit one thread at a time, and repeat what an outage stopped."""
        return self.turns.take(method)

    @abstractmethod
    def _connect(self) -> None:
        """Connect where there is no connection, and check that the server can be used."""

    @abstractmethod
    def _disconnect(self) -> None:
        """Close the connection."""

    @abstractmethod
    def _disconnect_child(self) -> None:
        """Forget in a forked process what is its parent's."""

    @abstractmethod
    def answer_within(self, seconds: float) -> None:
        """Set the seconds of silence after which the server counts as unreachable."""

    @abstractmethod
    def about(self) -> dict[str, str]:
        """Describe which server it is, and what a power cut may lose."""

    @abstractmethod
    def _translating(self) -> AbstractContextManager[None]:
        """Raise what goes wrong as StoreErrors, and as Unanswered where the server did not answer."""

    def _refusal(self, error: Unanswered) -> StoreError:
        """Explain why the server could not be reached for the first time."""
        return unreachable(self.url, error.what)

    def open(self, wait: bool) -> None:
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
        """Close the connection; a thread that waits for the server gives up."""
        self.turns.end(self._disconnect)


_B = TypeVar("_B", bound=ServedBackend)


class ServedStore(ABC, Generic[_B]):
    """What a ledger on a server offers beside: it waits for a server that is down, and tells who listens."""

    backend: _B

    @property
    def on_outage(self) -> OutageListener:
        """Hears, before each wait, that the server does not answer, and decides whether to keep waiting."""
        return self.backend.on_outage

    @on_outage.setter
    def on_outage(self, listener: OutageListener) -> None:
        self.backend.on_outage = listener

    def answer_within(self, seconds: float) -> None:
        """Set the seconds of silence after which the server counts as unreachable.

        Whoever draws a screen waits less long than the address says; what the server takes longer for is
        asked in vain then.
        """
        self.backend.answer_within(seconds)

    def about(self) -> dict[str, str]:
        """Describe which server it is, and what a power cut may lose."""
        return self.backend.take(self.backend.about)

    @abstractmethod
    def another(self) -> Self:
        """Open another connection to the same store, which ``url`` alone may not do: it has no password.

        Raises:
            StoreError: The server cannot be used.
        """
