"""A run as its user sees it: a live handle, its steps, and the edges that were tried."""

from __future__ import annotations

import signal
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..stores.base import each_row
from ..stores.engines import wake
from ..stores.ledger import Outcome, Pointer, Row, RowKind, RunHead, RunStatus, replaying, starter
from ..stores.opening import replaced, version_conflict
from ..values.errors import NodeFailed, NotReady, RunError, UnknownRun
from ..values.json_values import Json, canonical, copy_json, json_equal, preview
from .records import Records, StepRecord

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..reviews.model import Review
    from ..stores.base import StateStore
    from ..values.state import State
    from .history import History
    from .loops import LoopReport
    from .spending import Spending, SpendingLimits, SpendingReader

_BY_PEOPLE: tuple[RowKind, ...] = ("edit", "adopt", "extend", "stop")
"""What moves a run while an engine may be driving it."""


class Run:
    """A live handle of one run. ``Executor.step``, ``iterate`` and ``run`` move it, after each commit.

    A handle that another process has overtaken keeps what it has seen; load the run again.
    """

    __slots__ = ("_history", "_image", "_next", "head")

    def __init__(
        self,
        head: RunHead,
        pointer: Pointer,
        values: dict[str, Json],
        history: History,
        error: RunError | None = None,
    ) -> None:
        self.head = head
        self._history = history
        self._image = self._next = (pointer, values, error)  # the next one is set before its commit

    def settle(self) -> None:
        """Find out whether the last commit was recorded, where a Ctrl-C or an outage came before its end."""
        if self._next is self._image:
            return
        with suppress(UnknownRun):
            if self.store.load(self.id).pointer == self._next[0]:
                self._history.forget_visits()
                self._image = self._next
        self._next = self._image

    def record(
        self,
        row: Row,
        image: tuple[Pointer, dict[str, Json], RunError | None],
        append_keys: frozenset[str] | None = None,
        definition: str | None = None,
        audit: Mapping[str, Json] | None = None,
    ) -> None:
        """Commit a row that is not a step, and go by what it makes of the run.

        Args:
            row: The row.
            image: The run's pointer, its state and its error after it.
            append_keys: The keys that only grow; None where the row leaves the state as it was.
            definition: The definition that the run goes by from here on, where that is another one.
            audit: The entry of the audit.
        """
        self._next = image
        pointer, values, _ = image
        if append_keys is None:
            self.store.commit(self.id, row, pointer, audit=audit)
        else:
            self.store.commit(self.id, row, pointer, values, append_keys, definition, audit)
        self._image = image
        if row.kind in _BY_PEOPLE:
            wake(self.id)

    def move_to(self, other: Run) -> None:
        """Update this handle to a run as another one has it."""
        self.head, self._history, self._next = other.head, other._history, other._next
        self._image = other._image

    @property
    def id(self) -> str:
        """The run's id."""
        return self.head.id

    @property
    def store(self) -> StateStore:
        """Where the run lives."""
        return self._history.store

    @property
    def plan(self) -> CompiledGraph:
        """The run's graph."""
        return self._history.plan

    @property
    def definition(self) -> str:
        """The hash of the run's definition, as its store has it."""
        return self._image[0].definition

    @property
    def status(self) -> RunStatus:
        """Where the run stands."""
        return self._image[0].status

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it is ready or paused, and after a node failure."""
        return self._image[0].outcome

    @property
    def flagged(self) -> bool:
        """True when it was stopped at the step limit under ``on_max_steps="flag"``."""
        return self._image[0].flagged

    @property
    def version(self) -> int:
        """How many ledger rows the run has; each commit adds one."""
        return self._image[0].version

    @property
    def step(self) -> int:
        """How many steps are completed."""
        return self._image[0].step

    @property
    def seconds(self) -> float:
        """How long its nodes have run in all."""
        return self._image[0].seconds

    @property
    def spending(self) -> Spending:
        """What its calls to models took and cost so far."""
        return self._spent.total

    @property
    def spending_by_node(self) -> dict[str, Spending]:
        """The same, by the nodes that called."""
        return dict(self._spent.by_node)

    @property
    def _spent(self) -> SpendingReader:
        """What it has spent; its ledger is not read where no node can have asked a model."""
        from .spending import SpendingReader, has_asked_nobody

        if has_asked_nobody(self.store, self.id, self.version, self.plan):
            return SpendingReader(self.store, self.id)
        return self._history.spending.upto(self.version)

    @property
    def limits(self) -> SpendingLimits:
        """How much it may spend on models: what the run itself says, else its graph."""
        from .spending import limits_of

        return limits_of(self.store, self.id, self.version).over(self.plan.settings)

    @property
    def max_steps(self) -> int:
        """The number of steps at which the run is stopped, extensions included."""
        return self._image[0].limit

    @property
    def current(self) -> str | None:
        """The node that comes next; None after the end."""
        return self._image[0].current

    @property
    def values(self) -> dict[str, Json]:
        """The state now, as a copy."""
        return {key: copy_json(value) for key, value in self._image[1].items()}

    def values_at(self, step: int) -> dict[str, Json]:
        """Rebuild the state after a step, as a copy; 0 is the start.

        Raises:
            RunError: The run has no such step.
        """
        self.require_step(step)
        return self._history.values(self._history.seq_of(step))

    def require_step(self, step: object) -> None:
        """Refuse what is not a step of this run.

        Raises:
            RunError: The run has no such step.
        """
        if type(step) is not int or not 0 <= step <= self.step:
            raise RunError(
                f"run {self.id!r} has no step {preview(step)}", hint=f"its steps are 0 to {self.step}"
            )

    @property
    def history(self) -> Sequence[StepRecord]:
        """The completed steps, in order; each is read when it is looked at."""
        return Records(self._history.steps(self.version), self._history)

    @property
    def attempts(self) -> list[StepRecord]:
        """The times a node failed: no step was used, and nothing changed."""
        return list(self.attempts_after(0))

    def attempts_after(self, step: int) -> Iterator[StepRecord]:
        """Read the times a node failed after a step, one by one.

        Raises:
            RunError: The run has no such step.
        """
        yield from self.records_after(step, ("attempt",))

    def records_after(self, step: int, kinds: Iterable[RowKind]) -> Iterator[StepRecord]:
        """Read the ledger's rows of some kinds after a step, one by one, each with what can be asked of it.

        Raises:
            RunError: The run has no such step.
        """
        for row in self.rows_after(step, kinds):
            yield StepRecord(row, self._history)

    def rows_after(self, step: int, kinds: Iterable[RowKind]) -> Iterator[Row]:
        """Read the ledger's rows of some kinds after a step, one by one; 0 is the start.

        Raises:
            RunError: The run has no such step.
        """
        self.require_step(step)
        yield from each_row(self.store, self.id, self._history.seq_of(step), self.version, kinds)

    def replayed(self) -> Iterator[tuple[StepRecord, dict[str, Json]]]:
        """Read all rows of the ledger, each with the state after it, from the start on.

        The state is the same table each time, and its parts are not copied: nobody is to change or keep them.
        """
        values: dict[str, Json] = {}
        for row in replaying(values, each_row(self.store, self.id, upto=self.version)):
            yield StepRecord(row, self._history), values

    @property
    def output(self) -> str | None:
        """What the last completed step put out; None before the first."""
        step = self.step
        if step == 0:
            return None
        return self._history.output(self._history.row(self._history.seq_of(step)))

    @property
    def outputs(self) -> dict[str, list[str]]:
        """What each visited node put out, visit by visit."""
        return self._history.outputs(self.version)

    @property
    def visits(self) -> dict[str, int]:
        """How often each node was visited."""
        history, version = self._history, self.version
        return {node: count for node in list(history.visited) if (count := history.count(node, version))}

    @property
    def started_by(self) -> str:
        """Who started the run, or forked it, as they named themselves; empty where nobody did."""
        upto = None if self.head.origin is not None else 1
        return starter(self.store.rows(self.id, upto=upto, kinds=("start", "fork")))

    @property
    def pending(self) -> Review | None:
        """The review that waits for a person, or None."""
        pointer = self._image[0]
        if pointer.status is not RunStatus.PAUSED or pointer.review is None:
            return None
        from ..reviews.inbox import Reviews

        return Reviews(self._history.store).read(pointer.review)[
            0
        ]  # as it is: the run is shown as it was read

    @property
    def error(self) -> RunError | None:
        """Why the run failed, or None."""
        return self._image[2]

    def raise_for_status(self) -> None:
        """Raise ``error`` when the run has failed."""
        if self.error is not None:
            raise self.error

    @property
    def loop_report(self) -> LoopReport | None:
        """Why a run that was stopped at its step limit kept going; None for any other run."""
        if self.outcome is not Outcome.MAX_STEPS:
            return None
        from .loops import LOOK_BACK, loop_report

        history = self._history
        tail = [StepRecord(row, history) for row in history.last_steps(LOOK_BACK, self.version)]
        return loop_report(tail, self.visits, history.values)

    def trace(self, steps: Callable[[Iterator[dict[str, Any]]], object] = list) -> dict[str, Any]:
        """Summarize the run as JSON: graph, start, outcome, steps run and allowed, and each step.

        Args:
            steps: What the steps are put into; they are read one by one.
        """
        return {
            "graph": self.head.graph,
            "run": self.id,
            "start": self._history.plan.start,
            "status": self.status.value,
            "outcome": self.outcome.value if self.outcome else None,
            "steps_run": self.step,
            "max_steps": self.max_steps,
            "steps": steps(
                {"node": record.node, "step": record.step, "next": record.next} for record in self.history
            ),
        }

    def __repr__(self) -> str:
        outcome = f", outcome={self.outcome.value!r}" if self.outcome else ""
        return f"Run({self.id!r}, {self.status.value!r}{outcome}, step={self.step}, current={self.current!r})"


def refuse_overtaken(run: Run) -> None:
    """Refuse a handle whose run has moved on, where the handle says that there is nothing to run.

    Raises:
        Conflict: The store has the run at another version.
        CommitsLost: The store has lost what the handle has seen.
        UnknownRun: It was deleted.
    """
    head, pointer = run.store.load(run.id)
    if head != run.head:
        raise replaced(run.id)
    if pointer.version != run.version:
        raise version_conflict(run.id, run.version, pointer.version)


def not_ready(run: Run, verb: str) -> NotReady:
    """Build the error for a call that the run's status does not allow, with what to do instead."""
    hints = {
        RunStatus.PAUSED: "decide its review first: `stepgraph approvals`",
        RunStatus.FAILED: "retry it, or fork it from an earlier step",
        RunStatus.ENDED: "fork it from an earlier step",
        RunStatus.READY: "run it",
    }
    capped = run.outcome is Outcome.MAX_STEPS
    hint = "extend it, or fork it from an earlier step" if capped else hints[run.status]
    outcome = f" ({run.outcome.value})" if run.outcome else ""
    return NotReady(f"cannot {verb} run {run.id!r}: it is {run.status.value}{outcome}", hint=hint)


