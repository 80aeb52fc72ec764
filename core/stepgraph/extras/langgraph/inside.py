"""What is inside a node of LangGraph's: its function, and the tools and graphs that it calls."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from langchain_core.runnables.config import run_in_executor
from langgraph.graph.state import CompiledStateGraph


def function_of(runnable: Any) -> Callable[..., Any] | None:
    """Return the user's function behind a node or a router; None if it is not a function."""
    for name in ("func", "afunc"):
        function = getattr(runnable, name, None)
        if inspect.isfunction(function) or inspect.ismethod(function):
            return function
    return None


def tree_of(function: Callable[..., Any]) -> ast.stmt | None:
    """Parse the source of a function; None for a lambda within a call, or where nobody has its source."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return None


def works_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Iterator[Any]:
    """Find all nodes and routers of a graph, as LangGraph has them."""
    builder = graph.builder
    yield from (node.runnable for node in builder.nodes.values())
    for branches in builder.branches.values():
        yield from (branch.path for branch in branches.values())


def graphs_in(work: Any) -> Iterator[CompiledStateGraph[Any, Any, Any, Any]]:
    """Find the graphs that a node, a router or a tool is or calls, and those inside of them."""
    yield from (part for part in _reached(work) if isinstance(part, CompiledStateGraph))


def must_await(work: Any) -> bool:
    """Check whether a node or a router has nothing but an async function, or calls what has no other.

    A tool of an MCP server is one: an agent that has it works both ways, until it calls it.
    """
    return any(_only_awaited(part) for part in _reached(work))


def can_await(work: Any) -> bool:
    """Check whether a node or a router has an async function, or is a graph."""
    return isinstance(work, CompiledStateGraph) or _functions_of(work)[1] is not None


def _only_awaited(work: Any) -> bool:
    plain, awaited = _functions_of(work)
    return plain is None and awaited is not None


def _functions_of(work: Any) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    """Find the plain and the async function of a node, a router or a tool."""
    named = (getattr(work, name, None) for name in ("afunc", "coroutine"))
    awaited = next((each for each in named if inspect.iscoroutinefunction(each)), None)
    if isinstance(awaited, partial) and awaited.func is run_in_executor:  # LangGraph's own, of a plain one
        awaited = None
    plain = getattr(work, "func", None)
    return (plain if callable(plain) else None), awaited


def _reached(work: Any) -> Iterator[Any]:
    """Go through a node, a router or a tool, and all that it calls as it is called."""
    seen: list[Any] = []
    ahead = [work]
    while ahead:
        part = ahead.pop()
        if any(part is each for each in seen):
            continue
        seen.append(part)
        yield part
        ahead += _parts(part)


def _parts(work: Any) -> Iterator[Any]:
    if isinstance(work, CompiledStateGraph):
        yield from works_of(work)
        return
    tools = getattr(work, "tools_by_name", None)  # of a ToolNode
    if isinstance(tools, Mapping):
        yield from tools.values()
    steps = getattr(work, "steps", None)  # of a sequence
    if isinstance(steps, list):
        yield from steps
    plain, awaited = _functions_of(work)
    if plain is None or awaited is not None:  # a plain function knows by itself how to call what it calls
        yield from (each for each in _variables(plain or awaited) if isinstance(each, CompiledStateGraph))


def _variables(function: Any) -> Iterator[Any]:
    """Find what a function has from the function around it, also within tables and lists."""
    for cell in getattr(inspect.unwrap(function), "__closure__", None) or () if function else ():
        try:
            value = cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue
        if isinstance(value, Mapping):
            yield from value.values()
        elif isinstance(value, list | tuple):
            yield from value
        else:
            yield value
