"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .revising import formatted as formatted
from .syntax import SourceText as SourceText
from .values import graph_text as graph_text
