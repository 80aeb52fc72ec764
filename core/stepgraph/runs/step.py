"""One step: run the node, merge its updates, choose the edge, commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ..conditions.routing import RoutingContext, choose
from ..graphs.plan import CompiledGraph
from ..stores.calls import without_output
from ..stores.ledger import READY, Pointer, Row, RunStatus, changed_only
from ..stores.refusals import damaged
from ..values.errors import NodeFailed, RunError
from ..values.merging import merge_updates
from . import failures, node_results, timeouts
from .advance import advance, stayed
from .arrival import Arrival
from .bind import BoundNode
from .history import rerouted
from .records import StepRecord
from .run import Run, not_ready, refuse_overtaken

if TYPE_CHECKING:
    from ..stores.base import StateStore
    from ..values.json_values import Json
    from .turns import RunsNode
    from .visit import Visit


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
                return self.fail(here, attempt, failures.node_failure(node.name, here.visit, error))
            if not asks:
                return self.execute(here, None)
        from . import asking  # what asks people loads with the first question

        return asking.begin(self, here)

    def execute(self, here: Arrival, go: RunsNode | None) -> StepRecord:
        """Run a node; ``go`` says what people have decided about this visit, None that nobody was asked."""
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
            return self.fail(here, attempt, failures.node_failure(node.name, here.visit, error))
        row = here.row("step", at, self._tick() - began, view.calls)
        question = None
        try:
            if type(result) is not dict:
                row.output, result, question = node_results.opened(node.name, here.visit, result, node.terms)
            if question is None:
                merged, row.updates, row.ops = merge_updates(seen, result, self.keys)
        except BaseException as error:  # whatever a result does while it is read, its node has done
            return self.fail(here, row, node_results.failure(node.name, here.visit, error))
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
            result = timeouts.within(seconds, execute, view)
        except BaseException as error:
            raised = error
        failed = timeouts.failure(seconds, self._tick() - began, raised)
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
        """Give what the conditions behind a visit see."""
        return RoutingContext(here.node.name, row.step, values, row.output, row.updates, here.run._history)

    def complete(
        self, run: Run, row: Row, values: dict[str, Json], moved: Pointer, error: RunError | None
    ) -> StepRecord:
        """Commit a step."""
        if row.ops is not None and row.updates is not None:
            row.updates = changed_only(row.updates, row.ops)  # the conditions had them whole
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
        row.error = failures.to_json(failure)
        pointer = here.pointer
        return self.stay(here, row, stayed(pointer, row, RunStatus.FAILED, pointer.review), failure)

    def stay(self, here: Arrival, row: Row, moved: Pointer, error: RunError | None) -> StepRecord:
        """Commit a row that completes no step: the run keeps its state."""
        run = here.run
        run._next = (moved, here.values, error)
        self.store.commit(run.head.id, row, moved)
        run._image = run._next
        return StepRecord(row, run._history)
