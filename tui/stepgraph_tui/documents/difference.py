"""What differs between two texts of a graph file: by meaning, and line by line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.documents import Document, differences, from_document
from stepgraph.editing import design_text, read_design
from stepgraph.files import MAX_BYTES, decoded, parsed, read_bytes, refuse_newer
from stepgraph.graphs import to_document
from stepgraph.toml import SourceText
from stepgraph.values import GraphFileError, json_equal

from ..text.diffs import changed_lines
from .disk import DiskFile

if TYPE_CHECKING:
    from stepgraph.editing import Design


_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class FileContent:
    """A graph file as it was read or written."""

    design: Design
    source: SourceText
    """Its text; called with a path in the document it gives the line."""


def file_content(data: bytes, path: Path) -> FileContent:
    """Read the content of a graph file.

    Raises:
        GraphFileError: It is not UTF-8, not TOML, beyond a limit, or of a newer format.
    """
    file = str(path)
    text = decoded(data, file)
    source = SourceText(text, data)
    marked = data.startswith(_MARK.encode())
    design = read_design(_MARK + text if marked else text, file)
    refuse_newer(design.head, source, file)
    return FileContent(design, source)


def text_of(path: Path, most: int = MAX_BYTES) -> str:
    """Read the text of a file of at most ``most`` bytes, valid or not.

    Raises:
        GraphFileError: It is missing, unreadable, too large, or not UTF-8.
    """
    return decoded(read_bytes(path, str(path), most), str(path))


def reason(error: GraphFileError) -> str:
    """Explain why a graph file cannot be read, in one sentence."""
    if not error.problems:
        return error.message
    problem = error.problems[0]
    return f"line {problem.place.line}: {problem.message}" if problem.place.line else problem.message


def design_content(design: Design, path: Path) -> tuple[bytes, SourceText]:
    """Build a design's file content, read again to be sure of it, and a function that finds lines in it.

    Raises:
        GraphFileError: A graph file cannot hold the design.
    """
    file = str(path)
    try:
        data = design_text(design).encode()
    except UnicodeEncodeError as error:
        sign = f"U+{ord(error.object[error.start]):04X}"
        raise GraphFileError(
            f"{path} was not saved: a text contains {sign}, which a file cannot hold"
        ) from None
    if len(data) > MAX_BYTES:
        hint = "keep data in separate files, and let a tool read it"
        raise GraphFileError(f"{path} was not saved: it would be larger than 1 MB", hint=hint)
    text = decoded(data, file)
    source = SourceText(text, data)
    try:
        now: Any = parsed(text, source, file)
    except GraphFileError as error:
        message = f"{path} was not saved: it could not be read again: {reason(error)}"
        raise GraphFileError(message, error.problems) from None
    wanted = design.document()
    if repr(now) != repr(wanted) and not json_equal(now, wanted):
        raise GraphFileError(
            f"{path} was not saved: its text would mean something else",
            hint="this is a bug in Stepgraph; the draft is kept",
        )
    return data, source


def write_copy(design: Design, path: Path) -> None:
    """Write a design to a new file.

    Raises:
        GraphFileError: It was not written: there is a file of that name, or a graph file cannot hold it.
    """
    file = DiskFile(path)
    if file.disk_state() != "same":
        raise GraphFileError(f"{path} was not saved: the file already exists", hint="choose another name")
    file.write(design_content(design, path)[0])


@dataclass(frozen=True, slots=True)
class TextDifference:
    """What differs between two texts."""

    meaning: tuple[str, ...]
    """One sentence for each thing that runs would notice."""
    lines: tuple[str, ...]
    """The lines that differ, each after ``-`` or ``+``, with some after a blank around them."""
    unread: str = ""
    """Why the meaning is unknown; empty where it is known."""

    def __bool__(self) -> bool:
        return bool(self.meaning or self.lines or self.unread)


def difference(old: str, new: str) -> TextDifference:
    """Compare two texts.

    Args:
        old: The one that is shown as removed.
        new: The one that is shown as added.
    """
    lines = changed_lines(old, new)
    try:
        return TextDifference(tuple(differences(_document(old), _document(new))), lines)
    except GraphFileError as error:
        return TextDifference((), lines, reason(error))


def _document(text: str) -> Document:
    graph = from_document(read_design(text).document(), opaque=False)
    return to_document(graph)
