"""The log: what node code printed and what models replied, its beginning and its end."""

from __future__ import annotations

from .pane import LogPane

__all__ = ["LogPane"]