class RunComparison(NamedTuple):
    """What is the same in two runs, and what is not."""

    shared: int
    """How many steps both took alike from the start: the same nodes, changes and edges."""
    inputs: list[str]
    """The keys in which they differed before the first step."""
    first: tuple[StepRecord | None, StepRecord | None]
    """The first step of each that the other did not take; None where one did not go on."""
    changes: list[str]
    """The keys that differ after that step and did not before it."""
    state: list[str]
    """The keys that differ where they are now."""
    edits: tuple[list[Row], list[Row]]
    """The ``edit`` rows of each that the other does not have, up to where they part."""

    @property
    def is_same(self) -> bool:
        """Whether nothing was found that differs."""
        return not (self.inputs or any(self.first) or self.state or any(self.edits))


def compare_runs(left: Run, right: Run) -> RunComparison:
    """Walk two runs step by step until they part.

    Raises:
        StoreError: A store is damaged.
    """
    before = differing(left.values_at(0), right.values_at(0))
    edits = _edits_apart(left, right)
    touched: dict[int, set[str]] = defaultdict(set)
    for row in chain(*edits):
        touched[row.step].update(row.updates or {})
    shared, known, edited = 0, set(before), set[str]()
    for ours, theirs in zip(left.history, right.history, strict=False):
        edited |= touched.get(shared, set())
        same_way = (ours.node, ours.next) == (theirs.node, theirs.next)
        if not same_way or not _change_alike(left, right, ours, theirs, known, edited):
            break
        shared += 1
    first = (_step(left, shared + 1), _step(right, shared + 1))
    changes: list[str] = []
    if first[0] is not None and first[1] is not None:
        after = differing(left.values_at(shared + 1), right.values_at(shared + 1))
        was = set(differing(left.values_at(shared), right.values_at(shared)))
        changes = [key for key in after if key not in was]
    mine, others = ([row for row in rows if row.step <= shared] for rows in edits)
    now = differing(left.values, right.values)
    return RunComparison(shared, before, first, changes, now, (mine, others))


