"""Locks that an interrupt does not leave held."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info[:2] != (3, 14):
    Lock = threading.RLock
else:

    class Lock(type(threading.RLock())):
        """A reentrant lock for ``with``.

        Python 3.14, unlike all others, handles signals between taking the lock and entering the block. A
        Ctrl-C there would leave it held by a thread that does not know, and whoever waits for it hangs.
        """

        def __enter__(self) -> bool:
            try:
                return self.acquire()
            except BaseException:
                with suppress(RuntimeError):  # it came before the lock was taken
                    self.release()
                raise
