"""What a process is connected to by the user's settings: models, and the tools of servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.models import ModelCatalog
from stepgraph.runs import Answering
from stepgraph.tools import ToolRegistry
from stepgraph_tui.text.system import is_missing, settings_file

if TYPE_CHECKING:
    from stepgraph_tui.settings import Settings


class Connections(Answering):
    """The models and tools of the settings; one a process, and none is reached before its first use."""

    def __init__(self, models: ModelCatalog, tools: ToolRegistry) -> None:
        super().__init__(models, tools)
        self.tools: ToolRegistry = tools
        """The tools of servers, as ``server/tool``."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Connections:
        """Build them from a user's settings; nothing is imported, read or started yet."""
        return cls(ModelCatalog(settings.models), _tools(settings))

    @classmethod
    def of_user(cls) -> Connections:
        """Build them from the settings file of this user; without one there are none."""
        file = settings_file()
        if is_missing(file):
            return cls(ModelCatalog({}), ToolRegistry())
        from stepgraph_tui.settings import read_settings

        return cls.from_settings(read_settings(file)[0])


def user_connections() -> Connections:
    """Open the connections of this user, in a process that a worker has started."""
    return Connections.of_user()


def _tools(settings: Settings) -> ToolRegistry:
    registry = ToolRegistry()
    if settings.mcp:
        from stepgraph.extras.mcp import McpServer

        for name, server in settings.mcp.items():
            registry.add_source(name, McpServer(name, server))
    return registry
