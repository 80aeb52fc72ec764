"""What everybody may ask of Temporal: to drive a run, and which worker is at what."""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TypeVar

from temporalio.api.enums.v1 import IndexedValueType, PendingActivityState, TaskQueueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from ...stores.engines import DrivenRun, LivingWorker, at_work
from ...stores.opening import store_file, without_password
from ...values.errors import Conflict, StoreError
from .server import ANSWERS_WITHIN, TemporalAddress, error_line, read_address
from .workflow import ATTRIBUTES, STATUS, WORKFLOW, WorkflowOrder

_LAST_CALLS = 0.02
"""Seconds that the client's own threads are given to leave Python: one that is in it at the end aborts it."""
_AT_ONCE = 50  # workflows that are asked for at the same time
_OPEN = f'WorkflowType = "{WORKFLOW}" AND ExecutionStatus = "Running"'
_DECIDES_WITHIN = timedelta(seconds=5)
"""How long a worker has to say what a workflow does next; then another one is asked."""
_POLL = 75.0
"""After how many seconds a worker that does not ask for work is gone: it asks once a minute."""

_T = TypeVar("_T")


class TemporalEngine:
    """Temporal as what drives the runs of a store.

    Args:
        address: Where it is.
        store: The store, without a password.
    """

    def __init__(self, address: TemporalAddress, store: str) -> None:
        self._address, self._store = address, store

    def prepare(self) -> None:
        """See whether the server answers."""
        self._ask(lambda client: client.service_client.check_health(timeout=ANSWERS_WITHIN))

    def enroll(self, run_id: str) -> None:
        """Hand a run over; a run that is Temporal's already is left alone."""
        with suppress(WorkflowAlreadyStartedError):
            self._ask(lambda client: self._start(client, WorkflowOrder(run_id, self._store)))

    def retry(self, run_id: str, version: int) -> None:
        """Ask a worker to retry a run that has failed at a version.

        Raises:
            Conflict: A workflow of the run goes on.
        """
        try:
            self._ask(lambda client: self._start(client, WorkflowOrder(run_id, self._store, version)))
        except WorkflowAlreadyStartedError:
            raise Conflict(
                f"{self._address.shown} drives run {run_id!r} already", hint="look at it again in a moment"
            ) from None

    async def _start(self, client: Client, order: WorkflowOrder) -> None:
        order.indexed = await _index(client)
        await client.start_workflow(
            WORKFLOW,
            order,
            id=order.run,
            task_queue=self._address.queue,
            task_timeout=_DECIDES_WITHIN,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
            rpc_timeout=ANSWERS_WITHIN,
        )

    def withdraw(self, run_id: str) -> bool:
        """Withdraw a run; its workflow is terminated, which needs no worker.

        Raises:
            Conflict: A worker is at it.
        """
        theirs = self.run_of(run_id)
        if theirs is None:
            return False
        if theirs.job == "doing":
            raise at_work(theirs.worker, run_id)

        async def terminate(client: Client) -> bool:
            handle = client.get_workflow_handle(run_id)
            return await is_known(
                handle.terminate(reason="the run was taken back", rpc_timeout=ANSWERS_WITHIN)
            )

        return self._ask(terminate)

    def wake(self, run_id: str) -> None:
        """Signal the workflow of a run without waiting for it."""

        def tell() -> None:
            with suppress(StoreError):  # the workflow looks by itself
                self._ask(lambda client: wake(client, run_id))

        threading.Thread(target=tell, name="wake").start()

    def run_of(self, run_id: str) -> DrivenRun | None:
        """Find how a run stands; None where Temporal does not drive it."""
        return self._ask(lambda client: self._described(client, run_id))

    def ids(self) -> Collection[str]:
        """List the runs that Temporal drives."""
        return self._ask(_open).keys()

    def runs(self) -> dict[str, DrivenRun]:
        """Find how each run stands that Temporal drives."""
        return {run.run: run for run in self._ask(self._all)}

    async def _all(self, client: Client) -> list[DrivenRun]:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def one(run_id: str) -> DrivenRun | None:
            async with turns:
                return await self._described(client, run_id)

        opened = await _open(client)
        found = await asyncio.gather(*(one(run_id) for run_id, paused in opened.items() if not paused))
        waiting = (_idle(run_id) for run_id, paused in opened.items() if paused)
        return [*(each for each in found if each is not None), *waiting]

    async def _described(self, client: Client, run_id: str) -> DrivenRun | None:
        try:
            found = await client.get_workflow_handle(run_id).describe(rpc_timeout=ANSWERS_WITHIN)
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return None
        is_ours = found.status is WorkflowExecutionStatus.RUNNING and found.workflow_type == WORKFLOW
        return _driven(run_id, found) if is_ours else None

    def workers(self) -> list[LivingWorker]:
        """List the workers that have asked for work in the last minutes."""

        async def find(client: Client) -> list[LivingWorker]:
            queue = TaskQueue(name=self._address.queue)
            kind = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
            asked = DescribeTaskQueueRequest(
                namespace=self._address.namespace, task_queue=queue, task_queue_type=kind
            )
            described = await client.workflow_service.describe_task_queue(asked, timeout=ANSWERS_WITHIN)
            heard = {each.identity: each.last_access_time.ToSeconds() for each in described.pollers}
            now = time.time()
            return [LivingWorker(name, "", max(now - at, 0), _POLL, ()) for name, at in sorted(heard.items())]

        return self._ask(find)

    def _ask(self, work: Callable[[Client], Awaitable[_T]]) -> _T:
        """Ask the server, from whatever thread.

        Raises:
            StoreError: It does not answer, or refuses.
        """

        async def within() -> _T:
            async with asyncio.timeout(ANSWERS_WITHIN.total_seconds()):
                return await work(await _client(self._address))

        try:
            return asyncio.run_coroutine_threadsafe(within(), _loop()).result()
        except (RPCError, RuntimeError, TimeoutError) as error:
            raise StoreError(
                f"Temporal at {self._address.shown} cannot be asked: {error_line(error)}",
                hint="is it running? `stepgraph worker --engine temporal --dev` starts one on this machine",
            ) from error


