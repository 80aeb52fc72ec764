"""The node type ``handler``: a Python function, named as ``module:function``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from ..conditions import Condition
from ..conditions.base import bare
from ..values.declared import Declared, field
from ..values.errors import GraphError, NodeFailed
from ..values.problems import Place, Problem
from .base import BaseNode, NodeFacts, NodeResult, Services, holding
from .scoped import inmost

if TYPE_CHECKING:
    from ..values.state import State


class HandlerSettings(Declared):
    """The settings of a ``handler`` node."""

    handler: str = field(
        min_length=1,
        description="The function, as module:function.",
        examples=["my_module:my_function"],
    )
    output: str | None = field(
        None,
        min_length=1,
        description="The state key for the returned value.",
        json_schema_extra=holding("key"),
    )


class HandlerNode(BaseNode):
    """Calls a Python function with the state.

    The function returns a dict of the changed keys or a NodeResult; with ``output`` it may return any JSON
    value, which goes under that key as it is. It is looked up when an executor takes the graph, so that a
    missing one is known before the first step.
    """

    type: ClassVar[str] = "handler"
    Settings = HandlerSettings
    settings: HandlerSettings

    _function: Callable[[State], Any] | None = None

    def bind(self, services: Services) -> Self:
        """Copy this node, and look up its function.

        Raises:
            GraphError: The function cannot be used as a node.
            StepgraphError: It cannot be found.
        """
        bound = super().bind(services)
        ref = self.settings.handler
        if services.resolve is None:
            raise GraphError(f"node {self.name!r} needs {ref!r}, and nothing may be imported here")
        function = services.resolve(ref)
        if inspect.iscoroutinefunction(function):
            message = f"node {self.name!r}: the handler {ref!r} is an async function"
            place = Place(node=self.name, key="handler")
            problem = Problem(
                "G037", "error", message, place, "call its code with asyncio.run inside a plain one"
            )
            raise GraphError(message, [problem])
        bound._function = function
        return bound

    @property
    def function(self) -> Callable[[State], Any] | None:
        """The function; None before the node is bound."""
        return self._function

    def execute(self, state: State) -> NodeResult | dict[str, Any]:
        """Call the function."""
        if self._function is None:
            raise NodeFailed(
                f"the handler {self.settings.handler!r} is not loaded",
                hint="run the node through an Executor",
            )
        result: Any = self._function(state)
        output = self.settings.output
        if output is None or isinstance(result, NodeResult) or inspect.iscoroutine(result):
            return result  # type: ignore[no-any-return]  # the executor says so if it is neither
        if result is None:
            message = f"the handler {self.settings.handler!r} returned None, and {output!r} needs a value"
            raise NodeFailed(message, hint="return the value")
        return NodeResult({output: result}, result if isinstance(result, str) else None)

    def facts(self) -> NodeFacts:
        """Declare its function, and its output; without one it may write any key."""
        output = self.settings.output
        return NodeFacts(
            writes=None if output is None else frozenset({output}), handlers=(self.settings.handler,)
        )


_OURS = __name__.partition(".")[0]
_Written: TypeAlias = FunctionType | type[Any]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A piece of a Python file, as it was when it was imported."""

    file: Path
    first: int
    """The number of its first line, from 1."""
    lines: tuple[str, ...]
    """The lines as they are in the file, indents included, without their ends."""


def source_lines(part: object) -> SourceLines | None:
    """Find the lines in which a person wrote what a node, a condition or a tool runs.

    Behind what wraps it (partials, bound methods, ``functools.wraps``) is the function that was written; of
    an object it is the class.

    Args:
        part: A node's or tool's function, class or object, or the condition of an edge.

    Returns:
        The lines; None for what no file has: built-in functions, what was typed in a shell, conditions that
        are no Python, nodes of the types that Stepgraph brings.
    """
    written = _unwrap(part)
    if written is None or (getattr(written, "__module__", None) or "").partition(".")[0] == _OURS:
        return None
    shown = written.__code__ if isinstance(written, FunctionType) else written
    try:
        file = inspect.getsourcefile(shown)
        lines, first = inspect.getsourcelines(shown)
    except (OSError, TypeError, SyntaxError, IndexError):  # the last two: the file is another one by now
        return None
    if file is None:
        return None
    return SourceLines(Path(file), max(1, first), tuple(line.rstrip("\r\n") for line in lines))


def _unwrap(part: object) -> _Written | None:
    """Follow what wraps a function to the function or class that a person wrote."""
    found = part
    for _ in range(100):  # a wrapper can be made to wrap itself
        inner = _inside(found)
        if inner is found:
            break
        found = inner
    if isinstance(found, FunctionType | type):
        return found
    return None if inspect.isbuiltin(found) or found is None else type(found)


def _inside(found: object) -> object:
    """Unwrap once; what has no wrapper is returned as it is."""
    match found:
        case Condition():
            return getattr(bare(found), "function", None)
        case partial():
            return found.func
        case MethodType():
            return found.__func__
        case BaseNode():
            inner = inmost(found)
            return getattr(inner, "function", None) or type(inner)
        case _ if inspect.isclass(found):
            return found
        case _:
            try:
                return getattr(found, "__wrapped__", found)
            except Exception:  # an object of theirs may answer for its attributes, and not well
                return found
