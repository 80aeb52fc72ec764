"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .base import BaseNode as BaseNode
from .handler import HandlerNode as HandlerNode
from .handler import SourceLines as SourceLines
from .handler import source_lines as source_lines
from .registry import node_type as node_type
from .registry import node_types as node_types
from .scoped import inmost as inmost
from .tool import ToolNode as ToolNode
