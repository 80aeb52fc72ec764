"""Graphs for the thread that steps: lines, rings, and a node that waits until it is let go."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from stepgraph import (
    END,
    State,
    StateGraph,
)
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.stores.ledger import RunStatus
from tests.app.hearing import PATIENCE

READY, PAUSED, FAILED, ENDED = RunStatus.READY, RunStatus.PAUSED, RunStatus.FAILED, RunStatus.ENDED


def nothing(state: State) -> dict[str, Any]:
    return {}


def line(*nodes: tuple[str, Callable[[State], Any]]) -> CompiledGraph:
    """A graph of nodes one after the other."""
    graph = StateGraph("line", start=nodes[0][0])
    for name, code in nodes:
        graph.add_node(name, code)
    for (name, _), (after, _) in zip(nodes, [*nodes[1:], (END, nothing)], strict=True):
        graph.add_edge(name, after)
    return graph.compile()


def ring(*nodes: str, rounds: int = 1000) -> CompiledGraph:
    """A graph that goes round."""
    graph = StateGraph("ring", start=nodes[0], max_steps=len(nodes) * rounds)
    for name in nodes:
        graph.add_node(name, nothing)
    for name, after in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        graph.add_edge(name, after)
    return graph.compile()


class Gate:
    """A node that waits until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def __call__(self, state: State) -> dict[str, Any]:
        self.reached.set()
        assert self.open.wait(PATIENCE)
        return {}

    def wait(self) -> None:
        assert self.reached.wait(PATIENCE)
