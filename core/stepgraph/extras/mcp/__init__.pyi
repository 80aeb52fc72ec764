"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .server import McpServer as McpServer
from .server import McpSettings as McpSettings
from .server import read_servers as read_servers
