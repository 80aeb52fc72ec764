"""Conditions that are Python functions: nobody can see into them."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from ..expressions import Explanation, Facts, Test
from ..values.errors import ExpressionError, StepgraphError
from ..values.json_values import Json, escaped
from .base import Condition, Resolve

_SYNC = "make it a plain function, and do what must be awaited in a node"


class Predicate(Condition):
    """A Python function that is asked at run time. Nothing is known of what it reads.

    Args:
        function: It gets the routing context, and its answer counts as Python's truth does.

    Raises:
        ExpressionError: The function is async.
    """

    __slots__ = ("function",)
    kind = "predicate"

    def __init__(self, function: Callable[..., object]) -> None:
        if _is_async(function):
            raise ExpressionError(
                f"the predicate {_name(function)!r} is async, and its answer would never be awaited",
                hint=_SYNC,
            )
        super().__init__()
        self.function = function
        self._test = _asking(function)

    def describe(self) -> str:
        """Return the function's name."""
        return _name(self.function)

    def explain(self, context: Facts) -> Explanation:
        """Return one opaque part; the function is not called again, for it may answer otherwise now."""
        return _opaque(self.describe())

    def to_json(self) -> Json:
        """Return the word ``python``: a definition holds no code."""
        return "python"

    def _identity(self) -> object:
        return id(self.function)


class HandlerPredicate(Condition):
    """A predicate that a graph file names; its function is looked up when the graph is about to run.

    Args:
        ref: Where the function is, as ``module:function``.
    """

    __slots__ = ("ref",)
    kind = "predicate"

    def __init__(self, ref: str) -> None:
        super().__init__()
        self.ref = ref

    @property
    def test(self) -> Test:
        """A failure: the function has not been looked up."""
        return _unbound

    def bind(self, resolve: Resolve) -> Test:
        """Compile the test of the function that ``resolve`` finds.

        Raises:
            ExpressionError: The function is async.
        """
        return Predicate(resolve(self.ref)).test

    def describe(self) -> str:
        """Describe where the function is."""
        return escaped(self.ref)

    def explain(self, context: Facts) -> Explanation:
        """Return one opaque part; the function is not called again, for it may answer otherwise now."""
        return _opaque(self.describe())

    def to_json(self) -> Json:
        """Write the spelling under ``predicate``."""
        return {"predicate": self.ref}


class Opaque(Condition):
    """A predicate of a stored definition: that there is one is all that is known."""

    __slots__ = ()
    kind = "predicate"

    @property
    def test(self) -> Test:
        """A failure: the function is not known."""
        return _unknown

    def describe(self) -> str:
        """Return ``python``."""
        return "python"

    def explain(self, context: Facts) -> Explanation:
        """Return one opaque part."""
        return _opaque("python")

    def to_json(self) -> Json:
        """Return the word ``python``."""
        return "python"


def _asking(function: Callable[..., object]) -> Test:
    def ask(context: Facts) -> bool:
        answer = function(context)
        if answer is True or answer is False:
            return answer
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise StepgraphError(
                f"the predicate {_name(function)!r} returned something to await, not an answer",
                hint=_SYNC,
            )
        return bool(answer)

    return ask


def _unbound(context: Facts) -> bool:
    raise StepgraphError(
        "this condition's Python function has not been looked up",
        hint="run the graph with an Executor, which asks for trust first",
    )


def _unknown(context: Facts) -> bool:
    raise StepgraphError(
        "this condition is Python code that a stored definition does not hold",
        hint="run it with an Executor of the program that built the graph",
    )


def _opaque(name: str) -> Explanation:
    return Explanation(f"{name}: Python code, not called again to explain it", role="python")


def _is_async(function: object) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004  # an object may have an async __call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _name(function: object) -> str:
    inner = getattr(function, "func", function)  # what a functools.partial calls
    name = getattr(inner, "__name__", None)
    return escaped(name) if isinstance(name, str) else type(function).__name__
