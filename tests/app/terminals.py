"""A process at a terminal of its own: typed to, and read without sleeping."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from tests.app.hearing import PATIENCE

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
_MOST = 65536  # bytes of one read
_MOMENT = 0.05  # seconds between two looks whether a process that is silent has ended


def without_escapes(text: str) -> str:
    """What a terminal was told to show, without where and how."""
    return _ESCAPES.sub("", text)


class Terminal:
    """A pseudo-terminal, the process on it, and all that it has written.

    Args:
        words: The command.
        size: Columns and rows.
        env: What its environment has besides this process's own.
    """

    def __init__(
        self, words: Sequence[object], size: tuple[int, int] = (80, 24), env: Mapping[str, str] | None = None
    ) -> None:
        self._master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (size[1], size[0]))
        self.modes_before = self._modes()
        self.modes_after: list[Any] | None = None
        self._data = b""
        self._seen = 0
        self._process = subprocess.Popen(
            [str(word) for word in words],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            start_new_session=True,
            env={
                **os.environ,
                "TERM": "xterm-256color",
                "PYTHONPATH": os.pathsep.join(sys.path),
                **(env or {}),
            },
        )

    @property
    def screen(self) -> str:
        """All that was written until now, escape sequences and all."""
        return self._text(0)

    def type(self, keys: str) -> None:
        """Type, once what was typed before is answered. What is waited for next comes after this."""
        self._seen = len(self._data)
        os.write(self._master, keys.encode())

    def until(self, text: str) -> None:
        """Wait until a text is written, whatever the escape sequences between its words are."""
        end = time.monotonic() + PATIENCE
        while text not in (written := without_escapes(self._text(self._seen))):
            left = end - time.monotonic()
            if left < 0 or not self._read(left):
                raise AssertionError(f"{text!r} is not among what was written:\n{written[-4000:]}")

    def end(self) -> int:
        """Wait until the process ends, and read its last words.

        Returns:
            Its exit code.
        """
        end = time.monotonic() + PATIENCE
        while self._process.poll() is None:
            assert time.monotonic() < end, f"still there:\n{self.screen[-4000:]}"
            self._read(_MOMENT)
        self.modes_after = self._modes()
        os.close(self._slave)  # now reading comes to an end
        self._slave = -1
        while self._read(PATIENCE):
            pass
        return self._process.wait()

    def kill(self) -> None:
        """End the process at once, with no chance to put anything in order."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Leave nothing behind."""
        self.kill()
        for file in (self._slave, self._master):
            if file >= 0:
                os.close(file)

    def _read(self, patience: float) -> bool:
        """Read what comes next; False when nothing does."""
        if not select.select([self._master], [], [], patience)[0]:
            return False
        try:
            more = os.read(self._master, _MOST)
        except OSError:  # nobody has the terminal open any more
            return False
        self._data += more
        return bool(more)

    def _text(self, since: int) -> str:
        return self._data[since:].decode("utf-8", "replace")

    def _modes(self) -> list[Any]:
        modes: list[Any] = termios.tcgetattr(self._slave)
        return modes


@contextmanager
def at_a_terminal(
    *words: object, size: tuple[int, int] = (80, 24), env: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """A command at a terminal of its own; it is gone at the end, whatever happens."""
    terminal = Terminal(words, size, env)
    try:
        yield terminal
    finally:
        terminal.close()
