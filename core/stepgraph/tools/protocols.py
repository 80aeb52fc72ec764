"""What a tool is, and what a call of one is told beside its arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ..models.client import CallWatch, ToolSpec
    from ..values.json_values import Json


@runtime_checkable
class Tool(Protocol):
    """Anything with ``execute``: one table of arguments in, one table out."""

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Run the tool."""
        ...


ToolLike = Tool | Callable[..., Any]


def _watched_by_nobody() -> CallWatch:
    from ..models.client import CallPlace, CallWatch

    return CallWatch(CallPlace("", "", 0, "tool", ""))


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call is told beside its arguments."""

    visit: int = 1
    """How often the calling node was visited."""
    idempotency_key: str = ""
    """The same whenever this call is made again, for outside systems; empty where there is none."""
    watch: CallWatch = field(default_factory=_watched_by_nobody)
    """Who hears of the call while it lasts, and stops it."""


@runtime_checkable
class ToolInContext(Tool, Protocol):
    """A tool that is told of its context: where it can be, ``call`` is called in place of ``execute``."""

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
