"""A run as its user sees it: a live handle, its steps, and the edges that were tried."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from . import failures
from .errors import RunError
from .history import routed_at
from .json_values import Json, copy_json, glimpse
from .ledger import Outcome, Pointer, Row, RunHead, RunStatus
from .loops import LoopReport, loop_report
from .routing import RoutingContext

if TYPE_CHECKING:
    from .conditions import Explanation
    from .graph import CompiledGraph, Edge
    from .history import History
    from .review import Review

__all__ = ["EvaluatedEdge", "Outcome", "Run", "RunStatus", "StepRecord"]

StepStatus = Literal["success", "paused", "failed"]


class EvaluatedEdge:
    """An edge as a step met it."""

    def __init__(self, edge: Edge, matched: bool | None, error: str | None, record: StepRecord) -> None:
        self.source = edge.source
        self.target = edge.target
        self.label = edge.label
        self.matched = matched
        """True for the winner, False for those before it, None for those that were not evaluated."""
        self.error = error
        """What the condition raised, or None."""
        self._edge = edge
        self._record = record

    @property
    def description(self) -> str:
        """The label, else the condition in words."""
        return self._edge.describe()

    @property
    def condition(self) -> str:
        """The condition in words, whether the edge has a label or not."""
        return self._edge.condition.describe()

    @cached_property
    def explanation(self) -> Explanation:
        """The condition with its operands' values in the state of that step (or the error, again)."""
        return self._edge.condition.explain(self._record.context())

    def __repr__(self) -> str:
        return f"EvaluatedEdge({self.source!r} -> {self.target!r}, matched={self.matched})"


class StepRecord:
    """One visit of a node as the ledger has it. Outputs and explanations are made when they are read."""

    __slots__ = ("_history", "row")

    def __init__(self, row: Row, history: History) -> None:
        self.row = row
        """The ledger row itself; not to be changed."""
        self._history = history

    @property
    def step(self) -> int:
        """The step's number, from 1."""
        return self.row.step

    @property
    def node(self) -> str:
        """The node."""
        return self.row.node or ""

    @property
    def visit(self) -> int:
        """How often the run had come to the node, this time included; from 1."""
        return self.row.visit

    @property
    def status(self) -> StepStatus:
        """``success``; ``paused`` for a review; ``failed`` when the node or the routing failed."""
        if self.row.kind == "review":
            return "paused"
        return "failed" if self.row.error is not None else "success"

    @property
    def updates(self) -> dict[str, Json]:
        """What the node changed; None for a removed key."""
        return self._history.updates(self.row)

    @property
    def output(self) -> str | None:
        """What the node put out, as text; None when it did not complete."""
        return self._history.output(self.row) if self.row.kind == "step" else None

    @property
    def next(self) -> str | None:
        """The node that comes next, END, or None when the routing failed or the node did not complete."""
        return self.row.next

    @property
    def started_at(self) -> float:
        """When the node began, in seconds since 1970."""
        return self.row.at

    @property
    def duration(self) -> float:
        """How long the node took, in seconds."""
        return self.row.duration

    @property
    def error(self) -> RunError | None:
        """Why the node or the routing failed, or None."""
        return failures.from_json(self.row.error) if self.row.error is not None else None

    @property
    def edges(self) -> list[EvaluatedEdge]:
        """The node's edges in the order in which they were tried; none when the node did not complete."""
        row = self.row
        if row.kind != "step":
            return []
        failed = row.error is not None and row.edge is not None
        edges = []
        for position, edge in enumerate(self._history.edges_at(row)):
            matched: bool | None = False
            error = None
            if row.edge is not None and position >= row.edge:
                matched = True if position == row.edge and not failed else None
                if position == row.edge and failed:
                    error = str((row.error or {}).get("message"))
            edges.append(EvaluatedEdge(edge, matched, error, self))
        return edges

    def context(self) -> RoutingContext:
        """What the step's conditions looked at, rebuilt."""
        row, history = self.row, self._history
        values = history.values(routed_at(row))
        return RoutingContext(self.node, row.step, values, history.output(row), None, history, row.seq)

    def __repr__(self) -> str:
        return f"StepRecord(step={self.step}, node={self.node!r}, status={self.status!r}, next={self.next!r})"


class Run:
    """A live handle of one run. ``Executor.step``, ``iterate`` and ``run`` move it, after each commit.

    A handle that another process has overtaken keeps what it has seen; load the run again.
    """

    __slots__ = ("_history", "_image", "head")

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
        self._image = (pointer, values, error)

    @property
    def id(self) -> str:
        """The run's id."""
        return self.head.id

    @property
    def plan(self) -> CompiledGraph:
        """The graph that the run goes by."""
        return self._history.plan

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
        """True when it was stopped at the cap under ``on_max_steps="flag"``."""
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
        """The state after a step, as a copy; 0 is the start.

        Raises:
            RunError: The run has no such step.
        """
        self.require_step(step)
        return self._history.values(self._history.seq_of(step))

    def require_step(self, step: object) -> None:
        """Refuse what is no step of this run.

        Raises:
            RunError: The run has no such step.
        """
        if type(step) is not int or not 0 <= step <= self.step:
            raise RunError(
                f"run {self.id!r} has no step {glimpse(step)}", hint=f"its steps are 0 to {self.step}"
            )

    @property
    def history(self) -> list[StepRecord]:
        """The completed steps, in order."""
        return [StepRecord(row, self._history) for row in self._history.steps(self.version)]

    @property
    def attempts(self) -> list[StepRecord]:
        """The times a node failed: no step was used, and nothing changed."""
        rows = self._history.store.rows(self.id, upto=self.version, kinds=("attempt",))
        return [StepRecord(row, self._history) for row in rows]

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
    def pending(self) -> Review | None:
        """The review that waits for a person, or None."""
        pointer = self._image[0]
        if pointer.status is not RunStatus.PAUSED or pointer.review is None:
            return None
        from .reviews import Reviews

        return Reviews(self._history.store).get(pointer.review)

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
        """Why a run that was stopped at its cap kept going; None for any other run."""
        if self.outcome is not Outcome.MAX_STEPS:
            return None
        return loop_report(self.history, self._history.values)

    def trace(self) -> dict[str, Any]:
        """The run in short, as JSON: graph, start, outcome, steps run and allowed, and each step."""
        return {
            "graph": self.head.graph,
            "run": self.id,
            "start": self._history.plan.start,
            "status": self.status.value,
            "outcome": self.outcome.value if self.outcome else None,
            "steps_run": self.step,
            "max_steps": self.max_steps,
            "steps": [
                {"node": record.node, "step": record.step, "next": record.next} for record in self.history
            ],
        }

    def __repr__(self) -> str:
        outcome = f", outcome={self.outcome.value!r}" if self.outcome else ""
        return f"Run({self.id!r}, {self.status.value!r}{outcome}, step={self.step}, current={self.current!r})"
