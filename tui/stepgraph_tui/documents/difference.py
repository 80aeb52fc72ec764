"""What differs between two texts of a graph file: by meaning, and line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

from stepgraph.documents.differences import Document, differences
from stepgraph.documents.loader import from_document
from stepgraph.editing.text import read_design
from stepgraph.graphs.definition import to_document
from stepgraph.values.errors import GraphFileError

from .content import reason

_AROUND = 2  # lines before and after those that differ
_COMPARED = 4_000  # lines that differ; of more, all old ones are told first, then all new ones
_ENDS = "the lines differ in nothing but their ends"


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
    if not lines and old != new:
        lines = (_ENDS,)
    try:
        return TextDifference(tuple(differences(_document(old), _document(new))), lines)
    except GraphFileError as error:
        return TextDifference((), lines, reason(error))


def changed_lines(old: str, new: str) -> tuple[str, ...]:
    """List the lines that differ, each after ``-`` or ``+``, with some after a blank around them."""
    return tuple(_line_by_line(old.splitlines(), new.splitlines()))


def _document(text: str) -> Document:
    graph = from_document(read_design(text).document(), opaque=False)
    return to_document(graph)


def _line_by_line(old: list[str], new: list[str]) -> Iterator[str]:
    start = sum(1 for _ in takewhile(_is_pair, zip(old, new, strict=False)))
    shortest = min(len(old), len(new)) - start
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = min(shortest, sum(1 for _ in takewhile(_is_pair, pairs)))
    first = max(0, start - _AROUND)
    last = max(0, end - _AROUND)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if len(before) > _COMPARED or len(after) > _COMPARED:
        yield from (f"-{line}" for line in old[start : len(old) - end])
        yield from (f"+{line}" for line in new[start : len(new) - end])
        return
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(_AROUND):
        yield f"line {first + group[0][3] + 1}"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i1:i2])
            else:
                yield from (f"-{line}" for line in before[i1:i2])
                yield from (f"+{line}" for line in after[j1:j2])


def _is_pair(lines: tuple[str, str]) -> bool:
    return lines[0] == lines[1]
