"""Nodes inside of a subgraph: they see its state under its own names, and what they change is kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from ..values.errors import NodeFailed
from ..values.json_values import dumps
from ..values.state import Scope, State
from .base import BaseNode, Choice, NodeResult, Services

if TYPE_CHECKING:
    from ..models.client import ModelRequest
    from ..reviews.model import ReviewRequest
    from ..values.json_values import Json
    from ..values.problems import Problem
    from ..values.state import DecisionMade
    from .base import NodeFacts


class ScopedNode(BaseNode):
    """A node of a graph that runs inside another one.

    Args:
        inner: The node, as the graph's own file has it.
        scope: The subgraph.
        name: What it is called there.
        nodes: All nodes of the subgraph, by the names that they have there.
        max_steps: How many steps the subgraph may take each time that it is entered.
    """

    def __init__(
        self, inner: BaseNode, scope: Scope, name: str, nodes: tuple[str, ...], max_steps: int
    ) -> None:
        super().__init__(scope.outer(name))
        self._inner = inner.named(self.name)
        self._scope, self._own_name, self._nodes, self._max_steps = scope, name, nodes, max_steps
        self.type = inner.type  # type: ignore[misc]  # it does what the node inside does
        self.settings = inner.settings

    def named(self, name: str) -> Self:
        """Name the node as the graph around it does."""
        node = super().named(name)
        node._inner = self._inner.named(name)
        return node

    def bind(self, services: Services) -> Self:
        """Copy this node, with the node inside made ready."""
        bound = super().bind(services)
        keys = self._scope.within(services.keys)
        choices = tuple(map(self._choice, services.choices))
        bound._inner = self._inner.bind(replace(services, keys=keys, choices=choices))
        return bound

    def _choice(self, choice: Choice) -> Choice:
        """Rename an edge label of the node to the one that it has inside."""
        target = choice.target.removeprefix(self._scope.prefix)
        return replace(choice, target=target, label=target if choice.label == choice.target else choice.label)

    def execute(self, state: State) -> NodeResult:
        """Run the node inside.

        Raises:
            NodeFailed: The subgraph has taken all of its steps.
        """
        view = self.sees(state)
        taken = sum(view.visits.values()) - 1
        if taken >= self._max_steps:
            raise NodeFailed(
                f"the subgraph {self._scope.node!r} has reached its limit of {self._max_steps} steps since "
                "it was entered",
                hint="raise max_steps in its file, or fix the loop",
            )
        result: NodeResult = self._outside(self._inner.execute(view))
        return result

    def sees(self, state: State) -> ScopedState:
        """Return the state of the subgraph, by the names that it has there."""
        return ScopedState(state, self._scope, self._own_name, self._nodes)

    def _outside(self, result: Any) -> Any:
        """Rename the result of the node inside to the names outside; what is no result is left as it is."""
        if isinstance(result, dict):
            result = NodeResult(result)
        if not isinstance(result, NodeResult):
            return result
        if result.review is not None:
            result = replace(result, review=_outer_request(result.review, self._scope))
        if not isinstance(result.updates, Mapping):
            return result
        updates = {
            self._scope.outer(name) if isinstance(name, str) else name: item
            for name, item in result.updates.items()
        }
        output = result.output
        if output is None and result.status == "success":
            try:
                output = dumps(dict(result.updates))
            except (TypeError, ValueError):  # no JSON, which is refused where updates are checked
                output = None
        return replace(result, updates=updates, output=output)

    @property
    def function(self) -> Callable[..., Any] | None:
        """What of the node inside a person wrote in Python."""
        if not type(self._inner).__module__.startswith("stepgraph."):
            return self._inner.execute
        return getattr(self._inner, "function", None)

    def proposes(self, state: State) -> tuple[str, dict[str, Json]]:
        """Describe what the node inside is about to do."""
        return self._inner.proposes(self.sees(state))

    def model_request(self, state: State) -> ModelRequest | None:
        """Write what the node inside says to a model first."""
        return self._inner.model_request(self.sees(state))

    def must_ask(self, state: State) -> bool:
        """Check whether the node inside must ask first."""
        return self._inner.must_ask(self.sees(state))

    def facts(self) -> NodeFacts:
        """Declare what the node inside does, with the names that its keys have outside."""
        return self._inner.facts().scoped(self._scope)

    def problems(self) -> Iterable[Problem]:
        """Find what is wrong with the settings of the node inside."""
        return self._inner.problems()


def inmost(node: object) -> object:
    """Return the node itself where it is inside of subgraphs, else what was given."""
    while isinstance(node, ScopedNode):
        node = node._inner
    return node


class ScopedState(State):
    """What a node inside of a subgraph sees: its state, and its visits since the run entered it.

    Args:
        outer: What a node of the whole run would see.
        scope: The subgraph.
        node: The node that is visited, by its name inside.
        nodes: All nodes of the subgraph.
    """

    __slots__ = ("_node", "_nodes", "_outer", "_scope", "_since")

    def __init__(self, outer: State, scope: Scope, node: str, nodes: tuple[str, ...]) -> None:
        self._outer, self._scope, self._node, self._nodes = outer, scope, node, nodes
        self._since = scope.within(outer.visits_since(scope.node))
        values = scope.within(outer._values)  # each is copied when it is read, not before
        decision = None if outer.decision is None else ScopedDecision(outer.decision, scope)
        super().__init__(values, outer.run_id, outer.step, self._since.get(node, outer.visit), decision)
        self.agreed, self.calls = outer.agreed, outer.calls

    def keep(self, call: dict[str, Json]) -> None:
        """Keep an answer of a model or a tool with the visit of the whole run."""
        self._outer.keep(call)
        self.calls = self._outer.calls

    def recall(self, kind: str, name: str, digest: str) -> dict[str, Json] | None:
        """Take an answer that the visit of the whole run was given before."""
        return self._outer.recall(kind, name, digest)

    def refuse_over_limits(self, is_priced: bool) -> None:
        """Refuse another call to a model where the whole run has spent what it may.

        Raises:
            NodeFailed: It has.
        """
        self._outer.refuse_over_limits(is_priced)

    @property
    def answers(self) -> list[tuple[dict[str, Json], DecisionMade]]:
        """What the node has asked a person on this visit, each with the decision."""
        return [
            (
                asked,
                decision
                if _is_about_arguments(asked.get("edits"))
                else ScopedDecision(decision, self._scope),
            )
            for asked, decision in self._outer.answers
        ]

    @property
    def feedback(self) -> str | None:
        """The text that asks the node to refine its work; None on its first visit since the run came in."""
        return self._outer.feedback if self.visit > 1 else None

    @property
    def previous_output(self) -> str | None:
        """What the node put out on its last visit; None on its first one since the run came in."""
        return self._outer.previous_output if self.visit > 1 else None

    @property
    def last_output(self) -> str:
        """What the node before this one put out."""
        return self._outer.last_output

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has come to each node of the subgraph since it came in, this visit included."""
        return {**dict.fromkeys(self._nodes, 0), **self._since}

    def visits_since(self, node: str) -> dict[str, int]:
        """Count how often the run has come to each node since the last step of one, this visit included."""
        return self._scope.within(self._outer.visits_since(self._scope.outer(node)))

    @property
    def time_left(self) -> float | None:
        """The seconds that are left of the node's timeout; None without one."""
        return self._outer.time_left

    @property
    def earlier_calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit before it paused or failed."""
        return self._outer.earlier_calls


class ScopedDecision:
    """A decision about a question that was asked inside of a subgraph, with the names of the inside.

    Args:
        outer: The decision as it is recorded.
        scope: The subgraph.
    """

    def __init__(self, outer: DecisionMade, scope: Scope) -> None:
        self._outer, self._scope = outer, scope
        self.verb, self.text, self.by, self.comment = outer.verb, outer.text, outer.by, outer.comment
        self.at, self.hash = outer.at, outer.hash
        self.values = scope.within(outer.values)

    def apply_to(self, values: dict[str, Json]) -> dict[str, Json]:
        """Compute the top-level keys that an edit changes, with their new values."""
        return self._scope.within(self._outer.apply_to(self._scope.without(values)))

    def is_about(self, node: str, request: ReviewRequest, values: dict[str, Json]) -> bool:
        """Check whether it answers what the node would ask now about these values."""
        asked = _outer_request(request, self._scope)
        return self._outer.is_about(node, asked, self._scope.without(values))


def _outer_request(request: ReviewRequest, scope: Scope) -> ReviewRequest:
    """Rename the paths of a question to their names outside; arguments of a tool keep theirs."""
    show = tuple(map(scope.outer, request.show))
    if _is_about_arguments(request.edits):
        return replace(request, show=show)
    return replace(request, show=show, editable=scope.without(request.editable))


def _is_about_arguments(edits: object) -> bool:
    """Check whether what a question lets a person change is the arguments of a call, not the state."""
    return edits == "arguments"


def is_ours(node: object) -> bool:
    """Check whether a node is of a type that Stepgraph brings."""
    return type(node).__module__.startswith("stepgraph.")
