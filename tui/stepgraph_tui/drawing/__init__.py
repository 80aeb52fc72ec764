"""Graphs as pictures in terminal cells: layout, routing and the text painter, without any Textual."""

from __future__ import annotations

from .layout import lay_out
from .model import Box, Diagram, Direction, Edge, Label, Node, Picture, Route
from .paint import Face, paint

__all__ = [
    "Box",
    "Diagram",
    "Direction",
    "Edge",
    "Face",
    "Label",
    "Node",
    "Picture",
    "Route",
    "lay_out",
    "paint",
]
