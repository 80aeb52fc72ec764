"""The graph as a picture that is moved about in, with the marks of a run."""

from __future__ import annotations

from .graph_pane import GraphPane
from .view import GraphView

__all__ = ["GraphPane", "GraphView"]
