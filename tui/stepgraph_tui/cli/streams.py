"""The standard streams: what the command prints is kept apart from what node code prints."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal, TextIO, TypeAlias, cast

from stepgraph.values import StepgraphError
from stepgraph_tui.node_debugger import (
    KeptStream,
    NodeDebugger,
    NodeStreams,
    breakpoints_answered,
    numbers_lead_to,
)

Style: TypeAlias = Literal["", "bold", "dim"]
_WIPE = "\r\x1b[K"  # the line that the cursor is on
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
        self._passing = False  # whether the line that the cursor is on is to be wiped
        if isinstance(self.target, io.TextIOWrapper):
            self.target.reconfigure(errors="backslashreplace")

    @property
    def encoding(self) -> str:  # type: ignore[override]  # Rich asks for it to choose its characters
        """The target's encoding."""
        return getattr(self.target, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write, unless the reader is gone."""
        wiped, self._passing = _WIPE * self._passing, False
        try:
            return self.target.write(wiped + text)
        except OSError as error:
            self._discard(error)
            return len(text)

    def show_passing(self, text: str = "") -> None:
        """Show a line on a terminal until something else is written, or none any more; it is safe to show."""
        if text or self._passing:
            self.write(text)
            self._passing = bool(text)
            self.flush()

    def flush(self) -> None:
        """Flush, unless the reader is gone."""
        if self.target.closed:  # Python flushes once more when it lets go of this object
            return
        try:
            self.target.flush()
        except OSError as error:
            self._discard(error)

    def isatty(self) -> bool:
        """Check whether a terminal reads it."""
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
        """Style a text, where styles can be shown."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text.strip() and style and self.is_styled else text

    def fileno(self) -> int:
        """Return the target's file number."""
        return self.target.fileno()

    def _discard(self, error: OSError) -> None:
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
    """Node code's streams: Python's prints are taken, the numbers lead to our error, the input is empty.

    The numbers hold for the processes that nodes start too. Ours have numbers of their own from now on:
    whatever node code closes, replaces or takes apart, we can still print.

    Args:
        data: The stream that data is written to; from now on it has the standard output to itself.
        narration: The stream that is printed to.
        take: Takes what Python prints, and whether that was to the standard error.
    """

    def __init__(self, data: Stream, narration: Stream, take: Callable[[bytes, bool], None]) -> None:
        self._before = (sys.stdin, sys.stdout, sys.stderr)
        self._ours = [(stream, stream.target) for stream in (data, narration)]
        self._saved: list[tuple[int, int]] = []
        self._leads_to: dict[int, int] = {}  # where the numbers lead that node code may have closed
        data.flush()
        narration.flush()
        if _number(sys.stdin) == 0:
            self._save(0)
            self._leads_to[0] = os.open(os.devnull, os.O_RDONLY)
        for number, stream in ((1, data), (2, narration)):
            if _number(stream.target) == number:
                self._save(number)
                file = os.fdopen(os.dup(number), "wb")
                stream.target = KeptStream(file, stream.encoding, "backslashreplace")
                self._leads_to[number] = narration.fileno() if number == 2 else 2
        for number, to in self._leads_to.items():
            os.dup2(to, number)
        self.debugger = NodeDebugger(self._lend)
        """What answers ``breakpoint()`` in nodes; it is also the clock that measures them."""
        self._hook = ExitStack()
        self._hook.enter_context(breakpoints_answered())
        self._streams = NodeStreams(take, (2, 2))
        self._streams.take_place()

    def _save(self, number: int) -> None:
        self._saved.append((os.dup(number), number))

    @contextmanager
    def debugged(self, run_id: str, node: str, step: int) -> Iterator[NodeDebugger]:
        """Answer ``breakpoint()`` while a node runs, where there is a terminal."""
        with self.debugger.during(run_id, node, step):
            yield self.debugger

    @contextmanager
    def _lend(self) -> Iterator[None]:
        """Lend the terminal to node code, as to any script; data that goes elsewhere stays clean.

        Raises:
            StepgraphError: There is none.
        """
        files = {number: copy for copy, number in self._saved}
        shows = [file for file in (files.get(1, 1), files.get(2, 2)) if os.isatty(file)]
        asks = files.get(0, 0)
        if not shows or not os.isatty(asks):
            raise StepgraphError("there is no terminal to debug at")
        with numbers_lead_to(asks, shows[0], shows[-1]):
            yield

    def renew(self) -> None:
        """Restore the streams and file descriptors for node code, after a node closed or replaced them."""
        self._streams.take_place()
        for number in sorted(self._leads_to, reverse=True):  # the output leads where the error does
            try:
                os.fstat(number)
            except OSError:
                os.dup2(self._leads_to[number], number)

    def restore(self) -> None:
        """Restore the streams."""
        self._hook.close()
        sys.stdin, sys.stdout, sys.stderr = self._before
        for stream, target in self._ours:
            if stream.target is not target:
                stream.flush()
                cast(KeptStream, stream.target).end()
                stream.target = target
        for copy, number in self._saved:
            os.dup2(copy, number)
            os.close(copy)
        if 0 in self._leads_to:
            os.close(self._leads_to[0])


def _number(stream: TextIO | None) -> int:
    try:
        return stream.fileno() if stream is not None else -1
    except (OSError, ValueError):
        return -1
