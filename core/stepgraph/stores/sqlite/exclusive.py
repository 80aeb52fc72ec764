"""How the methods of a SQLite store are called: by one thread at a time, with errors that tell what to do.

Python lets a Ctrl-C in wherever a call ends or a function begins, in a ``finally`` and an ``__exit__``, too.
So whatever a method raises, its transaction is rolled back here, outside of all that the method does; and
once more before the next call, for an interrupt may hit that as well. The lock is safe: no signal is let in
between the call that takes it, or gives it back, and its ``with`` statement.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Concatenate, Literal, ParamSpec, Protocol, TypeVar

import apsw

from .. import encoding
from ..refusals import too_large
from .errors import translated
from .identity import OpenFile
from .transaction import roll_back

_SIGNS_OF_LOSS = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError, encoding.Damaged)

Standing = Literal["open", "resting", "inherited", "closed"]
"""Whether a file is open. ``resting``: closed around a fork; ``inherited``: open in the parent alone."""


class FileStore(Protocol):
    """A store in a file that is open."""

    path: Path
    url: str
    _db: apsw.Connection
    _lock: RLock
    _file: OpenFile
    _busy_timeout: float
    _standing: Standing

    def _reopen(self) -> None: ...


_S = TypeVar("_S", bound=FileStore)
_P = ParamSpec("_P")
_T = TypeVar("_T")


def exclusive(method: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
    """Let in one thread at a time, and raise SQLite's errors as StoreErrors."""

    @functools.wraps(method)
    def locked(self: _S, /, *args: _P.args, **named: _P.kwargs) -> _T:
        try:
            with self._lock:
                try:
                    if self._standing != "open":
                        self._reopen()
                    roll_back(self._db)
                    return method(self, *args, **named)
                except BaseException as error:
                    _let_go(error.__traceback__)
                    if self._standing == "open":
                        roll_back(self._db)
                    raise
        except OverflowError as error:
            raise too_large(self.url) from error
        except (apsw.Error, encoding.Damaged, UnicodeError) as error:
            if isinstance(error, _SIGNS_OF_LOSS):
                self._file.look()  # what was cut or taken away reads as if it were damaged
            raise translated(error, self.path, self.url, self._busy_timeout) from error

    return locked


def _let_go(trace: TracebackType | None) -> None:
    """Clear the frames of an error: a query that is not read to its end would hold on to its moment."""
    while trace is not None:
        with suppress(RuntimeError):  # it is still running
            trace.tb_frame.clear()
        trace = trace.tb_next
