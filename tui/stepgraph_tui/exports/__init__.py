"""All formats that graphs and runs are exported in: the engine's, and those that need a drawing."""

from __future__ import annotations

from stepgraph.formats import FORMATS as _OF_THE_ENGINE
from stepgraph.formats import ExportFormat
from stepgraph.values import ExportError, did_you_mean

_HERE = __name__
FORMATS: tuple[ExportFormat, ...] = (
    *_OF_THE_ENGINE,
    ExportFormat(
        "svg", ".svg", "a vector picture of the graph, with the run's path", f"{_HERE}.drawings:svg"
    ),
    ExportFormat("text", ".txt", "the drawing as text, as stepgraph show draws it", f"{_HERE}.drawings:text"),
    ExportFormat(
        "ascii", ".txt", "the same in plain ASCII, for whatever shows no lines", f"{_HERE}.drawings:ascii"
    ),
    ExportFormat(
        "markdown", ".md", "a report for a colleague: drawing, steps, decisions", f"{_HERE}.report:markdown"
    ),
)
"""The formats in the order of the help."""


def format_named(name: str) -> ExportFormat:
    """Look up a format.

    Raises:
        ExportError: There is none of that name.
    """
    for each in FORMATS:
        if each.name == name:
            return each
    hint = did_you_mean(name, [each.name for each in FORMATS], listing="there are")
    raise ExportError(f"there is no format {name!r}", hint=hint)


def format_of_file(name: str) -> ExportFormat | None:
    """Find the format that a file is to have by its name; the longest suffix counts."""
    fitting = [each for each in FORMATS if name.lower().endswith(each.suffix)]
    return max(fitting, key=lambda each: len(each.suffix), default=None)
