"""Conditions inside of a subgraph: they see its state, its nodes and its visits, and nothing around it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from ..expressions import Explanation, Test
from ..values.json_values import Json
from ..values.scopes import Scope
from .base import Condition, Resolve
from .routing import RoutingContext, RunPast


class ScopedCondition(Condition):
    """A condition of a graph that runs inside another one.

    Args:
        inner: The condition, as the graph's own file has it.
        scope: The subgraph.
    """

    __slots__ = ("inner", "kind", "scope")

    def __init__(self, inner: Condition, scope: Scope) -> None:
        super().__init__()
        self.inner, self.scope = inner, scope
        self.kind = inner.kind  # type: ignore[misc]  # it is of the kind of what it holds
        self.reads = frozenset(map(scope.outer, inner.reads))
        self.visits_read = frozenset(map(scope.outer, inner.visits_read))

    @property
    def test(self) -> Test:
        """The answer to the question inside."""
        return self._inside(self.inner.test)

    def bind(self, resolve: Resolve) -> Test:
        """Make the test of what the condition inside names."""
        return self._inside(self.inner.bind(resolve))

    def _inside(self, test: Test) -> Test:
        return lambda context: test(ScopedContext(context, self.scope))  # type: ignore[arg-type]

    def describe(self) -> str:
        """Say the condition with the names that it has inside."""
        return self.inner.describe()

    def explain(self, context: object) -> Explanation:
        """Tell how the condition inside comes out."""
        return self.inner.explain(ScopedContext(context, self.scope))  # type: ignore[arg-type]

    def to_json(self) -> Json:
        """Write the condition inside, with its scope."""
        return {"in": self.scope.node, "when": self.inner.to_json()}


def bare(condition: Condition) -> Condition:
    """Give the condition as its own file has it, where it is inside of subgraphs."""
    while isinstance(condition, ScopedCondition):
        condition = condition.inner
    return condition


def within(condition: Condition, context: RoutingContext) -> RoutingContext:
    """Give what a condition sees of what a condition of the whole run would see."""
    while isinstance(condition, ScopedCondition):
        context, condition = ScopedContext(context, condition.scope), condition.inner
    return context


class ScopedContext(RoutingContext):
    """What a condition inside of a subgraph may look at.

    Args:
        outer: What a condition of the whole run would see.
        scope: The subgraph.
    """

    __slots__ = ("_outer",)

    def __init__(self, outer: RoutingContext, scope: Scope) -> None:
        node = outer.node.removeprefix(scope.prefix)
        past = ScopedPast(outer.history, scope, outer.upto)
        super().__init__(node, outer.step, scope.within(outer.values), None, None, past, outer.upto)
        self._outer = outer

    @property
    def last_output(self) -> str:
        """What the node just run put out."""
        return self._outer.last_output


class ScopedPast:
    """The steps of a subgraph since the run entered it last.

    Args:
        outer: The steps of the whole run.
        scope: The subgraph.
        upto: The row up to which the past goes; None for all of it.
    """

    def __init__(self, outer: RunPast, scope: Scope, upto: int | None) -> None:
        self.run_id = outer.run_id
        self._outer, self._scope = outer, scope
        entered = outer.visited.get(scope.node, ())
        count = len(entered) if upto is None else bisect_right(entered, upto)
        self._since = entered[count - 1] if count else 0

    @property
    def visited(self) -> Mapping[str, Sequence[int]]:
        """The rows of each visited node's steps."""
        all_seqs = self._scope.within(self._outer.visited)
        return {
            node: later
            for node, seqs in all_seqs.items()
            if (later := seqs[bisect_right(seqs, self._since) :])
        }

    def count(self, node: str, upto: int | None = None) -> int:
        """Count how often the node was visited, up to a row."""
        name = self._scope.outer(node)
        return max(0, self._outer.count(name, upto) - self._outer.count(name, self._since))

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        """Collect what each node put out, visit by visit."""
        found = self._scope.within(self._outer.outputs(upto))
        skipped = {node: self._outer.count(self._scope.outer(node), self._since) for node in found}
        return {node: later for node, texts in found.items() if (later := texts[skipped[node] :])}
