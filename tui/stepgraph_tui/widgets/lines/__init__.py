"""Text that is painted line by line: the one way of painting, moving and searching that all lists share."""

from __future__ import annotations

from stepgraph_tui.text.cells import wrapped

from .list import (
    FOUND,
    LOOKS,
    LineSource,
    LineView,
    Margins,
    Part,
    Role,
    Search,
    Span,
    TextLine,
    Way,
    highlight_matches,
    strip_of,
)
from .table import AGE, GAP, LEAD, Column, RowCursor, Table

__all__ = [
    "AGE",
    "FOUND",
    "GAP",
    "LEAD",
    "LOOKS",
    "Column",
    "LineSource",
    "LineView",
    "Margins",
    "Part",
    "Role",
    "RowCursor",
    "Search",
    "Span",
    "Table",
    "TextLine",
    "Way",
    "highlight_matches",
    "strip_of",
    "wrapped",
]
