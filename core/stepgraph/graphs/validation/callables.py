"""What can be told of a Python object without calling it."""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType


def is_runnable(thing: object) -> bool:
    """True for a function, and for an object with ``execute``, which then is what runs."""
    execute = getattr(thing, "execute", thing)
    return callable(execute)


def is_class_of(thing: object) -> bool:
    """True for a class with ``execute`` where an object of it was meant."""
    return isinstance(thing, type) and callable(getattr(thing, "execute", None))


def is_async(thing: object) -> bool:
    """True for what gives something to await: a coroutine function, or an object with one to run."""
    run = getattr(thing, "execute", thing)
    if isinstance(run, (type, FunctionType, MethodType)):
        return _is_coroutine(run)
    return _is_coroutine(run) or _is_coroutine(getattr(run, "__call__", None))  # noqa: B004  # it may be async


def _is_coroutine(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
