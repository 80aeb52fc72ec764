"""Processes that a test may kill: forked, so that a hundred of them cost a hundred starts of nothing."""

from __future__ import annotations

import os
import select
import signal
import traceback
import warnings
from collections.abc import Callable
from typing import Never, TypeAlias

Work: TypeAlias = Callable[[Callable[[str], None]], None]
"""What a child does; it is given a function that tells its parent a line."""

_PATIENCE = 600.0  # seconds until a child that says nothing counts as hanging


class Child:
    """A forked process and what it tells."""

    def __init__(self, work: Work) -> None:
        self._read, write = os.pipe()
        self._buffer = b""
        with warnings.catch_warnings():
            # A thread of the test runner does no harm: the child works alone and leaves by os._exit.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            _live(work, write)
        os.close(write)
        self.lines: list[str] = []
        """What it has told so far; ``listen`` and ``wait`` add to it."""

    def listen(self, seconds: float) -> bool:
        """Take in what the child tells for so long; False when it has ended."""
        ready, _, _ = select.select([self._read], [], [], seconds)
        if ready:
            told = os.read(self._read, 65536)
            if not told:
                return False
            *lines, self._buffer = (self._buffer + told).split(b"\n")
            self.lines += [line.decode() for line in lines]
        return True

    def kill(self) -> None:
        """kill -9, and take in what it had told until then."""
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self) -> list[str]:
        """Everything that the child told, once it has ended."""
        while select.select([self._read], [], [], _PATIENCE)[0]:
            if not self.listen(0):
                break
        else:
            os.kill(self.pid, signal.SIGKILL)
            raise AssertionError(f"a child has said nothing for {_PATIENCE} seconds, after {self.lines[-3:]}")
        os.close(self._read)
        os.waitpid(self.pid, 0)
        broken = [line for line in self.lines if line.startswith("Traceback")]
        assert not broken, "\n".join(self.lines)
        return self.lines


def _live(work: Work, write: int) -> Never:
    def tell(line: str) -> None:
        os.write(write, f"{line}\n".encode())

    try:
        work(tell)
    except BaseException:  # nothing may come back into the test from here
        tell(traceback.format_exc())
    finally:
        os._exit(0)


def ask(work: Work) -> list[str]:
    """What a child tells that does ``work`` and ends."""
    return Child(work).wait()
