"""The state pane: a tree of values that may be large, of which only what is seen is looked at."""

from __future__ import annotations

from .chat import ChatPane
from .pane import StatePane

__all__ = ["ChatPane", "StatePane"]
