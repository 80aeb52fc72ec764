"""What graphs and runs are exported to: the engine's formats, and those that need a drawing."""

from __future__ import annotations

from stepgraph.formats.export import FORMATS as ENGINE_FORMATS
from stepgraph.formats.export import ExportFormat

_HERE = __name__
ALL_FORMATS: tuple[ExportFormat, ...] = (
    *ENGINE_FORMATS,
    ExportFormat(
        "svg", ".svg", "A vector picture of the graph, with the way of the run.", f"{_HERE}.drawings:svg"
    ),
    ExportFormat(
        "text", ".txt", "The drawing as text, as stepgraph show draws it.", f"{_HERE}.drawings:text"
    ),
    ExportFormat(
        "ascii", ".txt", "The same in plain ASCII, for whatever shows no lines.", f"{_HERE}.drawings:ascii"
    ),
    ExportFormat(
        "markdown", ".md", "A report for a colleague: drawing, steps, decisions.", f"{_HERE}.report:markdown"
    ),
)
"""All formats, in the order in which they are offered."""
