"""A server of tools: started when it is first needed, kept, started again once when it has died."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...models.messages import ToolSpec
from ...models.watch import CallWatch
from ...values.errors import StepgraphError
from ...values.json_values import Json
from ...values.problems import did_you_mean
from ..base import ToolContext
from ..known import arguments_text, unknown_arguments
from .kept import keep_specs, kept_specs
from .loop import LoopThread
from .place import KnownTool, ServerDied, ServerPlace
from .settings import McpSettings

if TYPE_CHECKING:
    from .connection import Connection


class McpServer:
    """One server of the settings, as a source of tools.

    Args:
        name: What it is called there.
        settings: What is said of it there.
    """

    def __init__(self, name: str, settings: McpSettings) -> None:
        self.name, self.settings = name, settings
        self._lock = threading.RLock()
        self._loop: LoopThread | None = None
        self._connection: Connection | None = None
        self._known: dict[str, KnownTool] | None = None

    def tool(self, name: str) -> McpTool:
        """Give one of its tools, which may turn out not to exist when it is called."""
        return McpTool(self, name)

    def requires_approval(self, name: str) -> bool:
        """Tell whether the settings want a person to agree to each call of a tool."""
        asks = self.settings.requires_approval
        return asks if isinstance(asks, bool) else name in asks

    def specs(self) -> Sequence[ToolSpec]:
        """Describe its tools; the server is started where it is not.

        Raises:
            StepgraphError: It cannot say now.
        """
        return [tool.spec for tool in self._again_once(lambda: self._tools(None)).values()]

    def known(self) -> Sequence[ToolSpec] | None:
        """Give what it said last of its tools, to us or to another program; None where nobody has asked."""
        known = self._known
        if known is None:
            return self._kept
        return [tool.spec for tool in known.values()]

    @cached_property
    def _kept(self) -> list[ToolSpec] | None:
        return kept_specs(self.name, self.settings)

    def spec(self, tool: str) -> ToolSpec:
        """Describe one tool.

        Raises:
            StepgraphError: It has no such tool, or cannot say now.
        """
        found: KnownTool = self._again_once(lambda: self._find(tool, None))
        return found.spec

    def call(self, tool: str, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call a tool. A server that dies meanwhile is started again, and asked once more.

        It is not asked once more where the tool says that it destroys something: then a person decides.

        Raises:
            StepgraphError: The server or the tool failed.
        """
        watch = context.watch
        try:
            self._check(self._find(tool, watch), params)
            return self._open(watch).call(tool, params, context)
        except ServerDied as error:
            known = self._known or {}
            if tool in known and not known[tool].repeatable:
                hint = "it destroys something, so it is not called again by itself; retry the run to do so"
                raise StepgraphError(error.message, hint=hint) from error
        found = self._find(tool, watch)
        return self._open(watch).call(found.spec.name, params, context)

    def _check(self, found: KnownTool, params: dict[str, Json]) -> None:
        """Refuse a call that lacks an argument, or has one that its schema forbids.

        The words of many servers for that are for programmers.
        """
        wrong = [f"{name!r} is missing" for name in found.spec.required if name not in params]
        takes = found.spec.takes
        wrong += unknown_arguments(params, takes) if takes is not None else []
        if wrong:
            raise StepgraphError(
                f"tool {f'{self.name}/{found.spec.name}'!r} refuses its arguments: {'; '.join(wrong)}",
                hint=f"it takes: {arguments_text(found.spec)}",
            )

    def close(self) -> None:
        """End the connection and the program that was started."""
        with self._lock:
            self._drop()
            if self._loop is not None:
                self._loop.close()
                self._loop = None

    def _again_once(self, ask: Any) -> Any:
        try:
            return ask()
        except ServerDied:
            return ask()

    def _find(self, tool: str, watch: CallWatch | None) -> KnownTool:
        tools = self._tools(watch)
        if tool not in tools:  # it may have come without a word
            self._known = None
            tools = self._tools(watch)
        if tool in tools:
            return tools[tool]
        hint = did_you_mean(tool, tools, listing="it has") or "it has no tools at all"
        raise StepgraphError(f"the server {self.name!r} has no tool {tool!r}", hint=hint)

    def _tools(self, watch: CallWatch | None) -> dict[str, KnownTool]:
        """Give its tools: what it said last, unless it has said since that they changed."""
        connection = self._open(watch)
        known = self._known
        if known is None or connection.has_changed:
            connection.has_changed = False
            self._known = known = connection.tools(watch)
            keep_specs(self.name, self.settings, [tool.spec for tool in known.values()])
        return known

    def _open(self, watch: CallWatch | None) -> Connection:
        with self._lock:
            if self._connection is not None and self._connection.is_open:
                return self._connection
            self._drop()
            try:
                from .connection import Connection  # the SDK takes a second
            except ModuleNotFoundError as error:
                raise StepgraphError(
                    f"the server {self.name!r} needs packages that are not installed: {error.name}",
                    hint='pip install "stepgraph[mcp]"',
                ) from error
            if self._loop is None:
                self._loop = LoopThread()
            self._connection = Connection(ServerPlace(self.name, self.settings), self._loop)
            try:
                self._connection.open(watch)
            except BaseException:
                self._drop()
                raise
            return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class McpTool:
    """One tool of a server."""

    def __init__(self, server: McpServer, name: str) -> None:
        self._server, self._name = server, name

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Call it."""
        return self.call(params, ToolContext())

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Call it in its context."""
        return self._server.call(self._name, params, context)

    def spec(self) -> ToolSpec:
        """Describe it; the server is started where it is not."""
        return self._server.spec(self._name)

    def takes(self, given: Collection[str]) -> tuple[str, ...] | None:
        """Name the only arguments that its schema allows, as far as the server has said it already."""
        known = {spec.name: spec for spec in self._server.known() or ()}
        return known[self._name].takes if self._name in known else None
