"""The watches: expressions, and what they came to over the steps of a run."""

from __future__ import annotations

from .pane import WatchEntry, WatchesPane

__all__ = ["WatchEntry", "WatchesPane"]
