"""Markdown that holds texts of others: none of them ends what it stands in, or is read as anything but text.

Texts of others stand in code, in a line or in a fence: there neither Markdown nor HTML means anything, and no
site makes links, mentions or numbers of issues out of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stepgraph_tui.text.plain import visible, visible_lines

_TICKS = re.compile("`+")
LONGEST = 4_000
"""Characters of a text that stands by itself."""


def code(text: str) -> str:
    """Write a text of others in a line; line breaks in it are written out."""
    shown = visible(text)
    if not shown.strip():
        return "(blank)" if shown else "(empty)"
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    apart = " " if shown[0] in "` " or shown[-1] in "` " else ""  # one blank at both ends is taken off again
    return f"{ticks}{apart}{shown}{apart}{ticks}"


def fence(lines: Iterable[str], language: str = "text") -> Iterator[str]:
    """Write lines as a block of code, with a fence that is longer than any in them.

    Args:
        lines: The lines; those of others are made safe to show here.
        language: How it is coloured.
    """
    safe = [each for line in lines for each in visible_lines(line)]
    longest = max((len(run) for line in safe for run in _TICKS.findall(line)), default=0)
    marks = "`" * max(3, longest + 1)
    yield from ("", f"{marks}{language}", *safe, marks, "")


def quoted(text: str, most: int = 40) -> Iterator[str]:
    """Write a text by itself; of a long one the beginning, and how much was left out.

    Args:
        text: The text.
        most: How many lines of it are written.
    """
    kept = text[:LONGEST]
    lines = kept.strip("\n").split("\n")
    if len(lines) > 1:
        yield from fence(lines[:most])
    else:
        yield from ("", code(lines[0]), "")  # which wraps, where a fence would not
    if len(lines) > most:
        yield from (f"({len(lines) - most:,} more lines are left out.)", "")
    if len(text) > LONGEST:
        yield from (f"({len(text) - LONGEST:,} more characters are left out.)", "")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write a table; a bar within a cell ends no cell. Without rows there is none."""
    written = [_row(row) for row in rows]
    if written:
        yield from ("", _row(head), _row(["---"] * len(head)), *written, "")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
