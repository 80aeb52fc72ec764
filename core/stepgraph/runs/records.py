"""The steps of a run as its user sees them, and the edges that each of them tried."""

from __future__ import annotations

import traceback
from bdb import BdbQuit
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from ..conditions.base import RoutingContext
from ..nodes.base import BaseNode
from ..stores.ledger import Row, calls_of, stopped_by
from ..values import errors
from ..values.errors import NodeFailed, RunError
from ..values.json_values import Json, class_name
from ..values.messages import encodable, error_detail, shortened
from .history import routed_at
from .visit import Visit, in_graph

if TYPE_CHECKING:
    from ..conditions import Explanation
    from ..graphs.parts import Edge
    from ..graphs.plan import CompiledGraph
    from ..models.client import ModelRequest
    from ..reviews.model import Decision, Side
    from .history import History
    from .predicate_code import PredicateCode


# What an exception holds, whatever its class says of it.
_cause = BaseException.__dict__["__cause__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__

_MAX_TRACEBACK = 20_000  # characters; a recursion without end would otherwise fill the ledger
_HINTS: dict[type[BaseException], str] = {
    EOFError: "a node cannot ask at the terminal: use an approval node, or an input of the graph",
    SystemExit: "a node may not end the process: raise an ordinary exception, or return NodeResult.failed",
    KeyboardInterrupt: "retry the run to execute the node again",
}


def node_failure(node: str, visit: int, error: BaseException) -> errors.NodeFailed:
    """Build the NodeFailed for an exception that a node raised, with the exception as its ``__cause__``."""
    own = own_words(error)
    if own is not None:  # written for people already, by one of our node types
        message, hint = own
        failure = errors.NodeFailed(f"node {node!r} failed on visit {visit}: {message}", hint=hint)
        is_told = issubclass(type(error), errors.NodeFailed)
        failure.__cause__ = _cause(error) or (None if is_told else error)
        return failure
    kind = type(error)
    if issubclass(kind, BdbQuit):
        hint = "nothing of the visit is kept: retry the run to execute the node again"
        return errors.NodeFailed(f"node {node!r} was left in its debugger on visit {visit}", hint=hint)
    hint = next((text for known, text in _HINTS.items() if issubclass(kind, known)), "")
    what = class_name(error)
    message = f"node {node!r} raised {what} on visit {visit}{error_detail(error)}{_first_cause(error)}"
    failure = errors.NodeFailed(message, hint=hint)
    failure.__cause__ = error
    return failure


def _first_cause(error: BaseException) -> str:
    """Quote the exception behind an error: "Connection error." alone explains little."""
    first, seen = error, {id(error)}
    while (cause := _cause(first)) is not None and id(cause) not in seen:
        first = cause
        seen.add(id(cause))
    return "" if first is error else f" (from {class_name(first)}{error_detail(first)})"


def own_words(error: BaseException) -> tuple[str, str] | None:
    """Return the message and the hint of one of our errors; None for any other."""
    if not issubclass(type(error), errors.StepgraphError):
        return None
    try:
        return shortened(error.message), shortened(error.hint)  # type: ignore[attr-defined]  # by its type
    except BaseException:  # a subclass of the user's may have made anything of them
        return None


def error_to_json(error: RunError) -> dict[str, Json]:
    """Write the error as the ledger keeps it."""
    data: dict[str, Json] = {"type": type(error).__name__, "message": encodable(error.message)}
    if error.hint:
        data["hint"] = encodable(error.hint)
    cause = error.__cause__
    if cause is not None:
        data["cause"] = {
            "type": class_name(cause),
            "message": error_detail(cause)[2:],
            "traceback": encodable(_traceback(cause))[-_MAX_TRACEBACK:],
        }
    return data


def with_frames(
    data: dict[str, Json], error: RunError, app: CompiledGraph, values: Mapping[str, Json]
) -> dict[str, Json]:
    """Add to an error as the ledger keeps it the local variables of the user's functions, secrets masked.

    Args:
        data: What ``to_json`` wrote.
        error: The error.
        app: The graph, which says which keys are secret.
        values: The state that the node was given.
    """
    from .frame_values import frames_of  # both load with the first failure
    from .masks import Mask

    cause = data.get("cause")
    if error.__cause__ is None or not isinstance(cause, dict):
        return data
    try:
        frames = frames_of(_traceback_of(error.__cause__), Mask(app, values).text)
    except BaseException:  # an object of the user's may do anything
        return data
    return {**data, "cause": {**cause, "frames": frames}} if frames else data


def _traceback(error: BaseException) -> str:
    """Format the traceback from where the user's code begins; empty for our own errors, which say it all."""
    whole: TracebackType | None = _traceback_of(error)
    try:
        frame = own_trace(error)
        if frame is None and isinstance(error, errors.StepgraphError):
            return ""
        shown = frame if frame is not None else whole  # a bug of ours is shown in full
        return "".join(traceback.format_exception(type(error), error, shown, limit=-30))
    except BaseException:  # what it says of itself raises in turn: its lines are enough
        return "".join(traceback.format_tb(whole, limit=-30))


def own_trace(error: BaseException) -> TracebackType | None:
    """Find where the user's code begins in what an exception went through; None where all of it is ours."""
    trace: TracebackType | None = _traceback_of(error)
    while trace is not None and _is_ours(trace):
        trace = trace.tb_next
    return trace


def _is_ours(frame: TracebackType) -> bool:
    return str(frame.tb_frame.f_globals.get("__name__")).startswith("stepgraph.")


def error_from_json(data: dict[str, Any]) -> RunError:
    """Restore the error in another process: the class and the words, without a ``__cause__``."""
    kind = getattr(errors, str(data.get("type")), None)
    made = kind if isinstance(kind, type) and issubclass(kind, RunError) else RunError
    error: RunError = made(str(data.get("message", "")), hint=str(data.get("hint", "")))
    cause = data.get("cause")
    if isinstance(cause, dict) and cause.get("traceback"):
        error.add_note(f"It was raised in another process:\n{cause['traceback']}")
    return error


StepStatus = Literal["success", "paused", "failed", "stopped"]


class EvaluatedEdge:
    """An edge as a step met it."""

    def __init__(
        self,
        edge: Edge,
        matched: bool | None,
        error: str | None,
        context: Callable[[], RoutingContext],
        code: PredicateCode,
    ) -> None:
        self.source = edge.source
        self.target = edge.target
        self.label = edge.label
        self.matched = matched
        """True for the winner, False for those before it, None for those that were not evaluated."""
        self.error = error
        """What the condition raised, or None."""
        self._edge = edge
        self._context = context
        self._code = code

    @property
    def description(self) -> str:
        """The label, else the condition in words."""
        return self.label or self.condition

    @property
    def condition(self) -> str:
        """The condition in words, whether the edge has a label or not; a predicate by its name, if known."""
        return self._code.describe(self._edge)

    @property
    def is_asked(self) -> bool:
        """Whether it has a condition at all; one that has none is always taken."""
        return not self._edge.unconditional

    @cached_property
    def explanation(self) -> Explanation:
        """The condition with its operands' values in the state of that step (or the error, again).

        A predicate is not called again: told are its source, and the values that this names.
        """
        return self._code.explain(self._edge, self._context())

    def is_like(self, edge: Edge) -> bool:
        """Check whether an edge, perhaps of a later graph, leads to the same place on the same condition."""
        return (self.target, self._edge.condition) == (edge.target, edge.condition)

    def __repr__(self) -> str:
        return f"EvaluatedEdge({self.source!r} -> {self.target!r}, matched={self.matched})"


class Records(Sequence["StepRecord"]):
    """Rows of a run as records, each made when it is looked at.

    Args:
        rows: The rows.
        history: What the records read from.
    """

    def __init__(self, rows: Sequence[Row], history: History) -> None:
        self._rows = rows
        self._history = history

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> StepRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> StepRecord | Records:
        if isinstance(index, slice):
            return Records(self._rows[index], self._history)
        return StepRecord(self._rows[index], self._history)

    def __repr__(self) -> str:
        return f"<{len(self)} records>"


class Departure(NamedTuple):
    """By which way a step went on."""

    node: str
    next: str | None
    """The node that comes next, END, or None when the routing failed."""
    edge: int | None
    """Which of the node's edges won, or the one whose condition raised; None when none matched."""
    failed: bool
    """Whether the routing failed."""

    @classmethod
    def of(cls, row: Row) -> Departure:
        """Read it from a step's row."""
        return cls(row.node or "", row.next, row.edge, row.error is not None)


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
    def departure(self) -> Departure:
        """By which way it went on."""
        return Departure.of(self.row)

    @property
    def visit(self) -> int:
        """How often the run had come to the node, this time included; from 1."""
        return self.row.visit

    @property
    def status(self) -> StepStatus:
        """How it went.

        ``success``; ``paused`` for a review; ``failed`` when the node or the routing failed; ``stopped``
        when a person rejected what the node was to do, so that it did not run.
        """
        if self.row.kind == "review":
            return "paused"
        if self.row.kind == "stop":
            return "stopped"
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
    def calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit, oldest first, as tables.

        Also what they had answered before a pause or a failure of the same visit: those are of its earlier
        rows, and ``stepgraph.stores.ledger.calls_of(record.row)`` has those of this row alone. Scripted
        answers are in the graph, and not here. ``stepgraph.nodes.calls`` documents its tables.
        """
        row = self.row
        # A row by which a person stopped the run is of no visit, and bears the number of the step before.
        before = self._history.of_visit(row.step, row.seq - 1) if row.visit else []
        return [call for each in (*before, row) for call in calls_of(each)]

    @property
    def decision(self) -> Decision | None:
        """What a person decided last on this visit, or None when nobody did."""
        row, history = self.row, self._history
        made = history.of_visit(row.step, row.seq - 1, ("decision",))
        if not made or made[-1].data is None:
            return None
        from ..reviews.model import Decision

        return Decision.from_json(made[-1].data)

    @property
    def gate(self) -> Side | None:
        """Where the gate is at which ``decision`` was made; None where the node itself had asked."""
        row, history, decision = self.row, self._history, self.decision
        if decision is None:
            return None
        asked = history.of_visit(row.step, row.seq - 1, ("review",))
        data = next((each.data or {} for each in asked if each.review == decision.review), {})
        from ..reviews.model import Gate

        return Gate.side_in(data)

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
        return error_from_json(self.row.error) if self.row.error is not None else None

    @property
    def edges(self) -> list[EvaluatedEdge]:
        """The node's edges in the order in which they were tried; none when the node did not complete."""
        return self._edges(cache(self.context))  # the state is rebuilt once, however many edges are explained

    def edges_in(self, values: Mapping[str, Json], output: str) -> list[EvaluatedEdge]:
        """Return ``edges`` with explanations, from the state and the output that the caller already has."""
        row, history = self.row, self._history
        context = RoutingContext(self.node, row.step, values, output, None, history, row.seq)
        return self._edges(lambda: context)

    def _edges(self, context: Callable[[], RoutingContext]) -> list[EvaluatedEdge]:
        row = self.row
        if row.kind not in ("step", "route"):
            return []
        failed = row.error is not None and row.edge is not None
        untried = stopped_by(row) is not None
        edges = []
        for position, edge in enumerate(self._history.edges_at(row)):
            matched: bool | None = None if untried else False
            error = None
            if row.edge is not None and position >= row.edge:
                matched = True if position == row.edge and not failed else None
                if position == row.edge and failed:
                    error = str((row.error or {}).get("message"))
            edges.append(EvaluatedEdge(edge, matched, error, context, self._history.code))
        return edges

    @property
    def before(self) -> dict[str, Json]:
        """The state that the node was given, edits since the step before included, as a copy."""
        edits = (self.row.data or {}).get("edits") if self.row.kind == "step" else None
        return self._history.values(self.row.seq - 1) | (edits if isinstance(edits, dict) else {})

    def asked(self, before: Mapping[str, Json] | None = None) -> dict[str, str]:
        """Fill in the templates of the node once more, as they were on this visit.

        Args:
            before: The state that the visit found, where something in it is to stay hidden.

        Returns:
            The texts by their settings; those without any name in them, and those that cannot be filled in
            again, are left out.
        """
        row, history, work = self.row, self._history, self._work
        if work is None:
            return {}
        templates = [template for template in work.facts().templates if template.variables]
        if not templates:
            return {}
        values = self.before if before is None else before
        visit = Visit(values, row.step, row.visit, None, self.node, history, row.seq - 1, False)
        found: dict[str, str] = {}
        seen = work.sees(visit)
        for template in templates:
            with suppress(NodeFailed):
                found[template.where] = template.render(seen)
        return found

    @property
    def model_request(self) -> ModelRequest | None:
        """What the node said to a model first on this visit, written once more; None where it asked none."""
        row, history, work = self.row, self._history, self._work
        if work is None:
            return None
        settings = history.plan.settings
        feedback = settings.feedback and self.node not in settings.no_feedback
        visit = Visit(self.before, row.step, row.visit, None, self.node, history, row.seq - 1, feedback)
        try:
            return work.bind(in_graph(history.plan, self.node)).model_request(visit)
        except NodeFailed:
            return None

    @property
    def _work(self) -> BaseNode | None:
        """The node itself as the run's graph has it; None where it is a Python object, or gone."""
        entry = self._history.plan.nodes.get(self.node)
        return entry.node if entry is not None and isinstance(entry.node, BaseNode) else None

    def context(self) -> RoutingContext:
        """Rebuild what the step's conditions looked at."""
        row, history = self.row, self._history
        values = history.values(routed_at(row))
        return RoutingContext(self.node, row.step, values, history.output(row), None, history, row.seq)

    def __repr__(self) -> str:
        return f"StepRecord(step={self.step}, node={self.node!r}, status={self.status!r}, next={self.next!r})"
