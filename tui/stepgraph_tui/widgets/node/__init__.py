"""The Node pane: all about a node, an edge, or the graph."""

from __future__ import annotations

from .pane import NodePane
from .visit import calling_lines
from .visit_pane import VisitPane

__all__ = ["NodePane", "VisitPane", "calling_lines"]
