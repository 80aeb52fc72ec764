"""Running a program to its end: with a time limit, an output limit, and nothing left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any

from ..models.watch import CallWatch
from ..values.compare import escaped
from ..values.errors import StepgraphError
from .limits import size_text

_LOOK = 0.05  # seconds between two looks at whether somebody has asked to stop
_GRACE = 1.0  # seconds that a program has to end by itself after a signal
_CHUNK = 65_536
_ERRORS = 4_000  # bytes of the standard error that are kept
_LINES, _LINE = 12, 300


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a program."""

    exit_code: int
    """Below zero: the signal that ended it."""
    output: bytes
    errors: bytes
    """The end of what it wrote to its standard error."""

    @property
    def last_lines(self) -> str:
        """The last lines of its standard error, as they can be shown."""
        lines = self.errors.decode("utf-8", "backslashreplace").splitlines()
        return "\n".join(f"  {escaped(line[:_LINE])}" for line in lines[-_LINES:] if line.strip())


def run_program(
    words: Sequence[str],
    *,
    name: str,
    env: Mapping[str, str],
    folder: Path,
    stdin: bytes | None,
    seconds: float,
    limit: int,
    watch: CallWatch,
    end: Sequence[str] = (),
) -> Finished:
    """Run a program in a process group of its own, and end the whole group with it.

    Where there is a terminal, the group is a session of its own as well, so that it cannot ask there.
    Elsewhere it stays in our session, by which a worker finds it when this process was killed.

    Args:
        words: The program and its arguments; no shell reads them.
        name: What called it, for the messages.
        env: All of its environment.
        folder: Where it runs.
        stdin: What it reads; None for nothing.
        seconds: How long it may take, where the node's own time is not over before.
        limit: The most bytes that it may write.
        watch: Who may ask to stop.
        end: A command that ends what it has started elsewhere, where it is ended before its time.

    Raises:
        StepgraphError: It cannot be started, took too long, or wrote too much.
        CallStopped: Somebody has asked to stop.
    """
    apart = _has_terminal()
    try:
        process = subprocess.Popen(  # noqa: S603  # words that a person has trusted, and no shell
            words,
            env=dict(env),
            cwd=folder,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=apart,
            process_group=None if apart else 0,
        )
    except (OSError, ValueError) as error:
        raise StepgraphError(
            f"tool {name!r} cannot be run: {error}", hint="look at its command in the graph"
        ) from None
    done = False
    try:
        finished = ProgramPipes(process, stdin or b"", limit, name).run(seconds, watch)
        done = True
        return finished
    finally:
        _end(process, done)
        if end and not done:
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(end, env=dict(env), capture_output=True, timeout=10, check=False)  # noqa: S603


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


class ProgramPipes:
    """What goes to a program and comes from it while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limit: int, name: str) -> None:
        self._process, self._rest, self._limit, self._name = process, stdin, limit, name
        self._output = bytearray()
        self._errors = bytearray()
        self._open = selectors.DefaultSelector()

    def run(self, seconds: float, watch: CallWatch) -> Finished:
        """Feed and read it until it has ended."""
        process, ends = self._process, monotonic() + seconds
        with self._open:
            self._register(process.stdout, selectors.EVENT_READ, self._take_output)
            self._register(process.stderr, selectors.EVENT_READ, self._take_errors)
            self._register(process.stdin, selectors.EVENT_WRITE, self._give)
            while self._open.get_map() and process.poll() is None:
                self._look(ends, seconds, watch)
                for key, _ in self._open.select(_LOOK):
                    key.data(key.fileobj)
            while self._open.get_map() and (ready := self._open.select(0)):  # what is in the pipes still
                for key, _ in ready:
                    key.data(key.fileobj)
        while process.poll() is None:  # it has closed its output, and goes on
            self._look(ends, seconds, watch)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
        return Finished(process.returncode, bytes(self._output), bytes(self._errors))

    def _look(self, ends: float, seconds: float, watch: CallWatch) -> None:
        watch.check()
        left = watch.time_left
        if left is not None and left <= 0:
            raise StepgraphError(f"tool {self._name!r} took longer than its node may take")
        if monotonic() >= ends:
            raise StepgraphError(
                f"tool {self._name!r} took longer than {seconds:g} s, and was killed",
                hint="give it a longer timeout in the graph, or less to do",
            )

    def _register(self, pipe: IO[bytes] | None, event: int, then: Any) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._open.register(pipe, event, then)

    def _close(self, pipe: IO[bytes]) -> None:
        self._open.unregister(pipe)
        pipe.close()

    def _give(self, pipe: IO[bytes]) -> None:
        try:
            sent = os.write(pipe.fileno(), self._rest[:_CHUNK]) if self._rest else 0
        except BlockingIOError:
            return
        except OSError:  # it reads no more
            sent = len(self._rest)
        self._rest = self._rest[sent:]
        if not self._rest:
            self._close(pipe)

    def _take_output(self, pipe: IO[bytes]) -> None:
        self._output += self._read(pipe)
        if len(self._output) > self._limit:
            raise StepgraphError(
                f"tool {self._name!r} wrote more than {size_text(self._limit)}, and was killed",
                hint="have it write less, or raise max_output in the graph",
            )

    def _take_errors(self, pipe: IO[bytes]) -> None:
        self._errors += self._read(pipe)
        del self._errors[:-_ERRORS]

    def _read(self, pipe: IO[bytes]) -> bytes:
        try:
            found = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not found:
            self._close(pipe)
        return found


def _end(process: subprocess.Popen[bytes], done: bool) -> None:
    """End what is left of a program's group, and close what connects us to it."""
    if not done:
        _signal(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    _signal(process, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