def _edits_apart(left: Run, right: Run) -> tuple[list[Row], list[Row]]:
    """Find the edits of each run that the other does not have at the same step."""
    ours, theirs = (list(run.rows_after(0, ("edit",))) for run in (left, right))
    return _without(ours, theirs), _without(theirs, ours)


def _without(rows: list[Row], others: list[Row]) -> list[Row]:
    left_over = Counter(map(_edit_made, others))
    apart = []
    for row in rows:
        made = _edit_made(row)
        left_over[made] -= 1
        if left_over[made] < 0:
            apart.append(row)
    return apart


def _edit_made(row: Row) -> tuple[int, str]:
    return row.step, canonical(row.updates or {})


def differing(left: Mapping[str, Json], right: Mapping[str, Json]) -> list[str]:
    """List the keys of two states whose values differ, in the order of the first."""
    both = dict.fromkeys((*left, *right))
    return [
        key
        for key in both
        if (key in left) != (key in right) or (key in left and not json_equal(left[key], right[key]))
    ]


def _change_alike(
    left: Run, right: Run, ours: StepRecord, theirs: StepRecord, known: set[str], edited: set[str]
) -> bool:
    """Check whether two steps changed the same, but for keys that are known to differ."""
    written = {*differing(ours.row.updates or {}, theirs.row.updates or {})}
    written |= {*differing(ours.row.ops or {}, theirs.row.ops or {})}
    if written <= known:
        return True
    # The same change may be written down in two ways; the states tell, and reading them takes longer.
    found = {*differing(left.values_at(ours.step), right.values_at(theirs.step))}
    return found <= known | (edited - written)


