"""Calling a person when a review comes: by the terminal, and by the user's own command."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import Review, Reviews
from stepgraph.stores import RunStatus
from stepgraph.values import StepgraphError, StoreDamaged

from .settings import TerminalSignals
from .store_look import LastSeen
from .text.plain import shortened
from .text.system import command
from .view.reviews import RunMasks, SafeReview, masked

if TYPE_CHECKING:
    from stepgraph.stores import StateStore

    from .context import AppContext


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
        """Run it once; describe what went wrong, if anything did.

        What it prints goes to a file: a program that stays in the background would keep a pipe open.
        """
        with tempfile.TemporaryFile() as errors:
            quiet = subprocess.DEVNULL
            try:
                self._process = subprocess.Popen(  # noqa: S603  # it is what the user wrote into the settings
                    self._words, stdin=subprocess.PIPE, stdout=quiet, stderr=errors, start_new_session=True
                )
                if self._closed.is_set():  # just now: close has not seen it
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
        last_line = f": {shortened(lines[-1], _LONGEST)}" if lines else ""
        return f"ended with {self._process.returncode}{last_line}"


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


_MOST = 100  # reviews that are looked at of those that were ended since the last look


class Arrivals:
    """Looks for reviews again and again, and announces each new one once.

    Args:
        store: A connection of the reader's own.
        now: The time, in seconds since 1970.
        stamp: Gives the store's stamp, which each commit changes; None asks the store.
    """

    def __init__(
        self,
        store: StateStore,
        now: Callable[[], float] = time.time,
        stamp: Callable[[], object] | None = None,
    ) -> None:
        self._store, self._now, self._seen = store, now, LastSeen(stamp or store.stamp)
        self._masks = RunMasks(store)
        self._known: frozenset[str] | None = None
        self.waiting = 0
        """How many waited at the last look."""
        self.due: list[Review] = []
        """Those that waited at the look before, and whose rule was applied since, whoever has: their runs are
        ready, or have failed, and nobody goes on with them."""

    def look(self) -> list[SafeReview]:
        """Find the reviews that have come since the last look.

        The first look finds none: what waits already, screens show by themselves. While nobody commits
        anything, a look costs next to nothing.

        Raises:
            StoreError: The store cannot be read.
        """
        self.due = []
        if self._seen.is_current():
            return []
        paused = self._store.runs(RunStatus.PAUSED)
        runs = {run.pointer.review: run for run in paused if run.pointer.review is not None}
        known = frozenset(runs) if self._known is None else self._known
        reviews, found = Reviews(self._store, self._now), []
        for review_id, run in runs.items():
            review = reviews.of(run) if review_id not in known else None
            if isinstance(review, Review) and review.status == "pending" and not review.is_wait:
                with suppress(StoreDamaged):  # nobody knows what in it is secret: the lists report it
                    found.append(masked(review, self._masks.of(run)))
        found.sort(key=lambda review: (review.asked_at, review.id))
        self.due = list(_due(reviews, known - runs.keys()))
        self._known, self.waiting = frozenset(runs), len(runs)
        self._seen.keep()
        return found


def _due(reviews: Reviews, gone: Set[str]) -> Iterator[Review]:
    """Find those of the reviews that no longer wait which a deadline has ended."""
    latest = reviews.all(pending=False, limit=min(len(gone), _MOST)) if gone else ()
    for review, run in latest:
        stands_there = run.pointer.review == review.id and run.pointer.status is not RunStatus.PAUSED
        if review.id in gone and review.status == "expired" and stands_there:
            yield review


class ReviewCalls:
    """Looks for new reviews, and announces each one once.

    Args:
        context: What the screens share.
        write: Writes to the terminal.
        failed: Told, from another thread, what went wrong with the user's command.
        tell: Tells the person what deadlines have done.
    """

    def __init__(
        self,
        context: AppContext,
        write: Callable[[str], object],
        failed: Callable[[str], object],
        tell: Callable[[str], object],
    ) -> None:
        self._tell = tell
        self._address = context.address
        self._arrivals = Arrivals(context.store, context.clock.time, context.store_look.stamp)
        self._signals = TerminalSignals(context.settings.notify, write, os.environ)
        self._on_pause = PauseCommand(context.settings.on_pause, failed)

    def look(self) -> None:
        """Announce the reviews that have come since the last look, and those that a deadline has ended."""
        try:
            found = self._arrivals.look()
        except StepgraphError:  # the screens report what is wrong with the store
            return
        self._signals.show_count(self._arrivals.waiting)
        if found or self._arrivals.due:
            self._announce(found)

    def _announce(self, found: Sequence[SafeReview]) -> None:
        from .text.inbox import due_text  # with the first review that comes: no frame needs it
        from .text.reviews import review_json

        for review in self._arrivals.due:
            self._tell(due_text(review))
        if len(found) > 1:
            self._signals.call(f"{len(found)} reviews have come")  # not one call for each
        for review in found:
            if len(found) == 1:
                self._signals.call(f"{review.graph} {review.node}: {review.request.prompt}")
            show = command("approvals", "show", review.id, store=self._address)
            self._on_pause.tell(review_json(review) | {"command": show})

    def close(self) -> None:
        """Restore the terminal's title, and stop the command."""
        self._signals.close()
        self._on_pause.close()
