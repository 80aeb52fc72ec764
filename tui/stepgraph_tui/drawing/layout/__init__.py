"""Layered graph drawing: layers, crossing reduction, coordinates, edge routing."""

from __future__ import annotations

from .least_width import least_width
from .pipeline import lay_out

__all__ = ["lay_out", "least_width"]
