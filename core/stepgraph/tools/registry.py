"""The tools that nodes can call, by name."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..values.errors import NodeFailed, StepgraphError
from ..values.json_values import Json, copy_json, plain, type_name, with_article, with_texts
from ..values.problems import did_you_mean
from .functions import FunctionTool
from .protocols import (
    BoundedTool,
    DescribedTool,
    Tool,
    ToolContext,
    ToolInContext,
    ToolLike,
    ToolSource,
    unknown_arguments,
)

if TYPE_CHECKING:
    from ..models.client import ToolSpec


class ScriptedTool:
    """A tool that gives prepared answers, so that a graph runs offline.

    Args:
        name: The tool's name, for the messages.
        returns: A table, or a list with one for each visit, the last repeated.
    """

    def __init__(self, name: str, returns: Json | None) -> None:
        self._name = name
        self._answers = returns if isinstance(returns, list) else [returns]

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Return the first answer, whatever the arguments are."""
        return self.answer(1)

    def answer(self, visit: int) -> dict[str, Json]:
        """Return the answer for a visit, counted from 1.

        Raises:
            StepgraphError: There is none, or it is not a table.
        """
        answer = self._answers[min(visit, len(self._answers)) - 1] if self._answers else None
        if isinstance(answer, dict):
            return {key: copy_json(value) for key, value in answer.items()}
        if answer is None:
            raise StepgraphError(
                f"tool {self._name!r} has neither a handler nor scripted answers",
                hint="give it a handler or `returns`, or register it with the executor",
            )
        raise StepgraphError(
            f"the scripted answer of tool {self._name!r} is {with_article(type_name(answer))}, not a table",
            hint="write `returns` as a table, or as a list of tables",
        )


