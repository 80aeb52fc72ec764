"""What a process is connected to by the user's settings: models, and the tools of servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.models.catalog import ModelCatalog
from stepgraph.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from stepgraph_tui.settings import Settings


class Connections:
    """The models and tools of the settings; one a process, and none is reached before its first use."""

    def __init__(self, models: ModelCatalog, tools: ToolRegistry) -> None:
        self.models = models
        """The models by alias."""
        self.tools = tools
        """The tools of servers, as ``server/tool``."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Connections:
        """Make them of a user's settings; nothing is imported, read or started yet."""
        return cls(ModelCatalog(settings.models), _tools(settings))

    def close(self) -> None:
        """Close every connection."""
        self.models.close()
        self.tools.close()


def _tools(settings: Settings) -> ToolRegistry:
    registry = ToolRegistry()
    if settings.mcp:
        from stepgraph.tools.mcp.server import McpServer  # only where there are servers

        for name, server in settings.mcp.items():
            registry.add_source(name, McpServer(name, server))
    return registry
