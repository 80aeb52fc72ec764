"""Functions that make a graph, as the servers of LangGraph call them: with a config, or awaited."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

CONFIG = "config"
"""What the one argument is called that such a function may want."""


def needed_by(function: Callable[..., object]) -> list[str]:
    """Name the arguments that a function cannot do without."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C, and without a signature
        return []
    starred = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.default is each.empty and each.kind not in starred]


def call_factory(make: Callable[..., Any], *, wants_config: bool) -> object:
    """Call a function that makes a graph, and wait for it where it is async.

    Raises:
        BaseException: Whatever the function raises.
    """
    made = make({"configurable": {}}) if wants_config else make()
    if not inspect.isawaitable(made):
        return made
    from .event_loop import awaited  # and with it asyncio

    graphs: list[object] = []

    async def wait() -> None:
        graphs.append(await made)

    awaited(wait)
    return graphs[0]
