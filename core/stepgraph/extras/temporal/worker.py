"""A worker that Temporal gives its work: it makes the steps of runs, each in a process that it supervises.

A step is an activity. While its node runs, the worker gives signs of life all the time; the answer says
whether the run was stopped, and silence ends the node before Temporal gives the step to somebody else.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from temporalio import activity
from temporalio.client import AsyncActivityCancelledError, Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from ...reviews.inbox import Reviews
from ...reviews.model import Review
from ...runs.masks import mask_of
from ...runs.views import shown_plan
from ...stores.ledger import RunStatus
from ...stores.opening import open_store
from ...stores.serving import ServerStore
from ...values.errors import StepgraphError, UnknownRun
from ...values.json_values import uptime
from ..workers.supervised import (
    ABORT,
    JobOrder,
    JobOutcome,
    SupervisedHand,
    WorkerOptions,
    delay_after,
    leaving_text,
    outcome_text,
)
from .engine import shown_store, wake
from .server import ANSWERS_WITHIN, TemporalAddress, error_line
from .workflow import RunPlace, RunWorkflow, StepOrder, WorkflowOrder

RUNNER = SandboxedWorkflowRunner(
    restrictions=SandboxRestrictions.default.with_passthrough_modules("stepgraph")
)
"""Runs workflows, and replays them; the modules of the engine are not loaded again for each of them."""

_BEAT = 0.2
"""After how many seconds a sign of life is given, and whether the run was stopped is heard."""
_AGAIN = 1.0
_REMINDS = 5.0
"""After how many seconds it is looked for decisions that no workflow has heard of."""
_EVER = timedelta(days=365)


class TemporalWorker:
    """Drives the runs of a store that were handed to Temporal.

    Args:
        options: How it works.
        address: Where Temporal is.
        tell: Hears, in words, what it does.

    Raises:
        StoreError: The store cannot be used.
    """

    def __init__(self, options: WorkerOptions, address: TemporalAddress, tell: Callable[[str], None]) -> None:
        self._options, self._address, self._tell = options, address, tell
        self._store = open_store(options.url)
        if isinstance(self._store, ServerStore):
            self._store.on_outage = lambda _: False  # Temporal has it asked again
        self._hands = [SupervisedHand(options, self._store) for _ in range(options.processes)]
        self._idle: asyncio.Queue[SupervisedHand] = asyncio.Queue()
        self._busy: set[SupervisedHand] = set()
        self._timeouts: dict[str, dict[str, float | None]] = {}
        self._leaving = asyncio.Event()
        self._client: Client | None = None

    async def run(self) -> None:
        """Work until somebody asks to stop: after the current nodes, or at once where they ask twice."""
        logging.getLogger("temporalio").setLevel(logging.CRITICAL)  # its warnings are reported in our words
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        for hand in self._hands:
            self._idle.put_nowait(hand)
        try:
            await asyncio.gather(*(hand.start() for hand in self._hands))
            while not self._leaving.is_set():
                await self._serve()
        finally:
            await asyncio.gather(*(hand.close() for hand in self._hands))
            self._store.close()

    def stop(self) -> None:
        """Stop after the current nodes; called again, at once."""
        again = self._leaving.is_set()
        self._leaving.set()
        if self._busy:
            self._tell(leaving_text(len(self._busy), at_once=again))
        if again:
            for hand in self._busy:
                hand.end()

    async def _serve(self) -> None:
        """Take work until somebody asks to stop, or Temporal refuses."""
        left = asyncio.create_task(self._leaving.wait())
        reminds: asyncio.Task[None] | None = None
        try:
            client = self._client = await self._address.connect(self._options.name)
            async with self._worker(client):
                reminds = asyncio.create_task(self._remind(client))
                await left
        except (RuntimeError, RPCError) as error:
            self._tell(f"waiting for Temporal at {self._address.shown}: {error_line(error)}")
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(left), _AGAIN)
        finally:
            left.cancel()
            if reminds is not None:
                reminds.cancel()

    async def _remind(self, client: Client) -> None:
        """Wake the workflows of runs that were decided while nobody was listening, once for each decision."""
        reminded: set[tuple[str, int]] = set()
        is_down = False
        while True:
            try:
                await client.service_client.check_health(timeout=ANSWERS_WITHIN)
                if is_down:
                    self._tell(f"Temporal at {self._address.shown} answers again")
                is_down = False
                ready = await asyncio.to_thread(self._store.runs, RunStatus.READY)
                decided = {(run.head.id, run.pointer.version) for run in ready if run.pointer.review}
                for run_id, _ in decided - reminded:
                    await wake(client, run_id)
                reminded = decided
            except StepgraphError as error:
                self._tell(f"note: {error.message}")
            except RPCError as error:
                if not is_down:
                    self._tell(f"waiting for Temporal at {self._address.shown}: {error_line(error)}")
                is_down = True
            await asyncio.sleep(_REMINDS)

    def _worker(self, client: Client) -> Worker:
        return Worker(
            client,
            task_queue=self._address.queue,
            workflows=[RunWorkflow],
            activities=[self.advance, self.look],
            workflow_runner=RUNNER,
            max_concurrent_activities=self._options.processes,
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=min(self._options.lease, 10)),
            max_heartbeat_throttle_interval=timedelta(seconds=_BEAT / 2),
            graceful_shutdown_timeout=_EVER,
        )

    @activity.defn(name="look")
    async def look(self, order: WorkflowOrder) -> RunPlace:
        """Read from the ledger where a run stands; what is overdue of its review is applied first."""
        try:
            return await asyncio.to_thread(self._place, order.run)
        except UnknownRun as error:
            is_deleted = order.store == shown_store(self._options.url)
            where = "" if is_deleted else f": {self._store.url}, and it was started in {order.store}"
            raise ApplicationError(
                error.message + where, type="UnknownRun", non_retryable=is_deleted
            ) from None
        except StepgraphError as error:
            raise ApplicationError(str(error), type=type(error).__name__) from None

    def _place(self, run_id: str) -> RunPlace:
        reviews = Reviews(self._store)
        reviews.settle(run_id)
        stored = self._store.load(run_id)
        pointer = stored.pointer
        text = str(pointer.outcome or "")
        if pointer.error is not None:  # what Temporal keeps, everybody may see who looks at it
            mask = mask_of(shown_plan(self._store, stored), self._store, run_id)
            text = mask.text(str(pointer.error["message"]))
        place = RunPlace(pointer.version, pointer.status.value, text, self._options.lease, stored.head.graph)
        place.node = pointer.current or ""
        if pointer.status is RunStatus.PAUSED and isinstance(review := reviews.of(stored), Review):
            place.review = review.id
            moments = (review.deadline, None if review.escalated else review.escalates_at)
            place.until = min((moment for moment in moments if moment is not None), default=None)
        elif pointer.status is RunStatus.READY:
            timeouts = self._timeouts.get(pointer.definition)
            if timeouts is None:
                nodes = shown_plan(self._store, stored).nodes
                timeouts = self._timeouts[pointer.definition] = {name: nodes[name].seconds for name in nodes}
            place.seconds = timeouts.get(place.node)
        return place

    @activity.defn(name="advance")
    async def advance(self, step: StepOrder) -> RunPlace:
        """Run one step of a run."""
        info = activity.info()
        lease = (info.heartbeat_timeout or timedelta(seconds=self._options.lease)).total_seconds()
        hand = await self._idle.get()
        self._busy.add(hand)
        order = JobOrder(step.order.run, step.order.failed_at, step.version)
        job = asyncio.create_task(hand.advance(order, uptime() + lease * 2 / 3))
        beats = asyncio.create_task(self._beat(info.task_token, hand, lease))
        try:
            outcome = await asyncio.shield(job)
        except asyncio.CancelledError:
            # The run was stopped, or Temporal has given its step to another worker.
            outcome = await self._aborted(hand, job)
        finally:
            beats.cancel()
            self._busy.discard(hand)
            self._idle.put_nowait(hand)
        if outcome.ending in ("advanced", "left"):
            if outcome.ending == "advanced":
                self._tell(f"run {outcome.run} {outcome.status}")
            return await self.look(step.order)
        self._tell(outcome_text(outcome))
        raise ApplicationError(
            outcome.what or outcome_text(outcome),
            type=outcome.ending,
            non_retryable=outcome.ending in ("gone", "broken"),
            next_retry_delay=timedelta(seconds=delay_after(info.attempt)),
        )

    async def _aborted(self, hand: SupervisedHand, job: asyncio.Task[JobOutcome]) -> JobOutcome:
        done, _ = await asyncio.wait([job], timeout=ABORT)
        if not done:
            hand.end("stopped")
        return await job

    async def _beat(self, token: bytes, hand: SupervisedHand, lease: float) -> None:
        """Send heartbeats during a step; end it when none was acknowledged for most of its lease."""
        assert self._client is not None  # noqa: S101  # it has brought the step
        handle = self._client.get_async_activity_handle(task_token=token)
        heard = uptime()
        while (left := heard + lease * 2 / 3 - uptime()) > 0:
            await asyncio.sleep(min(_BEAT, left))
            began = uptime()
            try:
                activity.heartbeat()
                await asyncio.wait_for(handle.heartbeat(), max(left, 0.01))
                heard = began
                hand.prolong(heard + lease * 2 / 3)
            except AsyncActivityCancelledError:
                await asyncio.sleep(ABORT)
                hand.end("stopped")
                return
            except RPCError as error:
                if error.status is RPCStatusCode.NOT_FOUND:
                    break
            except TimeoutError:
                break
        self._tell("others may take this worker for dead: its step is ended, and is made again")
        hand.end()
