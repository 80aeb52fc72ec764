"""Text that is painted line by line: the one way of painting, moving and searching that all lists share."""

from __future__ import annotations

from stepgraph_tui.text.cells import wrapped

from .list import (
    COMPONENTS,
    CSS,
    LineList,
    LineSource,
    LineView,
    Margins,
    Part,
    Role,
    RowCursor,
    Search,
    Span,
    TextLine,
    Way,
    marked,
    strip_of,
)

__all__ = [
    "COMPONENTS",
    "CSS",
    "LineList",
    "LineSource",
    "LineView",
    "Margins",
    "Part",
    "Role",
    "RowCursor",
    "Search",
    "Span",
    "TextLine",
    "Way",
    "marked",
    "strip_of",
    "wrapped",
]
