"""Runs that wait for a person, and decisions about them."""

from __future__ import annotations

from itertools import count

from stepgraph import END, ApprovalNode, CompiledGraph, Decision, Executor, Reviews, StateGraph
from stepgraph.stores.base import StateStore
from stepgraph.testing import FakeClock


def asking_graph() -> CompiledGraph:
    graph = StateGraph("asking", start="ask")
    graph.add_key("amount", default=12)
    graph.add_node("ask", ApprovalNode(prompt="Pay {{ amount }}?", editable={"amount": "number"}))
    graph.add_edge("ask", END)
    return graph.compile()


def waiting(store: StateStore, number: int, run: str = "r", review: str = "a") -> list[str]:
    """Make so many runs, ``r-1``, ``r-2``, and give the ids of their reviews, ``a-1``, ``a-2``."""
    numbers = count(1)
    executor = Executor(asking_graph(), store, clock=FakeClock(), ids=lambda _: f"{review}-{next(numbers)}")
    for made in range(1, number + 1):
        executor.run(executor.start({}, run_id=f"{run}-{made}"))
    return [f"{review}-{made}" for made in range(1, number + 1)]


def decide(store: StateStore, review: str, by: str = "ana", at: float = 1_800_000_000.0) -> None:
    Reviews(store, FakeClock(at).time).decide(review, Decision.approve(by=by))
