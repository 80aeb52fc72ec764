"""Trying a node: one visit with a state of one's choice. There is no run of it, and nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any, cast

from ..reviews.inbox import Reviews
from ..reviews.model import Decision, ReviewRequest
from ..stores.base import StoredRun
from ..stores.ledger import READY, Pointer, Row, RunHead
from ..stores.memory import MemoryStore
from ..values.errors import RunError, StateError
from ..values.json_values import CheckedClock, Json, preview
from ..values.problems import did_you_mean
from .executor import random_id
from .history import History
from .operations import over_defaults
from .records import EvaluatedEdge, StepRecord
from .run import Run
from .step import Clock, Stepper
from .visit import NO_CALL_RULES, CallRules, bind

if TYPE_CHECKING:
    from ..graphs.plan import CompiledGraph
    from ..models.client import LLMClient
    from ..tools.registry import ToolRegistry
    from .records import StepStatus


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What came of one visit of a node. Output and explanations are made when they are read."""

    before: Mapping[str, Json]
    """The state that the node was given; not to be changed."""
    after: Mapping[str, Json]
    """The state after its updates; the same as before when it did not complete. Not to be changed."""
    record: StepRecord
    """The visit as a run would have it in its history."""
    error: RunError | None
    """Why the node or the routing failed, with what was raised as its ``__cause__``."""

    @property
    def node(self) -> str:
        """The node."""
        return self.record.node

    @property
    def status(self) -> StepStatus:
        """How it went.

        ``success``; ``paused`` when a person would be asked; ``failed`` for the node or the routing;
        ``stopped`` when the decision was to reject the call of a tool.
        """
        return self.record.status

    @property
    def updates(self) -> dict[str, Json]:
        """What the node asked to change; None for a removed key."""
        return self.record.updates

    @property
    def output(self) -> str | None:
        """What it put out, as text; None when it did not complete."""
        return self.record.output

    @property
    def edges(self) -> list[EvaluatedEdge]:
        """Its edges as they were tried; none when it did not complete."""
        return self.record.edges

    @property
    def next(self) -> str | None:
        """The node that would come next, or END; None when there is none."""
        return self.record.next

    @property
    def duration(self) -> float:
        """How long the node took, in seconds."""
        return self.record.duration

    @property
    def request(self) -> ReviewRequest | None:
        """What a person would be asked; None when nobody is."""
        if self.status != "paused":
            return None
        return ReviewRequest.from_json(cast("dict[str, Any]", (self.record.row.data or {})["request"]))


