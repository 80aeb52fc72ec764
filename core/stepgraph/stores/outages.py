"""Waiting for a server that is down: how often it is tried, who is told, and when to give up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Protocol, TypeVar, runtime_checkable

from ..values.errors import StoreUnreachable

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
"""Hears of an outage in the thread that waits, and says whether to wait on."""


@runtime_checkable
class ServerStore(Protocol):
    """A store that a server keeps: it waits for one that is down, and tells whoever wants to know."""

    on_outage: OutageListener

    def about(self) -> dict[str, str]:
        """Tell what `doctor` shows of the server: its version, and what a power cut may lose."""
        ...


class Unanswered(Exception):
    """The server did not answer: whether it did what it was asked to is not known.

    Args:
        what: What is wrong, in words that go on after "the store URL".
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def waiting_for(seconds: float) -> OutageListener:
    """Make a listener that tells nobody, and gives up after so many seconds."""
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
        listener: Finds who hears of it at that moment: it may be set anew during an outage.
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
    """Say that a store's server does not answer."""
    return StoreUnreachable(
        f"the store {url} {what}",
        what,
        hint="what was acknowledged is safe; start the server or check the address, and try again",
    )
