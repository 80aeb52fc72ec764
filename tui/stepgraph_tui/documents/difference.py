"""What differs between two texts of a graph file: by meaning, and line by line."""

from __future__ import annotations

from dataclasses import dataclass

from stepgraph.documents.differences import Document, differences
from stepgraph.documents.loader import from_document
from stepgraph.editing.text import read_design
from stepgraph.graphs.definition import to_document
from stepgraph.values.errors import GraphFileError
from stepgraph_tui.text.changed_lines import changed_lines

from .content import reason


@dataclass(frozen=True, slots=True)
class TextDifference:
    """What differs between two texts."""

    meaning: tuple[str, ...]
    """One sentence for each thing that runs would notice."""
    lines: tuple[str, ...]
    """The lines that differ, each after ``-`` or ``+``, with some after a blank around them."""
    unread: str = ""
    """Why the meaning cannot be told; empty where it can."""

    def __bool__(self) -> bool:
        return bool(self.meaning or self.lines or self.unread)


def difference(old: str, new: str) -> TextDifference:
    """Compare two texts.

    Args:
        old: The one that is told as removed.
        new: The one that is told as added.
    """
    lines = changed_lines(old, new)
    try:
        return TextDifference(tuple(differences(_document(old), _document(new))), lines)
    except GraphFileError as error:
        return TextDifference((), lines, reason(error))


def _document(text: str) -> Document:
    graph = from_document(read_design(text).document(), opaque=False)
    return to_document(graph)
