"""A store whose process is killed in the middle of its work."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any, Literal

from stepgraph import SqliteStore

Moment = Literal["before", "after"]


class DeadlyStore(SqliteStore):
    """A store whose process is killed at one of its commits.

    Args:
        path: Its file.
        at: At which, from 1; at none when 0.
        moment: Before it or after it.
    """

    def __init__(self, path: Path, at: int, moment: Moment) -> None:
        super().__init__(path)
        self._left = at
        self._moment = moment

    def commit(self, *args: Any, **options: Any) -> None:
        self._left -= 1
        if self._left == 0 and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        super().commit(*args, **options)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
