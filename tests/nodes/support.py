"""Nodes of each type, bound and ready to run without an executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from stepgraph import BaseNode, LLMClient, ToolRegistry
from stepgraph.nodes.base import Services
from stepgraph.values.problems import Problem
from stepgraph.values.state import State

N = TypeVar("N", bound=BaseNode)


def bound(
    node: N,
    tools: ToolRegistry | None = None,
    models: Mapping[str, LLMClient] | None = None,
    *,
    live: bool = False,
    resolve: Callable[[str], Callable[..., Any]] | None = None,
) -> N:
    """The node as an executor would have it."""
    return node.bind(Services(tools or ToolRegistry(), models or {}, live, resolve))


def visited(values: Mapping[str, Any], visit: int = 1, **more: Any) -> State:
    """A state as a node sees it."""
    return State(dict(values), "r-1", visit, visit, **more)


def only(problems: list[Problem]) -> Problem:
    """The one problem of a list that must have no more."""
    assert len(problems) == 1, problems
    return problems[0]
