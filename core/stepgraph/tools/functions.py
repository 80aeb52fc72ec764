"""Python functions as tools: their arguments checked, and described for models and forms."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from ..values.errors import StepgraphError
from ..values.json_values import Json
from .protocols import ToolContext

if TYPE_CHECKING:
    from ..models.client import ToolSpec

_SECTION = re.compile(r"(Args|Arguments|Returns|Raises|Yields|Examples?|Notes?):")
_ARGUMENT = re.compile(r" {1,8}(\w+)(?: *\([^()]*\))?: *(.*)")
KEY_PARAMETER = "idempotency_key"
"""A parameter of this name gets the call's idempotency key; models and forms do not see it."""


class FunctionTool:
    """A Python function as a tool: its arguments are checked against its type hints.

    A parameter ``idempotency_key`` gets the key of the call, unless the call has an argument of that name.

    Args:
        name: The tool's name, for the messages.
        function: A plain function with named parameters that returns a table.

    Raises:
        StepgraphError: It is a coroutine function.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        if inspect.iscoroutinefunction(function):
            raise StepgraphError(
                f"tool {name!r} is an async function", hint="wrap it in a function that calls asyncio.run"
            )
        self.function = function
        """What is called."""
        self._name = name
        self._check: Callable[..., tuple[tuple[Any, ...], dict[str, Any]]] | None = None
        self._takes_key = False

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Call the function with ``params`` as keyword arguments.

        Raises:
            StepgraphError: Arguments are missing, unknown or of the wrong type; all of them by name.
        """
        return self.call(params, ToolContext())

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call the function with ``params`` as keyword arguments, and the idempotency key where it takes it.

        Raises:
            StepgraphError: Arguments are missing, unknown or of the wrong type; all of them by name.
        """
        if self._check is None:
            from .arguments import argument_check  # pydantic loads with the first call of a function

            self._check = argument_check(self._name, self.function)
            self._takes_key = KEY_PARAMETER in inspect.signature(self.function).parameters
        if self._takes_key and context.idempotency_key:
            params = {KEY_PARAMETER: context.idempotency_key, **params}
        args, kwargs = self._check(**params)
        return self.function(*args, **kwargs)  # type: ignore[no-any-return]  # the registry checks it

    def takes(self, given: Collection[str]) -> tuple[str, ...] | None:
        """Name its arguments; None where it takes any.

        Raises:
            StepgraphError: Its type hints cannot be used.
        """
        names = tuple(inspect.signature(self.function).parameters)
        if set(given) <= set(names):
            return names
        found = self.spec().takes  # with pydantic: a hint may give a parameter another name
        return None if found is None else (*found, *(name for name in names if name == KEY_PARAMETER))

    def spec(self) -> ToolSpec:
        """Describe the function by its docstring and its type hints.

        Raises:
            StepgraphError: Its type hints cannot be used.
        """
        from ..models.client import ToolSpec
        from .arguments import argument_schema, routine_of

        about, arguments = documented(inspect.getdoc(routine_of(self.function)) or "")
        schema = argument_schema(self._name, self.function, hidden=KEY_PARAMETER)
        properties = schema.get("properties") if schema is not None else None
        for argument, note in arguments.items():
            found = properties.get(argument) if isinstance(properties, dict) else None
            if isinstance(found, dict):
                found.setdefault("description", note)
        return ToolSpec(self._name, about, schema)


def documented(docstring: str) -> tuple[str, dict[str, str]]:
    """Read a docstring of Google's style: what is above its sections, and what it says of each argument."""
    lines = docstring.splitlines()
    about = list(itertools.takewhile(lambda line: not _SECTION.fullmatch(line), lines))
    section = itertools.takewhile(lambda line: not line or line.startswith(" "), lines[len(about) + 1 :])
    arguments: dict[str, str] = {}
    last = ""
    for line in section if len(about) < len(lines) and lines[len(about)].startswith("Arg") else ():
        if found := _ARGUMENT.fullmatch(line):
            last = found[1]
            arguments[last] = found[2]
        elif last and line.strip():
            arguments[last] += " " + line.strip()
    return "\n".join(about).strip(), arguments
