"""From the text of a graph file to a design, and back to the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..files.limits import size_limit
from ..files.reader import parsed, refuse
from ..toml.positions import SourceText
from ..toml.text import NAMED, Sheet
from ..toml.usual_form import EDGES
from ..values.errors import GraphFileError
from ..values.problems import Place, Problem
from .design import Design, Kind, Part
from .rendering import joined_text, render, tables_of, told_head

_MARK = "\ufeff"
_SHOWN = 60
_KINDS: dict[str, Kind] = {"state": "state", "tools": "tools", "nodes": "nodes", "edges": "edges"}


def read_design(text: str, file: str = "") -> Design:
    """The design that a graph file's text describes; each part knows its text and its comments.

    Args:
        text: The text; a byte order mark and the line endings stay as they are.
        file: The path of the file, for problems.

    Raises:
        GraphFileError: It is not TOML, or beyond a limit.
    """
    plain = text.removeprefix(_MARK)
    sheet = Sheet(text, parsed(plain, SourceText(plain, plain.encode(errors="replace")), file))
    parts = (Part(_KINDS[block.kind], block.name, block.table, block) for block in sheet.blocks)
    return Design(sheet.head, tuple(parts), sheet)


def design_text(design: Design) -> str:
    """The text of the design's file: what was not edited stands there as it was read."""
    return render(design).text


def losses(design: Design) -> list[str]:
    """What the text of this design cannot keep although its table or key is still there.

    Returns:
        One sentence for each comment, in the order of the file.
    """
    lost = render(design).lost
    here = sorted(comment for comment, is_here in lost if is_here)
    pasted = [comment for comment, is_here in lost if not is_here]
    found = [f"line {line}: the comment {_shown(text)} has no place any more" for line, text in here]
    found += [f"the pasted comment {_shown(text)} has no place any more" for _, text in pasted]
    return [*found, *_hidden(design)]


def _hidden(design: Design) -> Iterator[str]:
    """What is no table of parts, and cannot stand beside such tables."""
    told = told_head(design)
    for kind in (*NAMED, EDGES):
        if kind in design.head and kind not in told:
            yield f"{kind!r} is no table of {kind} in this file, and gives way to the new ones"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def parts_text(parts: Iterable[Part]) -> str:
    """Tables as they would stand in a file, with their comments."""
    texts = (joined_text(tables_of(part)).replace("\r\n", "\n") for part in parts)
    return "\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts)


def read_parts(text: str) -> tuple[Part, ...]:
    """The tables of a text that was copied from a graph file.

    Raises:
        GraphFileError: It is not TOML, beyond a limit, or not made of tables of a graph alone.
    """
    problem = size_limit(len(text), "")
    if problem is not None:
        refuse(problem)
    design = read_design(text)
    if design.head or not design.parts:
        raise GraphFileError("this is no part of a graph", list(_strange(design, text)))
    return design.parts


def _strange(design: Design, text: str) -> Iterator[Problem]:
    """What in a text is no table of a graph."""
    hint = "such as [nodes.draft] or [[edges]]"
    locate = SourceText(text, b"")
    for key in design.head:
        message = f"{_shown(key)} is no table of a graph"
        yield Problem("F020", "error", message, Place(line=locate((key,)), key=key), hint)
    if not design.head:
        yield Problem("F006", "error", "there is no table in it", Place(), hint)
