"""The state as a node sees it on one visit of a run, with what the run knows of its past."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..stores.calls import calls_of, own_of
from ..values.state import State
from .bind import FEEDBACK

if TYPE_CHECKING:
    from ..values.json_values import Json
    from ..values.state import DecisionMade
    from .history import History


class Visit(State):
    """The state on a visit; what it tells of the past is made when the node reads it.

    Args:
        values: The state; not copied.
        step: The number of the step.
        visit: How often the run has come to the node, this time included.
        decision: What a person decided about this visit's review.
        node: The node.
        history: The run's past.
        upto: The ledger row up to which the past goes.
        feedback: Whether the node is told of its last visit.
        asked: The review that was asked last, whose decision is ``decision`` or not used.
    """

    __slots__ = ("_asked", "_ends", "_history", "_node", "_tells", "_tick", "_upto")

    def __init__(
        self,
        values: Mapping[str, Json],
        step: int,
        visit: int,
        decision: DecisionMade | None,
        node: str,
        history: History,
        upto: int,
        feedback: bool,
        asked: str | None = None,
    ) -> None:
        State.__init__(self, values, history.run_id, step, visit, decision)
        self._node = node
        self._history = history
        self._upto = upto
        self._tells = feedback and visit > 1
        self._asked = asked

    @property
    def feedback(self) -> str | None:
        """The text that asks the node to refine its work; None on a first visit or where it is off."""
        return FEEDBACK.format(node=self._node, visit=self.visit) if self._tells else None

    @property
    def previous_output(self) -> str | None:
        """What the node put out on its last visit; None on a first visit or where feedback is off."""
        return self._history.output_of_visit(self._node, self.visit - 1) if self._tells else None

    @property
    def last_output(self) -> str:
        """What the node before this one put out; empty at the start of a run."""
        return self._history.last_output(self._upto)

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has come to each node of its graph, this visit included."""
        history, upto = self._history, self._upto
        return {name: history.count(name, upto) + (name == self._node) for name in history.plan.nodes}

    def visits_since(self, node: str) -> dict[str, int]:
        """Count how often the run has come to each node since the last step of one, this visit included."""
        history, upto = self._history, self._upto
        since = history.last_visit(node, upto)
        names = dict.fromkeys([*history.visited, self._node])
        return {
            name: history.count(name, upto) - history.count(name, since) + (name == self._node)
            for name in names
        }

    @property
    def earlier_calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit before it paused or failed, oldest first.

        Without the last one before a failure: it has failed itself, or nobody knows whether what it said was
        the reason. With what the node has kept for itself.
        """
        earlier: list[dict[str, Json]] = []
        for row in self._history.unfinished(self.step, self._upto):
            calls = calls_of(row)
            earlier += calls[:-1] if row.kind == "attempt" else calls
            earlier += own_of(row)
        return earlier

    @property
    def answers(self) -> list[tuple[dict[str, Json], DecisionMade]]:
        """What the node itself has asked a person on this visit, oldest first, each with its decision."""
        from ..reviews.model import Decision

        history = self._history
        rows = history.store.rows(history.run_id, self.step, self._upto, ("review", "decision"))
        requests: dict[str | None, Any] = {}
        found: dict[str | None, DecisionMade] = {}
        for row in rows:
            data = row.data or {}
            if row.step == self.step and row.kind == "review" and "gate" not in data:
                requests[row.review] = data["request"]
            elif row.kind == "decision" and row.data is not None and row.review in requests:
                found[row.review] = Decision.from_json(row.data)
        if self.decision is None:  # the last one was about something else, or is looked at later
            found.pop(self._asked, None)
        return [(requests[review], decision) for review, decision in found.items()]

    def refuse_over_limits(self, is_priced: bool) -> None:
        """Refuse another call to a model where the run has spent what it may, this visit included.

        Raises:
            NodeFailed: It has, or nobody could tell.
        """
        from .spending import NO_LIMITS, limits_of, refuse_over_limits, spending_of

        history = self._history
        said = limits_of(history.store, history.run_id, self._upto)
        limits = said.over(history.plan.settings)
        if limits != NO_LIMITS:
            made = spending_of(call for call in self.calls or () if isinstance(call, dict))
            refuse_over_limits(history.spending.upto(self._upto).total + made, limits, is_priced)

    def begin(self, tick: Callable[[], float], seconds: float) -> None:
        """Let the time of a node's timeout begin now."""
        self._tick, self._ends = tick, tick() + seconds

    @property
    def time_left(self) -> float | None:
        """The seconds that are left of the node's timeout, below zero once it is over; None without one."""
        try:
            return self._ends - self._tick()
        except AttributeError:  # it was never begun: visits without a timeout pay nothing for it
            return None
