"""Doing the work: what each piece of it means, without a thought of threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.executor import random_id
from stepgraph.runs.trial import try_node
from stepgraph.stores.ledger import RunStatus

from .handles import Handles
from .messages import Decided, Halt, NodeBegan, NodeTried, RunStarted, WorkDone
from .work import Decide, Go, Retry, Start, Step, Try, Work

if TYPE_CHECKING:
    from textual.message import Message

    from stepgraph.runs.executor import Executor
    from stepgraph.runs.records import StepRecord
    from stepgraph.runs.run import Run
    from stepgraph.runs.step import Clock
    from stepgraph.stores.base import StateStore, StoredRun

    from .capture import Capture
    from .news import News

_HALTS: dict[RunStatus, Halt] = {
    RunStatus.READY: "done",
    RunStatus.PAUSED: "paused",
    RunStatus.FAILED: "failed",
    RunStatus.ENDED: "ended",
}


class Worker:
    """Starts, steps, continues, retries and decides runs of one store, and tries nodes beside them.

    Args:
        store: Where the runs live.
        news: Hears of every node and every step.
        post: Tells the app at once.
        stopped: Whether somebody asked to stop.
        marks: The nodes after which a continued run stops, as they are now.
        clock: What tells the time.
        ids: Makes an id from a prefix.
        capture: Takes what node code prints.
    """

    def __init__(
        self,
        store: StateStore,
        news: News,
        post: Callable[[Message], object],
        stopped: Callable[[], bool],
        marks: Callable[[], frozenset[str]],
        *,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        capture: Capture | None = None,
    ) -> None:
        self.store = store
        self._news = news
        self._post = post
        self._stopped = stopped
        self._marks = marks
        self._clock: Clock = clock if clock is not None else time
        self._ids = ids if ids is not None else random_id
        self._capture = capture
        self._handles = Handles(store, self._clock, self._ids)

    def perform(self, work: Work) -> WorkDone | Decided | NodeTried:
        """Do a piece of work.

        Returns:
            What there is to tell at the end.

        Raises:
            StepgraphError: It cannot be done.
        """
        match work:
            case Start():
                return self._start(work)
            case Decide():
                reviews = Reviews(self.store, self._clock.time)
                return Decided(reviews.decide(work.review, work.decision, expect_hash=work.expect_hash))
            case Try():
                return self._try(work)
            case Retry():
                return WorkDone(work, work.run_id, self._retry(work))
            case Step():
                return WorkDone(work, work.run_id, self._step(work))
            case Go():
                return WorkDone(work, work.run_id, self._go(work))

    def forget(self) -> None:
        """Something went wrong: take nothing for granted that was known of the run."""
        self._handles.keep(None)

    def _start(self, work: Start) -> WorkDone:
        run_id = self._ids("r") if work.run_id is None else work.run_id
        with self._captured(run_id, 1, work.app.start):
            run = self._handles.start(work.app, work.values, run_id)
        self._post(RunStarted(run.id))
        return WorkDone(work, run.id, "done")

    def _step(self, work: Step) -> Halt:
        executor, run = self._ready(work.run_id, "step")
        self._take(executor, run)
        return _HALTS[run.status]

    def _go(self, work: Go) -> Halt:
        executor, run = self._ready(work.run_id, "continue")
        while True:
            record = self._take(executor, run)
            if run.status is not RunStatus.READY:
                return _HALTS[run.status]
            if self._stopped():
                return "stopped"
            if run.current == work.until:
                return "reached"
            if record.node in self._marks():
                return "marked"

    def _retry(self, work: Retry) -> Halt:
        stored = self.store.load(work.run_id)
        self._handles.refuse_unless(RunStatus.FAILED, stored, "retry")
        pointer = stored.pointer
        again = (pointer.error or {}).get("type") == "NodeFailed"  # else only its edges are tried again
        node, step = pointer.current or "", pointer.step + again
        executor = self._executor_of(stored)
        with self._told(work.run_id, node, step):
            run = executor.retry(work.run_id)
        self._handles.keep(run)
        self._news.taken(run.id)
        return _HALTS[run.status]

    def _try(self, work: Try) -> NodeTried:
        name = self._ids("try")
        with self._told(name, work.node, work.step):
            tried = try_node(
                work.app,
                work.node,
                work.values,
                step=work.step,
                visit=work.visit,
                visits=work.visits,
                previous_output=work.previous_output,
                decision=work.decision,
                clock=self._clock,
                ids=lambda _: name,
            )
        return NodeTried(work, tried)

    def _ready(self, run_id: str, verb: str) -> tuple[Executor, Run]:
        stored = self.store.load(run_id)
        self._handles.refuse_unless(RunStatus.READY, stored, verb)
        executor = self._executor_of(stored)
        return executor, self._handles.handle_of(stored, executor)

    def _executor_of(self, stored: StoredRun) -> Executor:
        pointer = stored.pointer
        with self._captured(stored.head.id, pointer.step + 1, pointer.current or ""):  # imports may print
            return self._handles.executor_of(stored)

    def _take(self, executor: Executor, run: Run) -> StepRecord:
        with self._told(run.id, run.current or "", run.step + 1):
            record = executor.step(run)
        self._news.taken(run.id)
        return record

    @contextmanager
    def _told(self, run_id: str, node: str, step: int) -> Iterator[None]:
        """While a node runs, everybody can know which."""
        self._news.began(NodeBegan(run_id, node, step, time.monotonic()))
        try:
            with self._captured(run_id, step, node):
                yield
        finally:
            self._news.ended()

    @contextmanager
    def _captured(self, run_id: str, step: int, node: str) -> Iterator[None]:
        if self._capture is None:
            yield
            return
        with self._capture.during(run_id, step, node, self._post):
            yield
