"""The user's own command for a review that has come: it gets the review as JSON, and holds nobody up."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .text.plain import shortened

_LIMIT = 60.0
"""Seconds that the command may take for one review."""
PATIENCE = 3.0
"""Seconds that are left to it when the app is left."""
_LONGEST = 200  # characters of what it said last


class PauseCommand:
    """Runs a command for one review after the other, in a thread: without a shell, and without a terminal.

    Args:
        words: The program and its arguments; nothing is run where there are none.
        failed: Told, from the thread, what went wrong; only of the first failure.
        limit: Seconds that it may take for one review; then it is killed.
    """

    def __init__(
        self, words: Sequence[str], failed: Callable[[str], object], *, limit: float = _LIMIT
    ) -> None:
        self._words, self._failed, self._limit = list(words), failed, limit
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = threading.Event()
        self._told = False

    def tell(self, review: Mapping[str, Any]) -> None:
        """Run the command for a review, whose secrets are hidden already; this comes back at once."""
        if not self._words:
            return
        self._queue.put(json.dumps(review, ensure_ascii=False).encode())
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="stepgraph-on-pause", daemon=True)
            self._thread.start()

    def close(self, patience: float = PATIENCE) -> None:
        """Wait a little for what still runs, then kill it."""
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join(patience)
            self._closed.set()
            _kill(self._process)

    def _run(self) -> None:
        """Run the command for what is in the queue; this is the thread."""
        while (data := self._queue.get()) is not None and not self._closed.is_set():
            why = self._call(data)
            if why and not self._told and not self._closed.is_set():
                self._told = True
                self._failed(f"on_pause: {self._words[0]} {why}")

    def _call(self, data: bytes) -> str:
        """Run it once; say what went wrong, if anything did.

        What it prints goes to a file: a program that stays in the background would keep a pipe open.
        """
        with tempfile.TemporaryFile() as errors:
            quiet = subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(  # noqa: S603  # it is what the user wrote into the settings
                    self._words, stdin=subprocess.PIPE, stdout=quiet, stderr=errors, start_new_session=True
                )
                if self._closed.is_set():  # just now: who closes has not seen it
                    _kill(self._process)
                self._process.communicate(data, timeout=self._limit)
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else None
                return f"cannot be started: {why or str(error)}"
            except subprocess.TimeoutExpired:
                _kill(self._process)
                return f"took longer than {self._limit:g} seconds, and was killed"
            if not self._process.returncode:
                return ""
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {shortened(lines[-1], _LONGEST)}" if lines else ""
        return f"ended with {self._process.returncode}{said}"


def _kill(process: subprocess.Popen[bytes] | None) -> None:
    """Kill a process that still runs, with all that it has started."""
    if process is None or process.poll() is not None:
        return
    with suppress(OSError):  # it has just ended
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
