"""Stepgraph."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stepgraph import END, CompiledGraph, Executor, SqliteStore, StateGraph

from . import ITEM, NUMBER_STATE, database_size

Node = Callable[[Mapping[str, Any]], dict[str, Any]]

COLD = """
from stepgraph import END, Executor, StateGraph
graph = StateGraph("cold", start="a")
graph.add_node("a", lambda state: {"n": state["n"] + 1})
graph.add_node("b", lambda state: {"n": state["n"] + 1})
graph.add_edge("a", "b")
graph.add_edge("b", END)
executor = Executor(graph.compile())
assert executor.run(executor.start({"n": 0})).values["n"] == 2
"""


def count(state: Mapping[str, Any]) -> dict[str, Any]:
    """A node that changes one number."""
    return {"n": state["n"] + 1}


def append(state: Mapping[str, Any]) -> dict[str, Any]:
    """A node that appends one item."""
    return {"items": [ITEM]}


def ring(size: int, steps: int, node: Node = count, append_key: str | None = None) -> CompiledGraph:
    """Nodes in a ring with two edges each, the first of which never matches; the run ends at its cap."""
    graph = StateGraph("ring", start="n0", max_steps=steps)
    for index in range(size):
        graph.add_node(f"n{index}", node)
        graph.add_edge(f"n{index}", END, when="n < 0")
        graph.add_edge(f"n{index}", f"n{(index + 1) % size}")
    if append_key is not None:
        graph.add_key(append_key, reducer="append", default=[])
    return graph.compile()


def memory_ring_step(size: int, steps: int) -> float:
    """Seconds a step in a ring of that size."""
    executor = Executor(ring(size, steps))
    run = executor.start({"n": 0})
    began = time.perf_counter()
    executor.run(run)
    return (time.perf_counter() - began) / steps


def memory_step(steps: int) -> float:
    """A cycle of two nodes."""
    return memory_ring_step(2, steps)


def durable_step(folder: Path, steps: int) -> float:
    """The same on a SQLite store."""
    with SqliteStore(folder / "engine.db") as store:
        executor = Executor(ring(2, steps), store)
        run = executor.start({"n": 0})
        began = time.perf_counter()
        executor.run(run)
        return (time.perf_counter() - began) / steps


@contextmanager
def durable_stepper(folder: Path, steps: int) -> Iterator[Callable[[], object]]:
    """A function that does one durable step each time it is called, at most so many."""
    with SqliteStore(folder / "engine.db") as store:
        executor = Executor(ring(2, steps), store)
        run = executor.start({"n": 0})
        yield lambda: executor.step(run)


def fill(path: Path, app: CompiledGraph, values: dict[str, Any], run_id: str) -> None:
    """A stored run that has come to its end; quickly, as no power cut matters here."""
    with SqliteStore(path, durability="normal") as store:
        executor = Executor(app, store)
        executor.run(executor.start(values, run_id=run_id))


def number_size(folder: Path, steps: int) -> int:
    """One number of a large state changes."""
    fill(folder / "engine.db", ring(2, steps), {"n": 0, "text": "x" * NUMBER_STATE}, "r")
    return database_size(folder)


def growing_size(folder: Path, steps: int) -> int:
    """A list grows."""
    fill(folder / "engine.db", ring(2, steps, append, "items"), {"n": 0}, "r")
    return database_size(folder)
