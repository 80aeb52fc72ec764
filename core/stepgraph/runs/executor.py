"""The executor: one single-threaded engine that runs a graph, one node at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from ..graphs.plan import CompiledGraph
from ..stores.ledger import READY, Outcome, RunStatus
from ..stores.memory import MemoryStore
from ..values.errors import Conflict, UnknownReview
from ..values.json_values import CheckedClock, class_name, is_real, preview
from . import operations
from .modes import RunMode
from .records import StepRecord
from .run import Run, not_ready, refuse_overtaken
from .step import Clock, Stepper
from .visit import NO_CALL_RULES, CallRules, bind

if TYPE_CHECKING:
    from ..models.client import LLMClient
    from ..reviews.inbox import Reviews
    from ..reviews.model import Decision, Review
    from ..stores.base import StateStore
    from ..tools.registry import ToolRegistry
    from .debug.monitor import BreakpointMonitor


Around = Callable[[str, str, int], AbstractContextManager[None]]

_RANDOM = SystemRandom()
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no look-alikes: people read and type these


def random_id(prefix: str) -> str:
    """Choose an id such as ``r-7fk2m9qa``: short enough to type, unique enough for a store."""
    return f"{prefix}-" + "".join(_RANDOM.choice(_ALPHABET) for _ in range(8))


class Executor:
    """Runs one graph over one store.

    Args:
        app: The compiled graph.
        store: Where the runs live; in memory when None.
        tools: Tools beside (and before) those that the graph declares.
        models: Model clients by alias.
        clock: What tells the time; the standard ``time`` module when None.
        ids: Makes an id from a prefix; random ones when None.
        live: Ask models although nodes have scripted replies.
        calls: How calls to models and tools are replayed, told of and stopped.
        around: Called with the run's id, the node and the step's number before anything is executed or
            routed, it gives a context that is entered meanwhile: to tell which node runs, or to catch what
            it prints.

    Raises:
        TrustError: The graph comes from a file that names Python code nobody has trusted.
        GraphError: Something that the graph names cannot be found.
    """

    def __init__(
        self,
        app: CompiledGraph,
        store: StateStore | None = None,
        *,
        tools: ToolRegistry | None = None,
        models: Mapping[str, LLMClient] | None = None,
        clock: Clock | None = None,
        ids: Callable[[str], str] | None = None,
        live: bool = False,
        calls: CallRules = NO_CALL_RULES,
        around: Around | None = None,
    ) -> None:
        self.app = app
        self.tools, self.models = tools, models
        """The tools and the models that it was given."""
        self.store: StateStore = store if store is not None else MemoryStore()
        self._clock: Clock = CheckedClock(clock) if clock is not None else time
        self._is_real = is_real(None if clock is None else clock.time)
        self._ids = ids if ids is not None else random_id
        recordings = calls.recordings
        self.mode = RunMode(live, recordings.run_id if recordings is not None else None)
        """Who answers in the runs that it starts; those that it goes on with keep what their ledger says."""
        self._nodes = bind(app, tools, models, live, calls=calls, now=self._now)
        self._stepper = Stepper(app, self._nodes, self.store, self._clock, self._ids, self._is_real)
        self._listeners: tuple[Listener, ...] = ()
        self._around = around

    def _now(self) -> float:
        """Read the clock that nodes wait by: the server's, where the store has one."""
        now = self.store.now() if self._is_real else None
        return self._clock.time() if now is None else now

    @cached_property
    def _reviews(self) -> Reviews:
        from ..reviews.inbox import Reviews

        return Reviews(self.store, None if self._is_real else self._clock.time)

    def function_of(self, node: str) -> Callable[..., Any] | None:
        """Return the user's function behind a node, as it will be called, or None."""
        bound = self._nodes.get(node)
        return bound.function if bound is not None else None

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners for completed steps."""
        return self._listeners

    def on_step(self, listener: Listener) -> None:
        """Call ``listener`` with every completed step, after its commit; one that raises is only logged."""
        self._listeners = (*self._listeners, listener)

    def start(self, values: Mapping[str, object], run_id: str | None = None, *, by: str = "") -> Run:
        """Create a run, ready at the start node; nothing runs yet.

        Args:
            values: The inputs, over the declared defaults.
            run_id: Its id; a new one when None.
            by: Who starts it: a claim on a file store, not a proof.

        Raises:
            StateError: Inputs are missing or refused, each by name.
            RunExists: There is a run of that id.
        """
        new_id = self._ids("r") if run_id is None else run_id
        return operations.start(self.app, self.store, values, new_id, self._clock.time(), by, self.mode)

    def load(self, run_id: str, adopt: bool = False) -> Run:
        """Load a fresh handle of a stored run.

        Args:
            run_id: The run.
            adopt: Move the run to this executor's graph when it was started with another.

        Raises:
            UnknownRun: No such run.
            DefinitionChanged: The graph is another one, and ``adopt`` is not set or not possible.
        """
        self._reviews.settle(run_id)
        return operations.load(self.app, self.store, run_id, adopt=adopt, now=self._clock.time())

    def step(self, run: Run) -> StepRecord:
        """Run exactly one node, commit, and move the handle.

        Returns:
            The step; of status ``paused`` when a review waits now, ``failed`` when the node or the
            routing failed (``run.error`` says why).

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved the run on; the handle is unchanged.
        """
        if self._around is None:
            record = self._stepper.step(run)
        else:
            with self._around(run.id, run.current or "", run.step + 1):
                record = self._stepper.step(run)
        if self._listeners:
            self._tell(run, record)
        return record

    def iterate(
        self,
        run: Run,
        *,
        until: Container[str] = (),
        after: Container[str] = (),
        stop: Callable[[], bool] | None = None,
        breaks: BreakpointMonitor | None = None,
    ) -> Iterator[StepRecord]:
        """Step until the end, a pause, a failure or a halt; yields after each commit.

        At least one step is taken of a run that is ready, so that what halted it once does not hold it. Of a
        run that is not, nothing is done.

        Args:
            run: The run.
            until: Halt when one of these nodes comes next.
            after: Halt after one of these nodes. Looked into after each step: it may change meanwhile.
            stop: Asked after each step; True halts.
            breaks: Looks at the breakpoints after each step, before the record is given; its ``hits`` say
                what was met, and its ``halt`` where the run halts.

        Raises:
            Conflict: Another process has moved the run on; the handle is unchanged.
        """
        run.settle()
        if run.status is not READY:
            refuse_overtaken(run)
        while run.status is READY:
            record = self.step(run) if breaks is None else breaks.over(run, self.step)
            yield record
            if run.current in until or record.node in after or (stop is not None and stop()):
                return
            if breaks is not None and breaks.hits and breaks.halt is not None:
                return

    def run(self, run: Run) -> Run:
        """Step until the end, a pause or a failure; returns the same handle.

        Raises:
            Conflict: Another process has moved the run on, or ``decide`` has; the handle is unchanged.
        """
        deque(self.iterate(run), maxlen=0)
        return run

    def debug(self, run: Run) -> Run:
        """Open the app on a run, as ``breakpoint()`` opens a debugger; the program waits until it is left.

        Nodes run there with this executor's tools and models, and its listeners hear of their steps.

        Returns:
            The same handle, moved to where the run was left: the program continues from there.

        Raises:
            StepgraphError: There is no terminal to open the app in, or no app; nothing was changed.
        """
        from .session import debug_run

        return debug_run(self, run)

    def decide(
        self, run_id: str, decision: Decision, *, review: str | None = None, expect_hash: str | None = None
    ) -> Review:
        """Record a person's decision; nothing runs.

        Args:
            run_id: The run that waits.
            decision: What the person decided.
            review: The review's id; the one now pending when None.
            expect_hash: The payload hash that the person looked at; not checked when None.

        Raises:
            AlreadyDecided: Somebody was first.
            UnknownReview: The run has never had one, or not this one.
            PayloadChanged: The review is not the one that was looked at.
            NotAllowed: The verb, a key or a value was not offered.
        """
        if review is None:
            review = self._pending(run_id)
        elif self._reviews.get(review).run_id != run_id:
            raise UnknownReview(f"review {review!r} does not belong to run {run_id!r}")
        return self._reviews.decide(review, decision, expect_hash=expect_hash)

    def _pending(self, run_id: str) -> str:
        pointer = self.store.load(run_id).pointer
        if pointer.status is RunStatus.PAUSED and pointer.review is not None:
            return pointer.review
        last = self._reviews.last_of(run_id)
        if last is not None and last.status == "pending":  # it was asked just now
            return last.id
        if last is not None and last.status in ("decided", "expired"):
            from ..reviews.inbox import already_decided

            raise already_decided(last)
        raise UnknownReview(f"no review of run {run_id!r} waits", hint=f"it is {pointer.status.value}")

    def resume(
        self, run_id: str, decision: Decision, *, review: str | None = None, expect_hash: str | None = None
    ) -> Run:
        """Call ``decide``, then ``run``; nothing is recorded of a run that this executor cannot go on with.

        Raises:
            DefinitionChanged: The graph is another one; ``load(run_id, adopt=True)`` moves the run to it.
        """
        self.load(run_id)
        self.decide(run_id, decision, review=review, expect_hash=expect_hash)
        return self.run(self.load(run_id))

    def retry(self, run_id: str) -> Run:
        """Try the failed part of a run again, once: the node, or only the routing if that failed.

        The step number, and so the idempotency key, stays the same.

        Raises:
            NotReady: The run has not failed, or it failed at its step limit (extend it).
        """
        run = self.load(run_id)
        self.try_again(run)
        return run

    def try_again(self, run: Run) -> StepRecord:
        """Retry a run by its handle, as ``retry`` does.

        Raises:
            NotReady: The run has not failed, or it failed at its step limit (extend it).
            Conflict: Another process has moved the run on; the handle is unchanged.
        """
        run.settle()
        pointer, values, _ = run._image
        if pointer.status is not RunStatus.FAILED or pointer.outcome is Outcome.MAX_STEPS:
            refuse_overtaken(run)
            raise not_ready(run, "retry")
        executes = (pointer.error or {}).get("type") == "NodeFailed"
        step = pointer.step + 1 if executes else pointer.step
        with nullcontext() if self._around is None else self._around(run.id, pointer.current or "", step):
            record = self._stepper.visit(run, pointer, values) if executes else self._stepper.reroute(run)
        if self._listeners:
            self._tell(run, record)
        return record

    def extend(self, run_id: str, steps: int) -> Run:
        """Allow a run more steps; one that was stopped at its step limit becomes ready there.

        Raises:
            NotReady: It ended or failed for another reason.
        """
        run = self.load(run_id)
        operations.extend(run, steps, self._clock.time())
        return run

    def edit(self, run_id: str, values: Mapping[str, object], *, by: str, comment: str = "") -> Run:
        """Set keys of the state between steps; None removes one.

        A pending review is withdrawn, and its node executed again to ask again; at a gate after a node, which
        has run, the same result is proposed again.

        Raises:
            NotReady: The run has ended.
            StateError: A value is refused.
        """
        run = self.load(run_id)
        asked = run.status is RunStatus.PAUSED
        operations.edit(run, values, by, comment, self._clock.time())
        if asked:
            try:
                self.step(run)
            except Conflict:  # the edit is recorded, and somebody else has had the node ask again
                return self.load(run_id)
        return run

    def stop(self, run_id: str, *, by: str, comment: str = "") -> Run:
        """End a run that is ready or paused, as stopped; a pending review is withdrawn.

        Raises:
            NotReady: It has ended or failed.
        """
        run = self.load(run_id)
        operations.stop(run, by, comment, self._clock.time())
        return run

    def fork(
        self,
        run_id: str,
        *,
        at: int | None = None,
        values: Mapping[str, object] | None = None,
        new_run_id: str | None = None,
        by: str = "",
    ) -> Run:
        """Create a run from a past step of another, which stays as it is.

        Args:
            run_id: The run to fork.
            at: The step after which the new run goes on; 0 is the start, None where the run is now, with
                all edits of its state.
            values: Keys to set at once.
            new_run_id: Its id; a new one when None.
            by: Who makes it.

        Raises:
            RunError: No such step, or nothing came after it.
            RunExists: There is a run of the new id.
        """
        from .forking import fork

        return fork(
            self.load(run_id),
            at=at,
            values=values,
            new_id=new_run_id if new_run_id is not None else self._ids("r"),
            now=self._clock.time(),
            by=by,
        )

    def _tell(self, run: Run, record: StepRecord) -> None:
        if record.status != "success":  # a step whose routing failed is announced when a retry has routed it
            return

        event = StepCompleted(
            self.app.name,
            run.id,
            record.node,
            record.step,
            run.max_steps,
            record.output or "",
            record.next,
            record.duration,
        )
        notify(self._listeners, event)


@dataclass(frozen=True, slots=True)
class StepCompleted:
    """A step that has been routed and committed."""

    graph: str
    """The graph's name."""
    run_id: str
    node: str
    step: int
    """The step's number, from 1."""
    max_steps: int
    """The number of steps at which the run is stopped."""
    output: str
    """What the node put out."""
    next: str | None
    """The node that comes next, END, or None when the routing failed."""
    duration: float
    """How long the node took, in seconds."""


Listener = Callable[[StepCompleted], object]


def notify(listeners: tuple[Listener, ...], event: StepCompleted) -> None:
    """Notify every listener; one that raises is logged and changes nothing."""
    for listener in listeners:
        try:
            listener(event)
        except (Exception, SystemExit) as error:  # a listener may be anything, and never breaks a run
            where = f"at step {event.step} of run {event.run_id}"
            message = f"listener {preview(listener)} raised {class_name(error)} {where}"
            import logging  # only where a listener fails

            log = logging.getLogger("stepgraph.runs.executor")
            try:
                log.exception(message)
            except BaseException:  # what it raised raises in turn when it is shown
                log.error(message)