def try_node(
    app: CompiledGraph,
    node: str,
    values: Mapping[str, object],
    *,
    step: int = 1,
    visit: int = 1,
    visits: Mapping[str, int] | None = None,
    previous_output: str | None = None,
    last_output: str = "",
    decision: Decision | None = None,
    tools: ToolRegistry | None = None,
    models: Mapping[str, LLMClient] | None = None,
    clock: Clock | None = None,
    ids: Callable[[str], str] | None = None,
    live: bool = False,
    calls: CallRules = NO_CALL_RULES,
) -> TrialResult:
    """Run one node as a step of a run would, and forget it.

    What the node does to the world outside the state is really done. Its failures are returned, not raised.
    Its review setting asks nobody: who tries a node looks at what it does. A tool that requires approval asks
    all the same, and so does a node by itself; whoever tries it decides, whatever the terms say.

    Args:
        app: The compiled graph.
        node: The node.
        values: The state, over the declared defaults; None takes a default away.
        step: The number of the step that it is taken for.
        visit: How often the node is visited with this one; from the second on it gets feedback.
        visits: How often each other node was visited before, for conditions that count.
        previous_output: What the node put out on the visit before.
        last_output: What the node before this one put out, for templates that read it.
        decision: What a person decides where the node asks; without one the trial ends with the question.
        tools: Tools beside (and before) those that the graph declares.
        models: Model clients by alias.
        clock: What tells the time; the standard ``time`` module when None.
        ids: Makes an id from a prefix, for what the node sees as its run; random ones when None.
        live: Ask models although nodes have scripted replies.
        calls: How calls to models and tools are replayed, told of and stopped.

    Raises:
        TrustError: The graph names Python code that nobody has trusted.
        GraphError: Something that the node names cannot be found.
        StateError: A value is refused; the message names every one of them.
        NotAllowed: The decision is none that the question offers.
        RunError: There is no such node, or a number is none that a run could have.
    """
    _refuse_unknown(app, node)
    before = state_to_try(app, values)
    _refuse_below_one(step=step, visit=visit)
    bound = replace(bind(app, tools, models, live, only=node, calls=calls)[node], gate=None, is_tried=True)
    clock = CheckedClock(clock) if clock is not None else time
    head = RunHead((ids or random_id)("try"), app.name, clock.time(), str(app.source) if app.source else None)
    before_it = {**(visits or {}), node: visit - 1}
    history = _Imagined(MemoryStore(), head.id, app, before_it, node, previous_output, last_output)
    run, numbers = _imagined_run(head, history, before, step), count(1)
    # The executor's own steps, over a store that is gone with the result: so a trial fails as a run would.
    stepper = Stepper(app, {node: bound}, run.store, clock, lambda prefix: f"{prefix}-{next(numbers)}")
    record = stepper.step(run)
    if decision is not None and record.row.review is not None:
        Reviews(run.store, clock.time).decide(record.row.review, decision)
        run = Run(head, run.store.load(head.id).pointer, before, history)
        record = stepper.step(run)
    return TrialResult(before, run._image[1], record, run.error)


def _imagined_run(head: RunHead, history: _Imagined, before: dict[str, Json], step: int) -> Run:
    """Build a run that is at the node that is tried, one step before its limit."""
    app = history.plan
    pointer = Pointer(1, app.definition_hash, READY, history.node, step - 1, limit=step + 1)
    start = Row(1, "start", step - 1, at=head.created_at, updates=before)
    history.store.create(StoredRun(head, pointer), [start], app.definition)
    return Run(head, pointer, before, history)


def state_to_try(app: CompiledGraph, values: Mapping[str, object]) -> dict[str, Json]:
    """Values over copies of the defaults; inputs may be missing.

    Raises:
        StateError: A value is refused; the message names every one of them.
    """
    state, refused = over_defaults(app, values)
    if refused:
        raise StateError("; ".join(str(error) for _, error in refused))
    return state


def _refuse_unknown(app: CompiledGraph, node: str) -> None:
    if node not in app.nodes:
        hint = did_you_mean(str(node), app.nodes, listing="it has")
        raise RunError(f"graph {app.name!r} has no node {preview(node)}", hint=hint)


def _refuse_below_one(**numbers: int) -> None:
    for name, number in numbers.items():
        if type(number) is not int or number < 1:
            raise RunError(f"the {name} is {preview(number)}", hint="it is a whole number, counted from 1")


class _Imagined(History):
    """The past of a run that never was: how often its nodes were visited, and one output.

    Args:
        store: Where the one step is.
        run_id: The run.
        plan: The graph.
        visits: How often each node was visited.
        node: The node that is tried.
        previous: What it put out last; None where that is not known.
        last: What the node before it put out.
    """

    def __init__(
        self,
        store: MemoryStore,
        run_id: str,
        plan: CompiledGraph,
        visits: Mapping[str, int],
        node: str,
        previous: str | None,
        last: str,
    ) -> None:
        super().__init__(store, run_id, plan, fresh=True)
        self.visited = {name: [1] * times for name, times in visits.items() if times > 0}
        self.node = node
        self._previous = previous
        self._last = last

    def output_of_visit(self, node: str, visit: int) -> str:
        return self._previous or ""

    def last_output(self, upto: int) -> str:
        return self._last

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        outputs = super().outputs(upto)
        if self._previous is not None:
            outputs[self.node] = [self._previous, *outputs.get(self.node, [])]
        return outputs
