"""The graph as a picture that is moved about in, and as a list, with the marks of a run."""

from __future__ import annotations

from typing import TypeAlias

from .outline import OutlinePane
from .view import GraphView

GraphPane: TypeAlias = GraphView | OutlinePane
"""A pane that shows the graph."""

__all__ = ["GraphPane", "GraphView", "OutlinePane"]
