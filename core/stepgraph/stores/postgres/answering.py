"""Connections on which a server that says nothing for long is one that does not answer.

What is on the way is watched by TCP (see ``address``), and what the server is long about by its own
``statement_timeout``. A server that took what it was asked and then stands still is seen by neither.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg
from psycopg.rows import Row

_T = TypeVar("_T")
_LATER = 1.2
"""How much longer is waited than the server lets a statement take: one that is only slow says so itself."""


class Silence(psycopg.OperationalError):
    """The server took what it was asked, and has said nothing for too long."""


def heard(work: Generator[Any, Any, _T], patience: float) -> Generator[Any, Any, _T]:
    """Do what psycopg is to wait for, until the server says nothing for too long.

    Args:
        work: It yields what is waited for, and is sent what of that is ready; each moment, that nothing is.
        patience: After how many seconds without a word.

    Raises:
        Silence: The server does not answer any more.
    """
    silent_since: float | None = None
    try:
        wanted = next(work)
        while True:
            ready = yield wanted
            if ready:
                silent_since = None
            elif silent_since is None:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since >= patience:
                raise Silence(f"it has said nothing for {patience:.3g} s")
            wanted = work.send(ready)
    except StopIteration as done:
        result: _T = done.value
        return result


class AnsweringConnection(psycopg.Connection[Row]):
    """A connection that is closed when the server says nothing for too long."""

    patience = float("inf")
    """After how many seconds without a word."""

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, and no longer than that.

        Raises:
            Silence: The server said nothing for too long.
        """
        try:
            return super().wait(heard(gen, self.patience), *args, **named)
        except Silence:
            self.pgconn.finish()
            raise


class AnsweringAsyncConnection(psycopg.AsyncConnection[Row]):
    """The same for code that awaits."""

    patience = float("inf")

    async def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Wait as psycopg does, and no longer than ``patience`` for a word.

        Raises:
            Silence: The server said nothing for too long.
        """
        try:
            return await super().wait(heard(gen, self.patience), *args, **named)
        except Silence:
            self.pgconn.finish()
            raise


def limit_statements(answers_within: float) -> str:
    """Write what has the server give up a statement by itself, unless it is set to do so already."""
    limit = f"set_config('statement_timeout', '{max(1, round(answers_within * 1000))}', false)"
    return f"SELECT {limit} WHERE current_setting('statement_timeout') = '0'"  # a number


def patience_for(answers_within: float) -> float:
    """Tell after how many seconds without a word a server is taken not to answer."""
    return answers_within * _LATER