class ToolRegistry:
    """The tools that nodes can call, by name. Tools may come and go while graphs run.

    Args:
        parent: Where to look for tools that are not registered here.
        named: The only tools of the parent's sources that are found here, by their full names; all when None.
    """

    def __init__(self, parent: ToolRegistry | None = None, *, named: frozenset[str] | None = None) -> None:
        self._parent = parent
        self._named = named
        self._tools: dict[str, Tool] = {}
        self._sources: dict[str, ToolSource] = {}
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
        """Remove a tool.

        Raises:
            StepgraphError: There is no such tool here.
        """
        if name not in self._tools:
            raise self._unknown(name)
        del self._tools[name]
        self._side_effects.discard(name)
        self._approved_only.discard(name)

    def add_source(self, name: str, source: ToolSource) -> None:
        """Add a source of tools, which are found as ``name/tool``.

        Raises:
            StepgraphError: The name is blank or taken, or has a slash in it.
        """
        if not name.strip() or "/" in name:
            raise StepgraphError(f"a source of tools cannot be named {name!r}", hint="use a word of letters")
        if name in self._sources:
            raise StepgraphError(f"there is a source {name!r} already", hint="rename one")
        self._sources[name] = source

    def close(self) -> None:
        """End the sources of this registry: connections, and programs that were started."""
        for source in self._sources.values():
            source.close()

    @property
    def sources(self) -> dict[str, ToolSource]:
        """The sources of tools by name, the parent's first."""
        return {**(self._parent.sources if self._parent is not None else {}), **self._sources}

    def _from_source(self, name: str) -> tuple[ToolSource, str] | None:
        """Find the source of a name such as ``files/read``, and what the tool is called there."""
        source, slash, tool = name.partition("/")
        return (self._sources[source], tool) if slash and tool and source in self._sources else None

    def _above(self, name: str) -> ToolRegistry | None:
        """Find the parent, unless a tool may not be looked for there."""
        parent = self._parent
        if parent is None or self._named is None or name in self._named or not parent.is_of_source(name):
            return parent
        return None

    def is_of_source(self, name: str) -> bool:
        """Check whether a name is that of a source's tool, and of none that is registered by itself."""
        if name in self._tools:
            return False
        if self._from_source(name) is not None:
            return True
        above = self._above(name)
        return above is not None and above.is_of_source(name)

    def require_approval(self, name: str) -> None:
        """Require approval of each call of a tool, be it registered here, in the parent, or later."""
        self._approved_only.add(name)

    @property
    def asks(self) -> bool:
        """Whether any tool requires approval, or may."""
        here = bool(self._approved_only) or bool(self._sources)
        return here or (self._parent is not None and self._parent.asks)

    def requires_approval(self, name: str) -> bool:
        """Check whether a person must agree to each call of that tool."""
        if name in self._approved_only:
            return True
        found = None if name in self._tools else self._from_source(name)
        if found is not None:
            return found[0].requires_approval(found[1])
        above = self._above(name)
        return above is not None and above.requires_approval(name)

    def get(self, name: str) -> Tool:
        """Find the tool of that name.

        Raises:
            StepgraphError: There is none; the hint has the nearest name.
        """
        if name in self._tools:
            return self._tools[name]
        found = self._from_source(name)
        if found is not None:
            return found[0].tool(found[1])
        above = self._above(name)
        if above is not None and name in above:
            return above.get(name)
        raise self._unknown(name)

    def function_of(self, name: str) -> Callable[..., Any] | None:
        """Return the user's function behind a tool, as it will be called, or None."""
        tool = self.get(name) if name in self else None
        if isinstance(tool, FunctionTool):
            return tool.function
        is_own = isinstance(tool, Tool) and not type(tool).__module__.startswith("stepgraph.")
        return tool.execute if is_own else None  # type: ignore[union-attr]  # it is a Tool then

    def is_scripted(self, name: str) -> bool:
        """Check whether a tool gives prepared answers."""
        return name in self and isinstance(self.get(name), ScriptedTool)

    def spec(self, name: str) -> ToolSpec:
        """Describe a tool by what it says of itself; one that says nothing takes any arguments.

        The description of a server's tool comes from the server, which is started for it.

        Raises:
            StepgraphError: There is no such tool, or it cannot be described.
        """
        tool = self.get(name)
        if isinstance(tool, DescribedTool):
            return replace(tool.spec(), name=name)
        from ..models.client import ToolSpec

        about = "" if isinstance(tool, ScriptedTool) else inspect.getdoc(type(tool)) or ""
        return ToolSpec(name, about)

    def has_side_effects(self, name: str) -> bool:
        """Check whether the tool of that name was declared to change the world outside the state.

        Raises:
            StepgraphError: There is no such tool.
        """
        above = self._above(name)
        if name in self._tools or above is None:
            self.get(name)
            return name in self._side_effects or name not in self._tools
        return above.has_side_effects(name)

    def refusal(self, name: str, arguments: Mapping[str, Json]) -> NodeFailed | None:
        """Look for arguments that a tool does not take, before anybody is asked about the call.

        A model makes names up, and one of them may read like a whole call. No server is started: what one
        takes is what it said last.
        """
        if name not in self:
            return None
        tool = self.get(name)
        takes = tool.takes(arguments) if isinstance(tool, BoundedTool) else self.spec(name).takes
        wrong = unknown_arguments(arguments, takes) if takes is not None else []
        if not wrong:
            return None
        return NodeFailed(
            f"tool {name!r} refuses its arguments: {'; '.join(wrong)}",
            hint="nobody was asked about this call",
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tools, in the order of registration, the parent's first."""
        inherited = self._parent.names if self._parent is not None else ()
        return tuple(dict.fromkeys((*inherited, *self._tools)))

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str) and (name in self._tools or self._from_source(name) is not None):
            return True
        above = self._above(name) if isinstance(name, str) else None
        return above is not None and name in above

    def call(
        self,
        name: str,
        arguments: Mapping[str, Json],
        *,
        visit: int = 1,
        approved: bool = False,
        context: ToolContext | None = None,
    ) -> dict[str, Json]:
        """Call a tool and check what it returns.

        Args:
            name: The tool.
            arguments: Its arguments; the tool gets a copy.
            visit: How often the calling node was visited; scripted answers go by it.
            approved: Whether a person has agreed to this call, where the tool requires that.
            context: What else the tool learns; ``visit`` overrides what it has of visits.

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
        if isinstance(tool, ScriptedTool):
            return tool.answer(visit)
        params = {key: copy_json(value) for key, value in arguments.items()}
        if isinstance(tool, ToolInContext):
            result: Any = tool.call(params, context if context is not None else ToolContext(visit))
        else:
            result = tool.execute(params)
        if isinstance(result, dict):
            return plain(result, f"the result of tool {name!r}")  # type: ignore[return-value]  # a dict
        if inspect.iscoroutine(result):
            result.close()  # or Python warns that nobody awaited it
        what = "nothing" if result is None else with_article(type(result).__name__)
        raise StepgraphError(
            f"tool {name!r} returned {what}, not a table", hint="return a dict, such as {'found': True}"
        )

    def _unknown(self, name: str) -> StepgraphError:
        if self._parent is not None and self._above(name) is None:
            return StepgraphError(
                f"the tool {name!r} of a server is not one that the graph names",
                hint=f'in a node that may call it, write tools = ["{name}"], or "any" for all tools of your '
                "servers: then trust is asked for that",
            )
        server, slash, _ = name.partition("/")
        hint = did_you_mean(name, self.names, listing="registered") or "no tool is registered"
        if slash and server not in self.sources:
            hint = f"its server is not configured: write [mcp.{server}] in the settings"
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


HIDDEN = "***"
_SHORTEST = 6  # characters: what is shorter is found in too many words
_NAME = re.compile(
    r"(?i)(?:^|_)(?:(?:api)?key|token|secret|(?:[a-z]*pass)(?:word|wd|phrase)?|credentials?|auth)(?:_|$)"
)

T = TypeVar("T")


def hidden(text: str, variables: Iterable[str]) -> str:
    """Remove the values of all these variables from a text, for a message."""
    values = {os.environ.get(name, "") for name in variables}
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= _SHORTEST:
            text = text.replace(value, HIDDEN)
    return text


def without_secrets(answer: T, variables: Iterable[str], keys: Iterable[str] = ()) -> T:
    """Remove secrets from a tool's answer.

    Args:
        answer: What it answered.
        variables: Those that it is given. The ones whose names say so are secret; others, such as a folder,
            may be what the answer is about.
        keys: Variables that are secret whatever their names are.
    """
    secret = [*keys, *(name for name in variables if _NAME.search(name))]
    if not any(len(os.environ.get(name, "")) >= _SHORTEST for name in secret):
        return answer
    changed: T = with_texts(answer, lambda text: hidden(text, secret))
    return changed
