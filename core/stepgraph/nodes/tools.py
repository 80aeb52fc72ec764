"""Tools: what a node can call by name, with arguments, and get a table back from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..values.compare import type_name
from ..values.errors import StepgraphError
from ..values.json_values import Json, copy_json, plain, with_article
from ..values.problems import did_you_mean


@runtime_checkable
class Tool(Protocol):
    """Anything with ``execute``: one table of arguments in, one table out."""

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Do the tool's work."""
        ...


ToolLike = Tool | Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool as a graph declares it: an object, a function by name, or canned answers."""

    name: str
    tool: ToolLike | None = None
    """The tool itself, when the graph is built in Python."""
    handler: str | None = None
    """Where its function is, as ``module:function``."""
    returns: Json | None = None
    """Canned answers: a table, or a list with one for each visit of the node, the last repeated."""
    side_effects: bool = False
    """Whether it changes the world outside the state."""
    requires_approval: bool = False
    """Whether a person must agree to each call."""
    note: str = ""


class FunctionTool:
    """A Python function as a tool: its arguments are checked against its type hints.

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

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Call the function with ``params`` as keyword arguments.

        Raises:
            StepgraphError: Arguments are missing, unknown or of the wrong type; all of them by name.
        """
        if self._check is None:
            from .arguments import argument_check  # pydantic loads with the first call of a function

            self._check = argument_check(self._name, self.function)
        args, kwargs = self._check(**params)
        return self.function(*args, **kwargs)  # type: ignore[no-any-return]  # the registry checks it


class CannedTool:
    """A tool that gives prepared answers, so that a graph runs offline.

    Args:
        name: The tool's name, for the messages.
        returns: A table, or a list with one for each visit, the last repeated.
    """

    def __init__(self, name: str, returns: Json | None) -> None:
        self._name = name
        self._answers = returns if isinstance(returns, list) else [returns]

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Give the first answer, whatever the arguments are."""
        return self.answer(1)

    def answer(self, visit: int) -> dict[str, Json]:
        """Give the answer for a visit, counted from 1.

        Raises:
            StepgraphError: There is none, or it is no table.
        """
        answer = self._answers[min(visit, len(self._answers)) - 1] if self._answers else None
        if isinstance(answer, dict):
            return {key: copy_json(value) for key, value in answer.items()}
        if answer is None:
            raise StepgraphError(
                f"tool {self._name!r} has neither a handler nor canned answers",
                hint="give it a handler or `returns`, or register it with the executor",
            )
        raise StepgraphError(
            f"the canned answer of tool {self._name!r} is {with_article(type_name(answer))}, not a table",
            hint="write `returns` as a table, or as a list of tables",
        )