def engine_at(address: str, store: str) -> TemporalEngine:
    """Build the engine of an address.

    Raises:
        StoreError: The address cannot be read.
    """
    return TemporalEngine(read_address(address), shown_store(store))


def shown_store(address: str) -> str:
    """Write a store's address as all processes of a machine write it, without a password."""
    file = store_file(address)
    return f"sqlite:///{file.absolute()}" if file is not None else without_password(address)


async def _index(client: Client) -> bool:
    """Register the search attributes for runs once; False if the server refuses or has no room."""
    service, namespace = client.operator_service, client.namespace
    try:
        known = await service.list_search_attributes(
            ListSearchAttributesRequest(namespace=namespace), retry=True, timeout=ANSWERS_WITHIN
        )
        keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
        missing = {key.name: keyword for key in ATTRIBUTES if key.name not in known.custom_attributes}
        if missing:
            wanted = AddSearchAttributesRequest(search_attributes=missing, namespace=namespace)
            await service.add_search_attributes(wanted, retry=True, timeout=ANSWERS_WITHIN)
    except RPCError as error:
        if error.status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED):
            raise
        return error.status is RPCStatusCode.ALREADY_EXISTS
    return True


async def is_known(asked: Awaitable[object]) -> bool:
    """Call a function with a workflow that is still open; False if there is none."""
    try:
        await asked
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


async def wake(client: Client, run_id: str) -> None:
    """Signal the workflow of a run, if there is one."""
    await is_known(client.get_workflow_handle(run_id).signal("wake", rpc_timeout=ANSWERS_WITHIN))


async def _open(client: Client) -> dict[str, bool]:
    """List the runs that Temporal drives, each with whether it waits for a person: then nobody is at it."""
    found = client.list_workflows(_OPEN, rpc_timeout=ANSWERS_WITHIN)
    return {each.id: each.typed_search_attributes.get(STATUS) == "paused" async for each in found}


def _idle(run_id: str) -> DrivenRun:
    return DrivenRun(run_id, None, None, engine="Temporal")


def _driven(run_id: str, found: WorkflowExecutionDescription) -> DrivenRun:
    """Derive a run's driven state from what its workflow waits for."""
    step = next(iter(found.raw_description.pending_activities), None)
    if step is None:
        return _idle(run_id)
    trouble = step.last_failure.message if step.HasField("last_failure") else ""
    if step.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED:
        return DrivenRun(run_id, "doing", step.last_worker_identity, 0.0, trouble, "Temporal")
    next_at = step.scheduled_time.ToDatetime(UTC) if step.attempt > 1 else datetime.now(UTC)
    wait = max((next_at - datetime.now(UTC)).total_seconds(), 0.0)
    return DrivenRun(run_id, "todo", None, wait, trouble, "Temporal")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Start the thread in which Temporal is asked, whoever asks."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="temporal", daemon=True)
    thread.start()

    def end() -> None:  # Python must not end while the client's own threads call into it
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        threading.Event().wait(_LAST_CALLS)  # who brought the last answer may still be on its way out

    atexit.register(end)
    return loop


_clients: dict[str, Client] = {}


async def _client(address: TemporalAddress) -> Client:
    client = _clients.get(address.shown)
    if client is None:
        client = _clients[address.shown] = await address.connect()
    return client
