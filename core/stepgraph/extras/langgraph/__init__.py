"""LangGraph graphs: opened, stepped and explained here, with their own nodes called as LangGraph calls them.

Nothing of LangGraph is imported by this package and the node type itself. What carries a graph imports it,
once a person has trusted the graph's module and its nodes are needed.
"""

from __future__ import annotations

CODE = "G060"
"""The code of all that keeps a LangGraph graph from being carried."""
BESIDE = "langgraph"
"""The key of the state with what LangGraph's has that ours cannot say: which keys are None, what was sent."""


def is_langgraph(found: object) -> bool:
    """Check whether an object is a graph of LangGraph, without importing LangGraph."""
    return any(
        cls.__module__.partition(".")[0] == "langgraph" and cls.__name__ in ("Pregel", "StateGraph")
        for cls in type(found).__mro__
    )
