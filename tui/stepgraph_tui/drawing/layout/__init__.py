"""Layered graph drawing: layers, crossing reduction, coordinates, edge routing."""

from __future__ import annotations

from .least_width import least_width
from .pipeline import lay_out
from .size_limit import TooLargeToDrawError

__all__ = ["TooLargeToDrawError", "lay_out", "least_width"]
