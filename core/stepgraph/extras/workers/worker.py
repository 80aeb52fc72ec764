"""A worker: takes jobs, has them done by its processes, and gives a sign of life while they last.

procrastinate's tables and functions keep the jobs, their locks and the heartbeats. Its own worker is not used
here: it gives up when the database is away for a moment, and cannot tell that its jobs were given to others.

Nobody else drives a run of a worker that is alive, and a worker that others may think dead does not drive: it
gives a sign of life several times in each lease, what it runs ends when it could give none for two thirds of
it, and others take its runs over when all of it has passed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psycopg
from procrastinate.jobs import Job
from procrastinate.manager import JobManager

from ...reviews.inbox import Reviews
from ...stores.serving import Outage
from ...values.errors import StepgraphError
from ...values.json_values import uptime
from ..postgres.address import read_address
from ..postgres.store import PostgresStore
from .queue import PatientConnector
from .supervised import (
    ABORT,
    JobOrder,
    JobOutcome,
    SupervisedHand,
    WorkerOptions,
    delay_after,
    leaving_text,
    outcome_text,
)

POLL = 5.0
"""After how many seconds at most jobs are looked for, without a notification of one."""
PARTING = 5.0
"""How many seconds at most a worker that leaves waits for its database, once its nodes are over."""

_REGISTER = """
INSERT INTO workers(id, name, host, pid, processes, lease)
VALUES (%(id)s, %(name)s, %(host)s, %(pid)s, %(processes)s, %(lease)s)"""
_SILENT = """
SELECT job.id, job.worker_id, job.lock AS run, workers.name
FROM procrastinate_jobs AS job
LEFT JOIN procrastinate_workers AS living ON living.id = job.worker_id
LEFT JOIN workers ON workers.id = living.id
WHERE job.status = 'doing' AND job.queue_name = %(queue)s AND (
    living.id IS NULL
    OR living.last_heartbeat < now() - make_interval(secs => coalesce(workers.lease, %(lease)s))
)"""
_PUT_BACK = "SELECT put_back(%(job)s, %(worker)s, %(seconds)s) AS done"
_FINISH = "DELETE FROM procrastinate_jobs WHERE id = %(job)s AND worker_id = %(worker)s"
_FAIL = """
UPDATE procrastinate_jobs SET status = 'failed', abort_requested = false
WHERE id = %(job)s AND worker_id = %(worker)s AND status = 'doing'"""
_MINE = "SELECT id FROM procrastinate_jobs WHERE status = 'doing' AND worker_id = %(worker)s"
_BURY = """
DELETE FROM procrastinate_workers USING workers
WHERE workers.id = procrastinate_workers.id
    AND last_heartbeat < now() - make_interval(secs => 2 * workers.lease)"""
_FORGOTTEN = """
SELECT defer_run(run, '{}') FROM worker_runs JOIN runs ON runs.id = run
WHERE runs.status = 'ready' AND NOT EXISTS (
    SELECT FROM procrastinate_jobs WHERE lock = run AND status IN ('todo', 'doing', 'failed')
)"""
_TROUBLE = """
UPDATE worker_runs SET trouble = %(trouble)s
WHERE run = %(run)s AND trouble IS DISTINCT FROM %(trouble)s"""


class RunWorker:
    """Drives the runs of a store that were handed to workers.

    Args:
        options: How it works.
        tell: Hears, in words, what it does.

    Raises:
        StoreError: The store cannot be used.
    """

    def __init__(self, options: WorkerOptions, tell: Callable[[str], None]) -> None:
        self._options, self._tell = options, tell
        self._queue = read_address(options.url).schema
        self._store = PostgresStore(options.url, on_outage=self._waits)
        self._store.answer_within(options.lease / 3)
        self._link = PatientConnector(read_address(options.url), tell, options.lease / 3)
        self._jobs = JobManager(self._link)
        self._hands = [SupervisedHand(options, self._store) for _ in range(options.processes)]
        self._in_hand: dict[int, SupervisedHand] = {}
        self._id: int | None = None
        self._heard_at = 0.0
        self._leaving = asyncio.Event()
        self._news = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Work until somebody asks to stop: after the current nodes, or at once where they ask twice."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        aside = [asyncio.create_task(self._always(each)) for each in (self._live, self._look, self._listen)]
        self._work = asyncio.create_task(self._serve_all())
        try:
            with suppress(asyncio.CancelledError):
                await self._work
            await self._part()
        finally:
            for task in aside:
                task.cancel()
            await asyncio.gather(*aside, return_exceptions=True)
            await asyncio.gather(*(hand.close() for hand in self._hands))
            await self._link.close_async()
            self._store.close()

    def stop(self) -> None:
        """Stop after the current nodes; called again, at once."""
        again = self._leaving.is_set()
        self._leaving.set()
        if self._in_hand:
            self._tell(leaving_text(len(self._in_hand), at_once=again))
        if self._in_hand and not again:
            for hand in self._in_hand.values():
                hand.leave()
        elif self._work is not None:
            self._work.cancel()

    # Being there

    @property
    def _parting(self) -> float:
        return min(PARTING, self._options.lease / 3)

    @property
    def _until(self) -> float:
        """When this worker ends what it runs, unless it can give a sign of life before."""
        return self._heard_at + self._options.lease * 2 / 3

    async def _join(self) -> None:
        (worker,) = [await self._jobs.register_worker()]
        about = {"name": self._options.name, "host": socket.gethostname(), "pid": os.getpid()}
        rest = {"processes": self._options.processes, "lease": self._options.lease}
        await self._link.ask(_REGISTER, {"id": worker, **about, **rest})
        self._heard_at = uptime()
        self._id = worker

    async def _part(self) -> None:
        if self._id is not None:
            with suppress(TimeoutError):  # others see by its silence that it is gone
                await asyncio.wait_for(self._jobs.unregister_worker(self._id), self._parting)

    async def _live(self) -> None:
        """Send a heartbeat; drop everything when others may take this worker for dead."""
        await asyncio.sleep(self._options.lease / 6)
        if self._id is None:
            return
        began = uptime()
        try:
            await asyncio.wait_for(self._check(self._id), max(self._until - began, 0.01))
            self._heard_at = began
            for hand in self._in_hand.values():
                hand.prolong(self._until)
        except TimeoutError:
            await self._drop()

    async def _check(self, worker: int) -> None:
        """Send a heartbeat, and compare the jobs in hand with what the database says."""
        await self._jobs.update_heartbeat(worker)
        before = dict(self._in_hand)
        mine = {row["id"] for row in await self._link.ask(_MINE, {"worker": worker})}
        for job in before.keys() - mine:
            if job in self._in_hand:  # taken over while this machine slept, say
                before[job].end()
        for job in mine - before.keys() - self._in_hand.keys():  # taken, and the answer was lost
            await self._link.ask(_PUT_BACK, {"job": job, "worker": worker, "seconds": 0})
        if not await self._link.ask("SELECT id FROM workers WHERE id = %(id)s", {"id": worker}):
            await self._drop()

    async def _drop(self) -> None:
        """End what runs, and start over under another number as soon as the database answers."""
        lost, self._id = self._id, None
        if self._in_hand:
            self._tell("others may take this worker for dead: what it runs is ended, and is run again")
        for hand in self._in_hand.values():
            hand.end()
        if lost is not None:
            await self._jobs.unregister_worker(lost)
            await self._join()
            self._news.set()

    # Jobs

    async def _serve_all(self) -> None:
        await self._join()
        await asyncio.gather(*map(self._serve_with, self._hands))

    async def _serve_with(self, hand: SupervisedHand) -> None:
        while not self._leaving.is_set():
            await self._once(lambda: self._serve(hand))

    async def _serve(self, hand: SupervisedHand) -> None:
        """Run a job with one of the processes, or wait for one."""
        self._news.clear()
        await hand.start()
        job = await self._take()
        if job is not None:
            await self._do(job, hand)
        elif not self._leaving.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), min(POLL, self._options.lease / 3))

    async def _take(self) -> Job | None:
        worker = self._id
        if worker is None:
            return None
        try:
            return await self._jobs.fetch_job(queues=[self._queue], worker_id=worker)
        except psycopg.errors.ForeignKeyViolation:  # others have buried this worker
            return None

    async def _do(self, job: Job, hand: SupervisedHand) -> None:
        worker, run = self._id, str(job.lock)
        if job.id is None or worker is None or worker != job.worker_id:
            return  # put back when it is looked for
        self._in_hand[job.id] = hand
        if self._leaving.is_set():
            hand.leave()
        try:
            failed_at = job.task_kwargs.get("failed_at")
            version = failed_at if isinstance(failed_at, int) else None
            order = JobOrder(run, version, claim=(job.id, worker))
            outcome = await hand.advance(order, self._until)
        finally:
            del self._in_hand[job.id]
            if self._leaving.is_set() and not self._in_hand and self._work is not None:
                asyncio.get_running_loop().call_later(self._parting, self._work.cancel)
        if outcome.ending != "lost":  # else nothing of it is ours any more
            await self._settle(job, worker, outcome)
        self._tell(outcome_text(outcome))

    async def _settle(self, job: Job, worker: int, outcome: JobOutcome) -> None:
        """Record a job's outcome in the queue; repeating it over a cut connection does no harm."""
        mine: dict[str, Any] = {"job": job.id, "worker": worker}
        trouble = {"worker": self._options.name, "at": time.time(), "what": outcome.what}
        text = json.dumps(trouble) if outcome.ending in ("refused", "broken", "died") else None
        await self._link.ask(_TROUBLE, {"run": outcome.run, "trouble": text})
        if outcome.ending in ("advanced", "gone"):
            await self._link.ask(_FINISH, mine)
        elif outcome.ending == "broken":
            await self._link.ask(_FAIL, mine)
        else:
            tried_again = outcome.ending in ("left", "killed")
            delay = 0.0 if tried_again else delay_after(job.attempts)
            await self._link.ask(_PUT_BACK, mine | {"seconds": delay})

    # Looking after everything

    async def _look(self) -> None:
        """Take over what the dead have left, and find what everybody has forgotten."""
        for row in await self._link.ask(_SILENT, {"queue": self._queue, "lease": self._options.lease}):
            pinned = {"job": row["id"], "worker": row["worker_id"], "seconds": 0}
            if (await self._link.ask(_PUT_BACK, pinned))[0]["done"]:
                who = f"worker {row['name']}" if row["name"] else "a worker"
                self._tell(f"run {row['run']} is taken over: {who} is gone")
                self._news.set()
        await self._link.ask(_BURY)
        await asyncio.to_thread(Reviews(self._store).expire)
        if await self._link.ask(_FORGOTTEN):
            self._news.set()
        await asyncio.sleep(self._options.lease / 3)

    async def _listen(self) -> None:
        self._news.set()  # a notification may have come while nobody listened
        await self._jobs.listen_for_jobs(on_notification=self._hear, queues=[self._queue])

    async def _hear(self, *, channel: str, notification: Any) -> None:
        if notification["type"] == "job_inserted":
            self._news.set()
        else:
            asyncio.get_running_loop().call_later(ABORT, self._abort, notification["job_id"])

    def _abort(self, job: int) -> None:
        """End the node of a run that was stopped, unless it is over by itself."""
        if job in self._in_hand:
            self._in_hand[job].end("stopped")

    async def _always(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._once(work)

    async def _once(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run one turn of a repeated task; an error is logged and nothing else comes of it."""
        try:
            await work()
        except (psycopg.Error, StepgraphError) as error:
            self._tell(f"note: {error}".splitlines()[0])
            await asyncio.sleep(1)

    def _waits(self, outage: Outage) -> bool:
        return not self._leaving.is_set()
