"""A debugger for tests, which PYTHONBREAKPOINT can name: it notes where it stops, and steps on."""

from __future__ import annotations

import bdb
import sys
from types import FrameType, TracebackType

SEEN: list[tuple[str, str, int]] = []
"""Where it stopped: ``line`` or ``return``, the function, and the line in it."""


class Recorder(bdb.Bdb):
    """Steps through everything."""

    def user_line(self, frame: FrameType) -> None:
        self._note("line", frame)

    def user_return(self, frame: FrameType, return_value: object) -> None:
        self._note("return", frame)

    def _note(self, what: str, frame: FrameType) -> None:
        SEEN.append((what, frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno))
        self.set_step()


class Quitter(Recorder):
    """Leaves at the first stop."""

    def user_line(self, frame: FrameType) -> None:
        self.set_quit()


def begin() -> None:
    Recorder().set_trace(sys._getframe().f_back)


def post_mortem(trace: TracebackType) -> None:
    """Note the functions that a failure went through."""
    found: TracebackType | None = trace
    while found is not None:
        SEEN.append(("post-mortem", found.tb_frame.f_code.co_name, len(found.tb_frame.f_locals)))
        found = found.tb_next


def leave() -> None:
    Quitter().set_trace(sys._getframe().f_back)
