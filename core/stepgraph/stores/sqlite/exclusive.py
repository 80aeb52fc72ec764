"""How the methods of a SQLite store are called: by one thread at a time, with errors that tell what to do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import apsw

from .. import encoding
from ..refusals import too_large
from .errors import translated
from .identity import OpenFile

_SIGNS_OF_LOSS = (apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.CantOpenError, encoding.Damaged)


class FileStore(Protocol):
    """A store in a file that is open."""

    path: Path
    url: str
    _lock: RLock
    _file: OpenFile
    _busy_timeout: float


_S = TypeVar("_S", bound=FileStore)
_P = ParamSpec("_P")
_T = TypeVar("_T")


def exclusive(method: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
    """Let in one thread at a time, and raise SQLite's errors as StoreErrors."""

    @functools.wraps(method)
    def locked(self: _S, /, *args: _P.args, **named: _P.kwargs) -> _T:
        try:
            with self._lock:
                return method(self, *args, **named)
        except OverflowError as error:
            raise too_large(self.url) from error
        except (apsw.Error, encoding.Damaged, UnicodeError) as error:
            if isinstance(error, _SIGNS_OF_LOSS):
                self._file.look()  # what was cut or taken away reads as if it were damaged
            raise translated(error, self.path, self.url, self._busy_timeout) from error

    return locked