class ToolRegistry:
    """The tools that nodes can call, by name. Tools may come and go while graphs run.

    Args:
        parent: Where to look for tools that are not registered here.
    """

    def __init__(self, parent: ToolRegistry | None = None) -> None:
        self._parent = parent
        self._tools: dict[str, Tool] = {}
        self._side_effects: set[str] = set()
        self._approved_only: set[str] = set()

    def register(
        self,
        name: str,
        tool: ToolLike,
        *,
        side_effects: bool = False,
        requires_approval: bool = False,
        replace: bool = False,
    ) -> None:
        """Add a tool.

        Args:
            name: Its name.
            tool: An object with ``execute``, or a plain function with named parameters.
            side_effects: Whether it changes the world outside the state.
            requires_approval: Whether a person must agree to each call.
            replace: Whether it may take the place of another tool of that name.

        Raises:
            StepgraphError: The name is blank or taken, or the tool is neither of the two.
        """
        if not name or not name.strip():
            raise StepgraphError(f"a tool cannot be named {name!r}", hint="give it a name")
        if name in self._tools and not replace:
            raise StepgraphError(f"there is a tool {name!r} already", hint="rename one, or pass replace=True")
        self._tools[name] = _as_tool(name, tool)
        (self._side_effects.add if side_effects else self._side_effects.discard)(name)
        (self._approved_only.add if requires_approval else self._approved_only.discard)(name)

    def remove(self, name: str) -> None:
        """Take a tool out again.

        Raises:
            StepgraphError: There is no such tool here.
        """
        if name not in self._tools:
            raise self._unknown(name)
        del self._tools[name]
        self._side_effects.discard(name)
        self._approved_only.discard(name)

    def require_approval(self, name: str) -> None:
        """Let a person agree to each call of a tool, be it registered here, in the parent, or later."""
        self._approved_only.add(name)

    @property
    def asks(self) -> bool:
        """Whether any tool requires approval."""
        return bool(self._approved_only) or (self._parent is not None and self._parent.asks)

    def requires_approval(self, name: str) -> bool:
        """Tell whether a person must agree to each call of that tool."""
        if name in self._approved_only:
            return True
        return self._parent is not None and self._parent.requires_approval(name)

    def get(self, name: str) -> Tool:
        """Find the tool of that name.

        Raises:
            StepgraphError: There is none; the hint has the nearest name.
        """
        if name in self._tools:
            return self._tools[name]
        if self._parent is not None and name in self._parent:
            return self._parent.get(name)
        raise self._unknown(name)

    def function_of(self, name: str) -> Callable[..., Any] | None:
        """Give what of a tool a person wrote in Python, as it will be called; None where that is nothing."""
        tool = self.get(name) if name in self else None
        if tool is None or isinstance(tool, CannedTool):
            return None
        return tool.function if isinstance(tool, FunctionTool) else tool.execute

    def has_side_effects(self, name: str) -> bool:
        """Tell whether the tool of that name was said to change the world outside the state.

        Raises:
            StepgraphError: There is no such tool.
        """
        if name in self._tools or self._parent is None:
            self.get(name)
            return name in self._side_effects
        return self._parent.has_side_effects(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, in the order of registration, the parent's first."""
        inherited = self._parent.names if self._parent is not None else ()
        return tuple(dict.fromkeys((*inherited, *self._tools)))

    def __contains__(self, name: object) -> bool:
        return name in self._tools or (self._parent is not None and name in self._parent)

    def call(
        self, name: str, arguments: Mapping[str, Json], *, visit: int = 1, approved: bool = False
    ) -> dict[str, Json]:
        """Call a tool and check what it returns.

        Args:
            name: The tool.
            arguments: Its arguments; the tool gets a copy.
            visit: How often the calling node was visited; canned answers go by it.
            approved: Whether a person has agreed to this call, where the tool requires that.

        Raises:
            StepgraphError: There is no such tool, nobody was asked for it, it refuses the arguments, or it
                returns no table of JSON. What the tool itself raises comes through as it is.
        """
        tool = self.get(name)
        if not approved and self.requires_approval(name):
            raise StepgraphError(
                f"tool {name!r} requires approval, and nobody was asked about this call",
                hint="call it from a tool node, before which a person is asked",
            )
        if isinstance(tool, CannedTool):
            return tool.answer(visit)
        result: Any = tool.execute({key: copy_json(value) for key, value in arguments.items()})
        if isinstance(result, dict):
            return plain(result, f"the result of tool {name!r}")  # type: ignore[return-value]  # a dict
        if inspect.iscoroutine(result):
            result.close()  # or Python warns that nobody awaited it
        what = "nothing" if result is None else with_article(type(result).__name__)
        raise StepgraphError(
            f"tool {name!r} returned {what}, not a table", hint="return a dict, such as {'found': True}"
        )

    def _unknown(self, name: str) -> StepgraphError:
        hint = did_you_mean(name, self.names, listing="registered") or "no tool is registered"
        return StepgraphError(f"there is no tool {name!r}", hint=hint)


def _as_tool(name: str, given: object) -> Tool:
    if isinstance(given, Tool):
        return given
    if callable(given):
        return FunctionTool(name, given)
    raise StepgraphError(
        f"tool {name!r} is {with_article(type(given).__name__)}: neither callable nor with an execute method",
        hint="register a function, or an object with execute(params)",
    )
