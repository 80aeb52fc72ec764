"""Functions that make a graph, as the servers of LangGraph call them: with a config, awaited, or entered."""

from __future__ import annotations

import atexit
import inspect
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...files.graph_refs import CONFIG

if TYPE_CHECKING:
    import asyncio

_Made = TypeVar("_Made")
_LONGEST = 10.0
"""Seconds that what a factory holds open may take to close."""
_open: dict[str, _Open] = {}
"""The graphs whose surroundings are open, by the names of their factories."""


@dataclass
class _Open:
    make: Callable[..., object]
    graph: object
    leave: Callable[[], object]
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def works_here(self) -> bool:
        """Whether this thread awaits nodes in the loop that holds it open: no other answers them."""
        if self.loop is None:
            return True
        from .event_loop import loop_here

        return self.loop is loop_here()

    def close(self) -> None:
        """Close what was held open for the graph."""
        atexit.unregister(self.close)
        with suppress(Exception):  # of what fails to close, nothing is needed any more
            self.leave()


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
    """Call a function that makes a graph: with a config if it wants one, awaited where it is async.

    A context manager is entered once. It stays open until its module has been edited, its graph is called for
    by threads with another event loop, or the process ends.

    Raises:
        BaseException: Whatever the function raises.
    """
    name = _place(make)
    known = _open.get(name)
    if known is not None and known.make is make and known.works_here:
        return known.graph
    if known is not None:
        _open.pop(name, None)
        known.close()
    made = make({"configurable": {}}) if _needed(make) == [CONFIG] else make()
    if isinstance(made, AbstractContextManager):
        opened = _Open(make, made.__enter__(), partial(made.__exit__, None, None, None))
    elif isinstance(made, AbstractAsyncContextManager):
        opened = _entered(made, make)
    else:
        return _waited_for(made) if inspect.isawaitable(made) else made
    _open[name] = opened  # without a lock: one that hangs is abandoned, and has to be called again
    atexit.register(opened.close)  # now: what is registered last is called first, before loops are closed
    return opened.graph


def held(found: object) -> object:
    """Return the graph of a function that holds something open for it, entered anew in another loop.

    None for anything else that a module has.
    """
    is_held = any(known.make is found for known in [*_open.values()])
    return call_factory(found) if is_held and callable(found) else None


def _place(make: Callable[..., object]) -> str:
    """Name a function by its file: its module has another name after each edit."""
    file = getattr(sys.modules.get(make.__module__), "__file__", None)
    return f"{file}:{getattr(make, '__qualname__', make)}"


def _waited_for(made: Awaitable[_Made]) -> _Made:
    from .event_loop import awaited  # and with it asyncio

    results: list[_Made] = []

    async def wait() -> None:
        results.append(await made)

    awaited(wait)
    return results[0]


def _entered(manager: AbstractAsyncContextManager[object], make: Callable[..., object]) -> _Open:
    """Enter a manager in the loop that will await the graph's nodes."""
    import asyncio

    async def enter() -> _Open:
        loop, closed = asyncio.get_running_loop(), asyncio.Event()
        opened: asyncio.Future[object] = loop.create_future()
        holding = loop.create_task(_hold(manager, opened, closed))  # what enters has to leave, says anyio
        await asyncio.wait((opened, holding), return_when=asyncio.FIRST_COMPLETED)
        if holding.done():
            holding.result()  # which raises what kept it from opening
        return _Open(make, opened.result(), partial(_leave, loop, closed, holding), loop)

    return _waited_for(enter())


async def _hold(
    manager: AbstractAsyncContextManager[object], opened: asyncio.Future[object], closed: asyncio.Event
) -> None:
    async with manager as graph:
        opened.set_result(graph)
        await closed.wait()


def _leave(loop: asyncio.AbstractEventLoop, closed: asyncio.Event, holding: asyncio.Task[None]) -> None:
    """Leave what is held open, in its own loop."""
    import asyncio

    async def leave() -> None:
        closed.set()
        await asyncio.wait_for(holding, _LONGEST)

    if loop.is_running():
        asyncio.run_coroutine_threadsafe(leave(), loop).result(_LONGEST)
    elif not loop.is_closed():
        loop.run_until_complete(leave())
