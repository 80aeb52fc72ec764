"""The trace: the steps of a run, and what else happened between them."""

from __future__ import annotations

from .pane import TracePane

__all__ = ["TracePane"]
