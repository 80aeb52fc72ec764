"""Runs that continue while the app shows something else: a few threads, and a queue before them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.runs.debug import LiveBreakpoints
from stepgraph.stores import ServerStore
from stepgraph.values import StepgraphError, error_detail
from stepgraph_tui.store_look import release

from .calls import Progress
from .thread import Go

if TYPE_CHECKING:
    from stepgraph.runs import Answering, Clock
    from stepgraph.stores import StateStore

    from .calls import NodeBegan
    from .capture import Capture
    from .worker import Worker

THREADS = 4
"""How many runs continue at once."""


@dataclass(frozen=True, slots=True)
class Underway:
    """A run that continues in the background, or that was tried to be."""

    node: NodeBegan | None = None
    """The node that runs now."""
    waits: bool = False
    """Whether it waits for a thread."""
    kept: str = ""
    """Why it was left where it stood; not made safe to show."""


class BackgroundRuns:
    """Continues runs until each of them ends, waits for a person or fails.

    The threads are daemons, each with a store connection of its own while there is work: nothing waits for a
    node that hangs, and a run that is left in the middle stays ready. What nodes print goes nowhere.

    Args:
        connect: Opens a store connection; called in each thread.
        answering: The models and tools that nodes may call; there are none when None.
        capture: Has node code's own streams; they are left alone when None.
        clock: What tells the time; the standard ``time`` module when None.
        ids: Makes an id from a prefix; random ones when None.
    """

    def __init__(
        self,
        connect: Callable[[], StateStore],
        *,
        answering: Answering | None = None,
        capture: Capture | None = None,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
    ) -> None:
        self._connect, self._answering, self._output = connect, answering, _Unheard(capture)
        self._clock, self._ids = clock, ids
        self._lock = threading.Lock()
        self._queue: deque[str] = deque()
        self._at: dict[str, Progress] = {}
        self._kept: dict[str, str] = {}
        self._threads = 0
        self._stop = threading.Event()
        self.idle = threading.Event()
        """Set while no run continues."""
        self.idle.set()
        self.changes = 0
        """How often a run was taken on or put down; whoever looks sees by it whether there is news."""

    def go_on(self, run_ids: Iterable[str]) -> None:
        """Continue runs; those that continue already are left alone."""
        with self._lock:
            for run_id in run_ids:
                if run_id not in self._at and run_id not in self._queue and not self._stop.is_set():
                    self._kept.pop(run_id, None)
                    self._queue.append(run_id)
                    self.changes += 1
            while self._threads < min(THREADS, len(self._at) + len(self._queue)):
                self._threads += 1
                self.idle.clear()
                threading.Thread(target=self._drive, name="stepgraph-background", daemon=True).start()

    def of(self, run_id: str) -> Underway | None:
        """Return how a run continues, or why it was left; None where nobody has asked for it here."""
        with self._lock:
            if run_id in self._at:
                return Underway(self._at[run_id].running)
            if run_id in self._queue:
                return Underway(waits=True)
            kept = self._kept.get(run_id)
            return None if kept is None else Underway(kept=kept)

    @property
    def ids(self) -> set[str]:
        """The runs that continue, or wait for a thread."""
        with self._lock:
            return {*self._at, *self._queue}

    @property
    def running(self) -> list[NodeBegan]:
        """The nodes that run now."""
        with self._lock:
            nodes = [progress.running for progress in self._at.values()]
        return [node for node in nodes if node is not None]

    def stop(self) -> None:
        """Accept no more runs, and leave each after the node that runs now; does not wait."""
        self._stop.set()
        with self._lock:
            self._queue.clear()

    def _drive(self) -> None:
        """Continue one run after the other until none waits; this is a thread."""
        progress = Progress()
        worker: Worker | None = None
        while (run_id := self._take(progress)) is not None:
            kept = ""
            try:
                if worker is None:
                    worker = self._worker(progress)
                worker.perform(Go(run_id))
            except StepgraphError as error:
                kept = error.message
            except BaseException as error:  # a bug; SystemExit would end the thread unseen
                kept = f"this is a bug in Stepgraph: {type(error).__name__}{error_detail(error)}"
            if kept and worker is not None:
                worker.forget()
            with self._lock:
                del self._at[run_id]
                self.changes += 1
                if kept:
                    self._kept[run_id] = kept
        if worker is not None:
            release(worker.store)

    def _take(self, progress: Progress) -> str | None:
        with self._lock:
            self.changes += 1
            if self._queue:
                run_id = self._queue.popleft()
                self._at[run_id] = progress
                return run_id
            self._threads -= 1
            if not self._threads:
                self.idle.set()
            return None

    def _worker(self, progress: Progress) -> Worker:
        from .worker import Worker

        store = self._connect()
        if isinstance(store, ServerStore):
            store.on_outage = lambda _: not self._stop.is_set()
        return Worker(
            store,
            progress,
            lambda _: None,
            self._stop.is_set,
            self._stop.is_set,
            LiveBreakpoints(),
            self._output,
            clock=self._clock,
            ids=self._ids,
            answering=self._answering,
        )


class _Unheard:
    """Takes what node code prints and what models say, and tells nobody.

    Args:
        capture: Has the streams; they are left alone when None.
    """

    def __init__(self, capture: Capture | None) -> None:
        self._capture = capture

    def during(self, *_: object) -> AbstractContextManager[None]:
        """Redirect the streams of node code."""
        return nullcontext() if self._capture is None else self._capture.unheard()

    def say(self, *_: object) -> None:
        """Drop the text."""
