"""The log: what node code printed, its beginning and its end."""

from __future__ import annotations

from .pane import LogPane

__all__ = ["LogPane"]
