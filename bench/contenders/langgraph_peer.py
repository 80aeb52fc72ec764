"""LangGraph with its SQLite checkpointer, which is told to save each step before the next begins."""

from __future__ import annotations

import operator
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from . import ITEM, NUMBER_STATE, database_size

COLD = """
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
class Values(TypedDict):
    n: int
graph = StateGraph(Values)
graph.add_node("a", lambda state: {"n": state["n"] + 1})
graph.add_node("b", lambda state: {"n": state["n"] + 1})
graph.add_edge(START, "a")
graph.add_edge("a", "b")
graph.add_edge("b", END)
assert graph.compile().invoke({"n": 0})["n"] == 2
"""


class Values(TypedDict):
    """The state."""

    n: int
    text: str
    items: Annotated[list[str], operator.add]


def _count(state: Values) -> dict[str, Any]:
    return {"n": state["n"] + 1}


def _append(state: Values) -> dict[str, Any]:
    return {"n": state["n"] + 1, "items": [ITEM]}


def _cycle(steps: int, node: Callable[[Values], dict[str, Any]] = _count) -> Any:
    def route(target: str) -> Callable[[Values], str]:
        return lambda state: END if state["n"] >= steps else target

    graph: Any = StateGraph(Values)
    for name, target in (("a", "b"), ("b", "a")):
        graph.add_node(name, node)
        graph.add_conditional_edges(name, route(target), [target, END])
    graph.add_edge(START, "a")
    return graph


def memory_step(steps: int) -> float:
    """A cycle of two nodes."""
    app = _cycle(steps).compile()
    began = time.perf_counter()
    app.invoke({"n": 0}, {"recursion_limit": steps + 10})
    return (time.perf_counter() - began) / steps


def _saved(path: Path, graph: Any, values: dict[str, Any], steps: int) -> float:
    connection = sqlite3.connect(path, check_same_thread=False)
    app = graph.compile(checkpointer=SqliteSaver(connection))
    config = {"recursion_limit": steps + 10, "configurable": {"thread_id": "r"}}
    began = time.perf_counter()
    app.invoke(values, config, durability="sync")
    took = (time.perf_counter() - began) / steps
    connection.close()
    return took


def durable_step(folder: Path, steps: int) -> float:
    """The same with a checkpoint a step."""
    return _saved(folder / "langgraph.db", _cycle(steps), {"n": 0}, steps)


def number_size(folder: Path, steps: int) -> int:
    """One number of a large state changes."""
    _saved(folder / "langgraph.db", _cycle(steps), {"n": 0, "text": "x" * NUMBER_STATE}, steps)
    return database_size(folder)


def growing_size(folder: Path, steps: int) -> int:
    """A list grows."""
    _saved(folder / "langgraph.db", _cycle(steps, _append), {"n": 0}, steps)
    return database_size(folder)
