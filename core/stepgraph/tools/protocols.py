"""What a tool is, and the context of a call beside its arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..values.messages import shortened
from ..values.problems import did_you_mean

if TYPE_CHECKING:
    from ..models.client import CallWatch, ToolSpec
    from ..values.json_values import Json
    from .command_part import CommandPart


@runtime_checkable
class Tool(Protocol):
    """Anything with ``execute``: one table of arguments in, one table out."""

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Run the tool."""
        ...


ToolLike = Tool | Callable[..., Any]

_TOLD = 5  # unknown arguments that are named: a model may make up thousands


def _watched_by_nobody() -> CallWatch:
    from ..models.client import CallPlace, CallWatch

    return CallWatch(CallPlace("", "", 0, "tool", ""))


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The context of a call, beside its arguments."""

    visit: int = 1
    """How often the calling node was visited."""
    idempotency_key: str = ""
    """The same whenever this call is made again, for outside systems; empty where there is none."""
    watch: CallWatch = field(default_factory=_watched_by_nobody)
    """Who hears of the call while it lasts, and stops it."""


@runtime_checkable
class ToolInContext(Tool, Protocol):
    """A tool that takes a context: where it can be, ``call`` is called in place of ``execute``."""

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call the tool."""
        ...


@runtime_checkable
class DescribedTool(Protocol):
    """A tool that says which arguments it takes."""

    def spec(self) -> ToolSpec:
        """Describe the tool, for a model and for forms; its name there is its own choice."""
        ...


@runtime_checkable
class BoundedTool(Tool, Protocol):
    """A tool that names the arguments it takes without loading or starting what describes it in full."""

    def takes(self, given: Collection[str]) -> tuple[str, ...] | None:
        """Name the only arguments that a call may have; None where it takes others, or nobody knows yet.

        Args:
            given: Those of a call, where that is enough to tell.
        """
        ...


class ToolSource(Protocol):
    """Where tools come from that are found by ``source/tool``, such as a server of tools.

    Nothing is started before it is needed: only ``specs`` and a call do.
    """

    def tool(self, name: str) -> ToolInContext:
        """Return one of its tools, which may turn out not to exist when it is called."""
        ...

    def requires_approval(self, name: str) -> bool:
        """Check whether a person must agree to each call of a tool."""
        ...

    def specs(self) -> Sequence[ToolSpec]:
        """Describe its tools, by the names that they have there.

        Raises:
            StepgraphError: It cannot say now.
        """
        ...

    def close(self) -> None:
        """End what was started for it."""
        ...

    def known(self) -> Sequence[ToolSpec] | None:
        """Return what ``specs`` said last, without asking; None where nobody has asked yet."""
        ...


def unknown_arguments(given: Iterable[str], takes: Collection[str]) -> list[str]:
    """Write a complaint about each argument that a tool does not take, with the name that may be meant."""
    unknown = [name for name in given if name not in takes]
    found = []
    for name in unknown[:_TOLD]:
        hint = did_you_mean(name, takes, listing="it takes") or "it takes none"
        found.append(f"{shortened(name)!r} is unknown ({hint})")
    return [*found, f"{len(unknown) - _TOLD:,} more are unknown"] if len(unknown) > _TOLD else found


def arguments_text(spec: ToolSpec | None) -> str:
    """Write a tool's arguments in a few words: ``id: number, region?: text``."""
    if spec is None or spec.parameters is None:
        return "any"
    types = spec.types
    names = [(name, "" if name in spec.required else "?") for name in spec.arguments]
    return ", ".join(f"{name}{mark}: {types.get(name, 'any')}" for name, mark in names) or "none"


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool as a graph declares it: an object, a function by name, or scripted answers."""

    name: str
    tool: ToolLike | None = None
    """The tool itself, when the graph is built in Python."""
    handler: str | None = None
    """Where its function is, as ``module:function``."""
    returns: Json | None = None
    """Scripted answers: a table, or a list with one for each visit of the node, the last repeated."""
    side_effects: bool = False
    """Whether it changes the world outside the state."""
    requires_approval: bool = False
    """Whether a person must agree to each call."""
    note: str = ""
    command: CommandPart | None = None
    """Or the program that it runs."""
