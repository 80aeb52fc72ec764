"""The node type ``handler``: a Python function, named as ``module:function``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..values.declared import Declared, field
from ..values.errors import GraphError, NodeFailed
from ..values.problems import Place, Problem
from .base import BaseNode, NodeResult, Services
from .facts import NodeFacts
from .holding import holding

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
        description="The state key that takes the returned value as it is.",
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
