"""Functions that make a graph, as the servers of LangGraph call them: with a config, or awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...files.graph_refs import CONFIG


def lacking(function: Callable[..., object]) -> list[str]:
    """Name the arguments that keep a function from making a graph: those that nobody gives it."""
    needed = _needed(function)
    return [] if needed == [CONFIG] else needed


def _needed(function: Callable[..., object]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, and without a signature
        return []
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.default is each.empty and each.kind not in starred]


def call_factory(make: Callable[..., Any]) -> object:
    """Call a function that makes a graph, with a config if it wants one, and wait for it where it is async.

    Raises:
        BaseException: Whatever the function raises.
    """
    made = make({"configurable": {}}) if _needed(make) == [CONFIG] else make()
    if not inspect.isawaitable(made):
        return made
    from .event_loop import awaited  # and with it asyncio

    graphs: list[object] = []

    async def wait() -> None:
        graphs.append(await made)

    awaited(wait)
    return graphs[0]
