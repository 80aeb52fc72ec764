"""From the text of a graph file to a design, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..files.lines import SourceText
from ..files.reader import parsed
from ..files.toml_text import graph_text
from .design import Design, Kind, Part

_TABLES: tuple[Kind, ...] = ("state", "tools", "nodes")


def read_design(text: str, file: str = "") -> Design:
    """The design that a graph file's text describes.

    Raises:
        GraphFileError: It is not TOML, or beyond a limit.
    """
    table: dict[str, Any] = dict(parsed(text, SourceText(text, text.encode()), file))
    parts: list[Part] = []
    for kind in _TABLES:
        entries = table.get(kind)
        if isinstance(entries, dict) and all(isinstance(entry, dict) for entry in entries.values()):
            parts += [Part(kind, name, entry) for name, entry in entries.items()]
            del table[kind]
    edges = table.get("edges")
    if isinstance(edges, list) and all(isinstance(edge, dict) for edge in edges):
        parts += [Part("edges", "", edge) for edge in edges]
        del table["edges"]
    return Design(table, tuple(parts))


def design_text(design: Design) -> str:
    """The text of the design's file."""
    return graph_text(design.document())


def losses(design: Design) -> list[str]:
    """The comments that the text of this design cannot keep, one sentence each."""
    return []


def parts_text(parts: Iterable[Part]) -> str:
    """Tables as they would stand in a file, with their comments."""
    return graph_text(Design({}, tuple(parts)).document())


def read_parts(text: str) -> tuple[Part, ...]:
    """The tables of a text that was copied from a graph file.

    Raises:
        GraphFileError: It is not TOML, beyond a limit, or holds something else than tables of a graph.
    """
    return read_design(text).parts
