"""The Node pane: all about a node, an edge, or the graph."""

from __future__ import annotations

from .pane import NodePane
from .visit import calling_lines

__all__ = ["NodePane", "calling_lines"]
