"""Graphs whose reviews have terms, and runs that wait on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stepgraph import END, ApprovalNode, Executor, ReviewRequest, ReviewTerms, Run, StateGraph, StateStore
from stepgraph.nodes.base import NodeResult
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Review
from stepgraph.reviews.terms import NO_TERMS
from stepgraph.testing import FakeClock


def pauses(state: Any) -> NodeResult | dict[str, Any]:
    """Ask by itself, and write what was decided."""
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Go on?"))
    return {"verb": state.decision.verb, "by": state.decision.by}


def acts(state: Any) -> dict[str, Any]:
    """Do something, which a gate asks about."""
    return {"done": state.step}


PLACES = ("approval", "pauses", "before", "after")
"""The ways in which a person is asked, by the name of the node."""


class Bench:
    """A store with runs that wait on terms.

    Args:
        store: The store.
        place: In which way a person is asked.
        terms: The graph's terms.
        own: The node's own.
    """

    def __init__(
        self,
        store: StateStore,
        place: str = "approval",
        own: ReviewTerms = NO_TERMS,
        **terms: Any,
    ) -> None:
        self.clock = FakeClock()
        self.store = store
        graph = StateGraph("terms", start=place, reviews=ReviewTerms(**terms))
        node: Any = {"approval": ApprovalNode(prompt="Go on?"), "pauses": pauses}.get(place, acts)
        review: Any = place if place in ("before", "after") else None
        graph.add_node(place, node, review=review, terms=own)
        graph.add_edge(place, END)
        self.executor = Executor(graph.compile(), store, clock=self.clock)
        self.reviews = Reviews(store, self.clock.time)

    def paused(self, run_id: str = "r-1", values: Mapping[str, object] | None = None) -> Review:
        """Start a run, and give the review that it waits for."""
        run = self.executor.run(self.executor.start(values or {}, run_id))
        return self.waiting(run)

    def waiting(self, run: Run) -> Review:
        """Give the review that a run waits for, with what is recorded of it by now."""
        assert run.pending is not None
        return self.reviews.get(run.pending.id)

    def kinds(self, run_id: str = "r-1") -> list[str]:
        """List what happened to a run."""
        return [row.kind for row in self.store.rows(run_id)]
