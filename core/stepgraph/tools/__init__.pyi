"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .command_part import CommandPart as CommandPart
from .known import KnownTools as KnownTools
from .known import known_tools as known_tools
from .protocols import ToolEntry as ToolEntry
from .protocols import arguments_text as arguments_text
from .registry import ToolRegistry as ToolRegistry
