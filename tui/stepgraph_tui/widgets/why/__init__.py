"""The Why pane: for a step every edge, its condition, the values it looked at, and who wrote them."""

from __future__ import annotations

from .pane import WhyPane

__all__ = ["WhyPane"]
