"""One step: run the node, merge its updates, choose the edge, commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ..conditions.base import RoutingContext, choose
from ..graphs.parts import END
from ..graphs.plan import CompiledGraph
from ..stores.ledger import READY, Outcome, Pointer, Row, RunStatus, as_stored, without_output
from ..stores.opening import damaged
from ..values.errors import ConditionFailed, MaxStepsExceeded, NodeFailed, NoEdgeMatched, RunError
from ..values.json_values import class_name
from ..values.messages import error_detail
from ..values.state import merge_updates
from .history import History, rerouted
from .records import StepRecord, error_to_json, node_failure, own_words, with_frames
from .run import Run, not_ready, refuse_overtaken, timeout_failure, within
from .visit import BoundNode, Visit, result_failure, split_result

if TYPE_CHECKING:
    from ..reviews.model import Decision
    from ..stores.base import StateStore
    from ..stores.ledger import RowKind
    from ..values.json_values import Json
    from ..values.state import DecisionMade
    from .turns import RunsNode


_LISTED = 50  # edges that a NoEdgeMatched lists
_PREVIEW = 200  # characters of the output that a NoEdgeMatched shows


def advance(
    app: CompiledGraph,
    before: Pointer,
    node: BoundNode,
    row: Row,
    raised: BaseException | None,
    context: RoutingContext,
    history: History,
) -> tuple[Pointer, RunError | None]:
    """Fill in the row's ``next`` and ``error``, and say where the run is after it.

    Args:
        app: The plan.
        before: Where the run stood before the step.
        node: The node that ran.
        row: The step's row (or the row of its later routing); ``edge`` says which edge won.
        raised: What a condition raised, or None.
        context: What the conditions looked at.
        history: The run's past, without the step.
    """
    step = before.step + 1
    seconds = before.seconds + row.duration
    status, outcome, error, flagged = READY, None, None, False
    current: str | None
    if raised is None and row.edge is not None:
        current = row.next = node.targets[row.edge]
        if current == END:
            status, outcome, current = RunStatus.ENDED, Outcome.END, None
        elif step >= before.limit:
            status, outcome, error = _capped(app, before, row, history)
            flagged = app.settings.on_max_steps == "flag"
            current = row.next if status is RunStatus.FAILED else None  # the one that did not run
        elif app.settings.max_seconds is not None and seconds >= app.settings.max_seconds:
            status, outcome, current = RunStatus.ENDED, Outcome.STOPPED, None
    else:
        status, outcome, error = _unrouted(app, node, row, raised, context)
        current = node.name if status is RunStatus.FAILED else None
    error_json = None if error is None else row.error or error_to_json(error)
    definition, limit = before.definition, before.limit
    pointer = Pointer(
        row.seq, definition, status, current, step, limit, seconds, outcome, flagged, None, error_json, row.at
    )
    return pointer, error


def stayed(before: Pointer, row: Row, status: RunStatus, review: str | None) -> Pointer:
    """Move a run by a row that completes no step: it keeps its node and its state.

    Args:
        before: Where it stood.
        row: The row, a review or an attempt.
        status: How it is now.
        review: The last review of the coming visit.
    """
    return replace(
        before,
        version=row.seq,
        status=status,
        outcome=None,
        review=review,
        seconds=before.seconds + row.duration,
        error=row.error,
        updated_at=row.at,
    )


def stopped(before: Pointer, row: Row) -> Pointer:
    """Move the pointer of a run that a person has stopped.

    Args:
        before: Where the run stood.
        row: The row that says so; where it is a step's, none of its edges is tried.
    """
    return replace(
        before,
        version=row.seq,
        status=RunStatus.ENDED,
        outcome=Outcome.STOPPED,
        current=None,
        step=row.step,
        seconds=before.seconds + row.duration,
        review=None,
        error=None,
        updated_at=row.at,
    )


def rejection(decision: Decision) -> dict[str, Json]:
    """Write who stopped a run by rejecting what a node was to do, or did."""
    return {"by": decision.by, "comment": decision.comment, "review": decision.review}


def _unrouted(
    app: CompiledGraph, node: BoundNode, row: Row, raised: BaseException | None, context: RoutingContext
) -> tuple[RunStatus, Outcome | None, RunError | None]:
    """Return how a run stands when no edge was taken: a condition raised, or none of them matched."""
    if raised is None and app.settings.on_no_match == "end":
        return RunStatus.ENDED, Outcome.NO_MATCH, None
    error: RunError
    if raised is None:
        error, outcome = _no_match(app, node, row, context), Outcome.NO_MATCH
    else:
        error, outcome = _condition_failed(app, node, row, raised), None
    row.error = error_to_json(error)
    return RunStatus.FAILED, outcome, error


def _capped(
    app: CompiledGraph, before: Pointer, row: Row, history: History
) -> tuple[RunStatus, Outcome, RunError | None]:
    if app.settings.on_max_steps != "fail":
        return RunStatus.ENDED, Outcome.MAX_STEPS, None
    from .loops import LOOK_BACK, loop_report

    upto = row.seq - 1
    rows = history.last_steps(LOOK_BACK, upto)
    visits = {node: history.count(node, upto) for node in history.visited}
    if row.kind == "step":
        rows = [*rows[1 - LOOK_BACK :], row]
        visits[row.node or ""] = visits.get(row.node or "", 0) + 1
    else:
        rows = [*rows[:-1], rerouted(rows[-1], row)]
    report = loop_report([StepRecord(step, history) for step in rows], visits, history.values)
    error = MaxStepsExceeded(
        f"{row.next!r} did not run: graph {app.name!r} reached its limit of {before.limit} steps, the last "
        f"one at {row.node!r}; {report}",
        hint="extend the run, raise max_steps, or fix the loop",
    )
    return RunStatus.FAILED, Outcome.MAX_STEPS, error


def _condition_failed(
    app: CompiledGraph, node: BoundNode, row: Row, raised: BaseException
) -> ConditionFailed:
    position = row.edge or 0
    edge = app.edges_from(node.name)[position]
    words, hint = own_words(raised) or (class_name(raised) + error_detail(raised), "")
    error = ConditionFailed(
        f"the condition of edge {position + 1} of node {node.name!r} (to {edge.target}, "
        f"{edge.describe()}) failed: {words}",
        hint=hint or "fix the condition or the state, then retry: the node does not run again",
    )
    error.__cause__ = raised
    return error


def _no_match(app: CompiledGraph, node: BoundNode, row: Row, context: RoutingContext) -> NoEdgeMatched:
    edges = app.edges_from(node.name)
    tried = ", ".join(
        f"{number}. {edge.target} [{edge.describe()}]" for number, edge in enumerate(edges[:_LISTED], 1)
    )
    if len(edges) > _LISTED:
        tried += f", and {len(edges) - _LISTED:,} more"
    output = context.last_output
    preview = output[:_PREVIEW] + ("…" if len(output) > _PREVIEW else "")
    return NoEdgeMatched(
        f"none of the edges of node {node.name!r} matched after step {row.step}: {tried}; "
        f"its output was: {preview}",
        hint="add an edge without a condition as the last one, or set on_no_match = 'end'",
    )


@dataclass(slots=True)  # frozen, it would take three times as long to make, at every step
class Arrival:
    """Where a run stands, with the node that is visited there. It is not changed."""

    run: Run
    pointer: Pointer
    values: dict[str, Json]
    """The state that the visit leaves unless it completes."""
    node: BoundNode
    visit: int
    """How often the run has come to the node, this time included."""

    def asks(self) -> bool:
        """Check whether a person must agree before the node runs; what it says itself may raise anything."""
        node = self.node
        return node.gate == "before" or (node.work is not None and node.work.must_ask(self.view(self.values)))

    def view(self, values: dict[str, Json], decision: DecisionMade | None = None) -> Visit:
        """Build what the node sees: the state that it is given, and what a person decided about it."""
        pointer, node = self.pointer, self.node
        step, history = pointer.step + 1, self.run._history
        feedback = node.feedback, pointer.review
        return Visit(values, step, self.visit, decision, node.name, history, pointer.version, *feedback)

    def row(self, kind: RowKind, at: float, duration: float = 0.0, calls: list[Json] | None = None) -> Row:
        """Begin the ledger row that comes of the visit, with what models and tools answered on it."""
        pointer = self.pointer
        row = Row(pointer.version + 1, kind, pointer.step + 1, self.node.name, self.visit, at, duration)
        if calls:
            row.data = {"calls": calls}
        return row


class Clock(Protocol):
    """What tells the time; the standard ``time`` module does."""

    def time(self) -> float:
        """Seconds since 1970."""
        ...

    def perf_counter(self) -> float:
        """Seconds since some moment, for measuring."""
        ...


class Stepper:
    """Runs the nodes of one plan, one at a time, and commits what they did.

    Args:
        app: The plan.
        nodes: Its nodes, bound.
        store: Where the runs live.
        clock: What tells the time.
        ids: Makes an id from a prefix.
        is_real: Whether the clock tells the machine's own time.
    """

    def __init__(
        self,
        app: CompiledGraph,
        nodes: Mapping[str, BoundNode],
        store: StateStore,
        clock: Clock,
        ids: Callable[[str], str],
        is_real: bool = False,
    ) -> None:
        self._app = app
        self._nodes = nodes
        self.store = store
        self.time = clock.time
        self._tick = clock.perf_counter
        self.ids = ids
        self.is_real = is_real
        self.keys = app.keys
        self.append_keys = app.append_keys

    def step(self, run: Run) -> StepRecord:
        """Run the node at the run's pointer, once.

        Raises:
            NotReady: The run is paused, ended or failed.
            Conflict: Another process has moved the run on; the handle is unchanged.
        """
        if run._next is not run._image:
            run.settle()
        pointer, values, _ = run._image
        if pointer.status is not READY:
            refuse_overtaken(run)
            raise not_ready(run, "step")
        history = run._history
        if history.plan is not self._app or history.store is not self.store:
            self._refuse_foreign(run)
        return self.visit(run, pointer, values)

    def _refuse_foreign(self, run: Run) -> None:
        """Refuse a handle that another executor made, unless it has the same graph and the same store."""
        if run._history.store is not self.store or run.plan.definition_hash != self._app.definition_hash:
            raise RunError(
                f"this handle of run {run.id!r} was made by an executor with another graph or another store",
                hint=f"load the run with the executor that is to step it: executor.load({run.id!r})",
            )

    def visit(self, run: Run, pointer: Pointer, values: dict[str, Json]) -> StepRecord:
        """Run the node at the pointer, whatever the status says (a retry comes here too)."""
        node = self._nodes[pointer.current]  # type: ignore[index]  # a run that is ready has a node
        here = Arrival(run, pointer, values, node, run._history.count(node.name) + 1)
        if pointer.review is None:
            try:
                asks = node.may_ask and here.asks()
            except BaseException as error:  # it may be a user's code that says so
                attempt = here.row("attempt", self.time())
                return self.fail(here, attempt, node_failure(node.name, here.visit, error))
            if not asks:
                return self.execute(here, None)
        from . import asking  # what asks people loads with the first question

        return asking.begin(self, here)

    def execute(self, here: Arrival, go: RunsNode | None) -> StepRecord:
        """Run a node; ``go`` has what people decided about this visit, None where nobody was asked."""
        node = here.node
        if go is None:
            execute, seen, view = node.execute, here.values, here.view(here.values)
        else:
            execute, seen, view = go.execute, go.values, here.view(go.values, go.decision)
            view.agreed = go.agreed
        at = self.time()
        began = self._tick()
        try:
            result = execute(view) if node.timeout is None else self._in_time(execute, view, node.timeout)
        except BaseException as error:  # SystemExit and KeyboardInterrupt of a node are its failure too
            attempt = here.row("attempt", at, self._tick() - began, view.calls)
            return self.fail(here, attempt, node_failure(node.name, here.visit, error))
        row = here.row("step", at, self._tick() - began, view.calls)
        question = None
        try:
            if type(result) is not dict:
                row.output, result, question = split_result(node.name, here.visit, result, node.terms)
            if question is None:
                merged, row.updates, row.ops = merge_updates(seen, result, self.keys)
        except BaseException as error:  # whatever a result does while it is read, its node has done
            return self.fail(here, row, result_failure(node.name, here.visit, error))
        if question is None and node.gate is None and go is None:
            return self.route(here, row, merged)
        from . import asking

        if question is not None:
            return asking.ask(self, here, row, question, go, seen)
        return asking.behind(self, here, row, merged, {} if go is None else go.edits)

    def _in_time(self, execute: Callable[[Any], Any], view: Visit, seconds: float) -> Any:
        """Execute a node that has a timeout.

        Raises:
            NodeFailed: It took longer.
        """
        began, raised, result = self._tick(), None, None
        view.begin(self._tick, seconds)
        try:
            result = within(seconds, execute, view)
        except BaseException as error:
            raised = error
        failed = timeout_failure(seconds, self._tick() - began, raised)
        if failed is not None:
            raise failed
        return result

    def route(
        self,
        here: Arrival,
        row: Row,
        values: dict[str, Json],
        chosen: tuple[int | None, BaseException | None] | None = None,
    ) -> StepRecord:
        """Choose the edge, unless it is ``chosen`` already, and commit the step with the new state."""
        context = self.context(here, row, values)
        row.edge, raised = choose(here.node.tests, context) if chosen is None else chosen
        moved, error = advance(self._app, here.pointer, here.node, row, raised, context, here.run._history)
        return self.complete(here.run, row, values, moved, error)

    def context(self, here: Arrival, row: Row, values: dict[str, Json]) -> RoutingContext:
        """Return what the conditions after a visit see."""
        return RoutingContext(here.node.name, row.step, values, row.output, row.updates, here.run._history)

    def complete(
        self, run: Run, row: Row, values: dict[str, Json], moved: Pointer, error: RunError | None
    ) -> StepRecord:
        """Commit a step."""
        if row.ops is not None and row.updates is not None:
            row.updates, row.ops = as_stored(row.updates, row.ops, run._image[1])  # conditions had them whole
        if row.data is not None:
            without_output(row)
        run._next = after = (moved, values, error)
        self.store.commit(run.head.id, row, moved, values, self.append_keys)
        run._history.add(row)
        run._image = after
        return StepRecord(row, run._history)

    def reroute(self, run: Run) -> StepRecord:
        """Evaluate the edges of the last step again, in the state as it is now; the node does not run."""
        pointer, values, _ = run._image
        history = run._history
        steps = history.last_steps(1, pointer.version)
        if not steps or steps[-1].node not in self._nodes:
            raise damaged(self.store.url, f"the ledger of run {run.id!r} has no step to route again")
        step = steps[-1]
        node = self._nodes[step.node or ""]
        row = Row(pointer.version + 1, "route", step.step, step.node, step.visit, self.time())
        context = RoutingContext(node.name, row.step, values, history.output(step), None, history, step.seq)
        row.edge, raised = choose(node.tests, context)
        before = replace(pointer, step=pointer.step - 1)  # advancing counts the step
        moved, error = advance(self._app, before, node, row, raised, context, history)
        run._next = (moved, values, error)
        self.store.commit(run.head.id, row, moved, values, self.append_keys)
        run._image = run._next
        return StepRecord(rerouted(step, row), history)

    def fail(self, here: Arrival, row: Row, failure: NodeFailed) -> StepRecord:
        """Commit an attempt that failed; the run stays where it is."""
        row.kind, row.updates, row.ops, row.output = "attempt", None, None, None
        row.error = error_to_json(failure)
        moved = stayed(here.pointer, row, RunStatus.FAILED, here.pointer.review)  # it tells no variables
        row.error = with_frames(row.error, failure, self._app, here.values)
        return self.stay(here, row, moved, failure)

    def stay(self, here: Arrival, row: Row, moved: Pointer, error: RunError | None) -> StepRecord:
        """Commit a row that completes no step: the run keeps its state."""
        run = here.run
        run._next = (moved, here.values, error)
        self.store.commit(run.head.id, row, moved)
        run._image = run._next
        return StepRecord(row, run._history)
