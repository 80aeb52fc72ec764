"""Graphs as SVG: vector shapes for browsers and papers, from the same layout as the terminal's pictures."""

from __future__ import annotations

from .document import Heading, svg_lines

__all__ = ["Heading", "svg_lines"]