def _step(run: Run, number: int) -> StepRecord | None:
    return run.history[number - 1] if number <= run.step else None


_HINT = "make the node quicker, give it a longer timeout, or retry the run to execute it again"


class _Interrupted(BaseException):
    """Raised in a node when its time is over; no ``except Exception`` of the node's takes it."""


def within(seconds: float, execute: Callable[[State], Any], state: State) -> Any:
    """Execute a node, and interrupt it after ``seconds`` where this thread allows that."""
    if not _can_interrupt():
        return execute(state)
    signal.signal(signal.SIGALRM, _interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            return execute(state)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _can_interrupt() -> bool:
    """Check whether a signal can end a node here; one that the program uses itself is left alone."""
    return (
        threading.current_thread() is threading.main_thread()
        and hasattr(signal, "setitimer")
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        and not signal.getitimer(signal.ITIMER_REAL)[0]
    )


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise _Interrupted


def timeout_failure(seconds: float, took: float, error: BaseException | None) -> BaseException | None:
    """Explain why a visit has failed: it was too slow, or raised an error of its own; None for a good one.

    Args:
        seconds: The timeout.
        took: How long it took.
        error: What it raised, or None.
    """
    if type(error) is _Interrupted:
        return timed_out(seconds, "it was interrupted")
    if error is None and took > seconds:
        return timed_out(seconds, f"it came back after {_time_text(took)}, and what it brought is not used")
    return error


def timed_out(seconds: float, what: str) -> NodeFailed:
    """Build the failure of a visit that timed out; ``what`` describes what became of it."""
    return NodeFailed(f"its timeout of {_time_text(seconds)} was over: {what}", hint=_HINT)


def _time_text(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.3g} s"
