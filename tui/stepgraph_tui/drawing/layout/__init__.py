"""Layered graph drawing: layers, crossing reduction, coordinates, edge routing."""

from __future__ import annotations

from .pipeline import lay_out

__all__ = ["lay_out"]
