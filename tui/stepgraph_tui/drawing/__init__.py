"""Graphs as pictures in terminal cells: layout, routing and the text painter, without any Textual."""

from __future__ import annotations

from .layout import TooLargeToDrawError, lay_out, least_width
from .model import Box, Diagram, DiagramEdge, DiagramNode, Direction, Label, Picture, Route
from .picture.paint import BoxContent, paint

__all__ = [
    "Box",
    "BoxContent",
    "Diagram",
    "DiagramEdge",
    "DiagramNode",
    "Direction",
    "Label",
    "Picture",
    "Route",
    "TooLargeToDrawError",
    "lay_out",
    "least_width",
    "paint",
]
