"""The workflow of a run: it asks for one step after the other, and waits while people decide.

It knows nothing of graphs and holds no state: each step is told by the run's version alone, and what came of
it is read from the ledger. So graphs change while their workflows run, and histories are replayed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy, SearchAttributeKey, SearchAttributeUpdate
from temporalio.exceptions import ActivityError, ApplicationError

WORKFLOW = "stepgraph"
"""The type of the workflows, by which they are found."""

GRAPH = SearchAttributeKey.for_keyword("StepgraphGraph")
STATUS = SearchAttributeKey.for_keyword("StepgraphStatus")
NODE = SearchAttributeKey.for_keyword("StepgraphNode")
REVIEW = SearchAttributeKey.for_keyword("StepgraphReview")
ATTRIBUTES = (GRAPH, STATUS, NODE, REVIEW)
"""What runs are found by in Temporal's own tools."""

_FIRST_LOOK = 5.0
_RARELY = 300.0
"""After how many seconds a run that waits is looked at again, at first and at last: a signal may be lost."""
_SOON = 1.0  # seconds; the clocks of the store and of Temporal are not the same
_MARGIN = 30.0  # seconds in which a worker records that a node took too long
_LONGEST = timedelta(days=365)  # of a node without a timeout: its worker's heartbeats say that it lives
_LOOKING = timedelta(seconds=30)
_RETRIED = RetryPolicy(initial_interval=timedelta(seconds=1), backoff_coefficient=1.0)
"""Only what is ours is tried again, a store that is away, say: that a node has failed is a result."""


@dataclass
class WorkflowOrder:
    """What a workflow is started with."""

    run: str
    store: str
    """The run's store, as whoever handed it over knows it, without a password."""
    failed_at: int | None = None
    """The version at which it has failed, and is to be retried; None for one that is ready."""
    indexed: bool = False
    """Whether the server has our search attributes."""


@dataclass
class StepOrder:
    """One step of a run: nothing is done where the run is not at this version any more."""

    order: WorkflowOrder
    version: int


@dataclass
class RunPlace:
    """Where a run stands by the ledger."""

    version: int
    status: str
    """``ready``, ``paused``, ``ended`` or ``failed``."""
    said: str
    """How it ended or failed, in words."""
    lease: float
    """How long a worker may say nothing, in seconds, before others take its step over."""
    graph: str = ""
    node: str = ""
    review: str = ""
    seconds: float | None = None
    """The timeout of the node that comes next."""
    until: float | None = None
    """When the terms of its review ask for something, in seconds since 1970."""


@workflow.defn(name=WORKFLOW)
class RunWorkflow:
    """Drives a run until it ends or fails."""

    def __init__(self) -> None:
        self._woken = False
        self._shown: RunPlace | None = None

    @workflow.signal
    def wake(self) -> None:
        """Look at the run: somebody has moved it."""
        self._woken = True

    @workflow.run
    async def run(self, order: WorkflowOrder) -> str:
        """Drive the run.

        Returns:
            How it ended, in words.

        Raises:
            ApplicationError: It has failed.
        """
        patience = _FIRST_LOOK
        place = await self._look(order)
        while place.status != "ended":
            self._show(order, place)
            if place.status == "paused":
                await self._rest(place, patience)
                patience = min(2 * patience, _RARELY)
                place = await self._look(order)
            elif place.status == "ready" or place.version == order.failed_at:
                patience = _FIRST_LOOK
                place = await self._advance(order, place)
            else:
                raise ApplicationError(place.said, type="RunFailed", non_retryable=True)
            if workflow.info().is_continue_as_new_suggested():
                workflow.continue_as_new(order)
        self._show(order, place)
        return place.said

    async def _look(self, order: WorkflowOrder) -> RunPlace:
        self._woken = False
        place: RunPlace = await workflow.execute_local_activity(
            "look", order, result_type=RunPlace, start_to_close_timeout=_LOOKING, retry_policy=_RETRIED
        )
        return place

    async def _rest(self, place: RunPlace, patience: float) -> None:
        """Wait for a signal, the next moment of a review, or the next look."""
        if place.until is not None:
            patience = min(patience, max(place.until - workflow.time(), _SOON))
        with suppress(TimeoutError):
            await workflow.wait_condition(lambda: self._woken, timeout=patience)

    async def _advance(self, order: WorkflowOrder, place: RunPlace) -> RunPlace:
        """Request one step; it is dropped when somebody has moved the run meanwhile."""
        takes = _LONGEST if place.seconds is None else timedelta(seconds=place.seconds + _MARGIN)
        self._woken = False
        step = workflow.start_activity(
            "advance",
            StepOrder(order, place.version),
            result_type=RunPlace,
            start_to_close_timeout=takes,
            heartbeat_timeout=timedelta(seconds=place.lease),
            retry_policy=_RETRIED,
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            summary=place.node,
        )
        is_dropped = False
        while not is_dropped and not step.done():
            await workflow.wait_condition(lambda: step.done() or self._woken)
            if not step.done() and (await self._look(order)).version != place.version:
                is_dropped = step.cancel()
        try:
            made: RunPlace = await step
        except ActivityError:
            if not is_dropped:
                raise
            made = await self._look(order)
        return made

    def _show(self, order: WorkflowOrder, place: RunPlace) -> None:
        """Publish the run's status to Temporal's own tools."""
        was, self._shown = self._shown, place
        if not order.indexed:
            return
        pairs = [(GRAPH, "graph"), (STATUS, "status"), (NODE, "node"), (REVIEW, "review")]
        news: list[SearchAttributeUpdate[str]] = [
            key.value_set(getattr(place, name))
            for key, name in pairs
            if was is None or getattr(was, name) != getattr(place, name)
        ]
        if news:
            workflow.upsert_search_attributes(news)
