"""Routing: what conditions are asked about, and which edge wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ..values.json_values import Json, dumps
from ..values.state import State

Test = Callable[["RoutingContext"], bool]


class RunPast(Protocol):
    """The steps before, as conditions may ask about them; a run's history answers."""

    run_id: str

    @property
    def visited(self) -> Mapping[str, Sequence[int]]:
        """The rows of each visited node's steps."""
        ...

    def count(self, node: str, upto: int | None = None) -> int:
        """Count how often the node was visited, up to a row."""
        ...

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        """Collect what each node put out, visit by visit."""
        ...


class RoutingContext:
    """The things that the conditions of a step may look at: the state after the node, and the run so far.

    A predicate gets this object; expressions read it through ``values``, ``last_output``, ``step`` and
    ``visit_count``.
    """

    __slots__ = ("_output", "_seq", "_updates", "history", "node", "step", "values")

    def __init__(
        self,
        node: str,
        step: int,
        values: Mapping[str, Json],
        output: str | None,
        updates: dict[str, Json] | None,
        history: RunPast,
        seq: int | None = None,
    ) -> None:
        self.node = node
        """The node that has just run."""
        self.step = step
        """The number of the step that is being routed."""
        self.values = values
        """The state itself, not copies: never change it; predicates use ``state``."""
        self._output = output
        self._updates = updates
        self.history = history
        """The run's past, without the step that is being routed."""
        self._seq = seq  # of the step's row; None while the step is not committed yet

    @property
    def upto(self) -> int | None:
        """The row up to which the past goes; None while the step is not committed yet."""
        return self._seq

    @property
    def last_output(self) -> str:
        """What the node just run put out."""
        if self._output is None:
            self._output = dumps(self._updates or {})
        return self._output

    @property
    def state(self) -> State:
        """The state after the node, read-only and with copies of its lists and tables."""
        return State(self.values, self.history.run_id, self.step)

    def visit_count(self, node: str) -> int:
        """Count how often the run has visited the node, this visit included."""
        if self._seq is not None:
            return self.history.count(node, self._seq)
        return self.history.count(node) + (node == self.node)

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has visited each node, this visit included."""
        names = dict.fromkeys([*self.history.visited, self.node])
        return {name: count for name in names if (count := self.visit_count(name))}

    @property
    def outputs(self) -> dict[str, list[str]]:
        """What each node put out, visit by visit, this visit included."""
        outputs = self.history.outputs(self._seq)
        if self._seq is None:
            outputs.setdefault(self.node, []).append(self.last_output)
        return outputs


def choose(tests: tuple[Test, ...], context: RoutingContext) -> tuple[int | None, BaseException | None]:
    """Walk a node's edges in order until one matches.

    Returns:
        The position of the edge that matched, or of the one whose condition raised together with
        what it raised; (None, None) when none matched.
    """
    position = 0
    try:
        for test in tests:
            if test(context):
                return position, None
            position += 1
    except BaseException as error:  # whatever a user's predicate raises is a routing failure, as in nodes
        return position, error
    return None, None
