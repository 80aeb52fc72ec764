"""Texts broken into rows, between words where that is possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .cells import reach

_LEAD = re.compile(r" {0,8}(?:[|│] )?")


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text to lines of at most so many cells, between words; at least one line."""
    width = max(2, width)  # a wide character must fit
    ends = [0, *ends_of_rows(text, width, width)]
    return [text[start:end].rstrip(" ") for start, end in pairwise(ends)]


def hanging(line: str, width: int, hang: int = 4) -> Iterator[str]:
    """Wrap a line so that no row of it looks like a line of its own: they stand further in.

    The rows of a quoted line are quoted, all of them.

    Args:
        line: One line.
        width: The cells of a row.
        hang: How much further in.
    """
    found = _LEAD.match(line)
    lead = found.group() if found is not None else ""
    text = line[len(lead) :]
    more = lead if lead.endswith(("| ", "│ ")) else " " * min(len(lead) + hang, width // 2)
    start = 0
    for end in ends_of_rows(text, max(2, width - len(lead)), max(2, width - len(more))):
        yield (more if start else lead) + text[start:end].rstrip()
        start = end


def ends_of_rows(text: str, first: int, others: int) -> Iterator[int]:
    """Find where the rows of a text end: behind a space where there is one, else where the cells do.

    Args:
        text: One line.
        first: How many cells the first row has.
        others: How many the others have.
    """
    start, room = 0, first
    while True:
        end = reach(text, start, room)
        if end >= len(text):
            yield len(text)
            return
        space = text.rfind(" ", start + 1, end + 1)
        start = space + 1 if text[start : max(start, space)].strip() else end
        yield start
        room = others
