"""The standard streams: what the command prints is kept apart from what node code prints."""

from __future__ import annotations

import io
import os
import sys
from typing import Literal, TextIO, TypeAlias, cast

Style: TypeAlias = Literal["", "bold", "dim"]
_CODES: dict[Style, int] = {"bold": 1, "dim": 2}


def ensure_standard_files() -> None:
    """Open /dev/null in place of standard files that are closed.

    Otherwise the next file to be opened, such as the store, would get the number that programs print to.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


class Stream(io.TextIOBase):
    """A stream that goes quiet when its reader goes away (``| head``), and never fails over a character.

    Args:
        target: The stream to write to; nowhere when None.
    """

    def __init__(self, target: TextIO | None) -> None:
        self.target: TextIO = target if target is not None else cast(TextIO, io.StringIO())
        if isinstance(self.target, io.TextIOWrapper):
            self.target.reconfigure(errors="backslashreplace")

    @property
    def encoding(self) -> str:  # type: ignore[override]  # Rich asks for it to choose its characters
        """The target's encoding."""
        return getattr(self.target, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write, unless the reader is gone."""
        try:
            return self.target.write(text)
        except OSError as error:
            self._lost(error)
            return len(text)

    def flush(self) -> None:
        """Flush, unless the reader is gone."""
        if self.target.closed:  # Python flushes once more when it lets go of this object
            return
        try:
            self.target.flush()
        except OSError as error:
            self._lost(error)

    def isatty(self) -> bool:
        """Say whether a terminal reads it."""
        return self.target.isatty()

    @property
    def columns(self) -> int:
        """The width of the terminal that reads it, or what the environment says."""
        try:
            return int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size(self.fileno()).columns
        except (OSError, ValueError):
            return 80

    @property
    def is_styled(self) -> bool:
        """Whether styles can be shown; the same that Rich thinks of it."""
        wanted = self.isatty() or bool(os.environ.get("FORCE_COLOR"))
        return wanted and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")

    def styled(self, text: str, style: Style) -> str:
        """Give a text in a style, where styles can be shown."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text.strip() and style and self.is_styled else text

    def fileno(self) -> int:
        """Give the target's file number."""
        return self.target.fileno()

    def _lost(self, error: OSError) -> None:
        """Send what is still buffered nowhere, or the interpreter complains about it when it ends."""
        try:
            number = self.target.fileno()
        except (OSError, ValueError):
            number = -1
        if number >= 0:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise error


class Apart:
    """Node code's streams: its standard output is our standard error, and its input is empty.

    That holds for the file numbers too, and so for the processes that nodes start.

    Args:
        data: The stream that data is written to; from now on it has the standard output to itself.
    """

    def __init__(self, data: Stream) -> None:
        self._data = data
        self._before = (sys.stdin, sys.stdout, data.target)
        self._saved: list[tuple[int, int]] = []
        data.flush()
        if _number(sys.stdout) == 1:
            self._saved.append((os.dup(1), 1))
            data.target = os.fdopen(os.dup(1), "w", encoding=data.encoding, errors="backslashreplace")
            os.dup2(2, 1)
        if _number(sys.stdin) == 0:
            self._saved.append((os.dup(0), 0))
            nowhere = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nowhere, 0)
            os.close(nowhere)
        self._empty = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  # closed by restore
        sys.stdin = self._empty
        sys.stdout = sys.stderr

    def restore(self) -> None:
        """Give the streams back."""
        sys.stdin, sys.stdout, own = self._before
        if self._data.target is not own:
            self._data.flush()
            self._data.target.close()
            self._data.target = own
        for copy, number in self._saved:
            os.dup2(copy, number)
            os.close(copy)
        self._empty.close()


def _number(stream: TextIO | None) -> int:
    try:
        return stream.fileno() if stream is not None else -1
    except (OSError, ValueError):
        return -1
