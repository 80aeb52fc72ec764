"""Layered graph drawing: layers, crossing reduction, coordinates, edge routing."""

from __future__ import annotations

from .layering import TooLargeToDrawError
from .measured import least_width
from .pipeline import lay_out

__all__ = ["TooLargeToDrawError", "lay_out", "least_width"]
