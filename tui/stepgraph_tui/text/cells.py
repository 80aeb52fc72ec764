"""Texts cut, padded and wrapped to the cells that Rich measures for them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rich.cells import CellSpan, cell_len, chop_cells, set_cell_size, split_graphemes

from .characters import visible

__all__ = [
    "cell_len",
    "cells_of",
    "chop_cells",
    "cut",
    "cut_front",
    "padded",
    "reach",
    "set_cell_size",
    "spans",
    "widest",
]

_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_LONGEST = 8  # characters to a cell: a letter with its marks, half of a joined picture


def cut(text: str, width: int, more: str = "…") -> str:
    """Cut the text, made visible, to at most ``width`` cells; ``more`` marks the cut."""
    text = visible(text)
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    more = more[: max(0, width)]
    kept, room = 0, width - len(more)
    for _, end, cells in spans(text[: (width + 1) * _LONGEST]):
        room -= cells
        if room < 0:
            break
        kept = end
    return text[:kept] + more


def cut_front(text: str, width: int) -> str:
    """Cut the text, made visible, to at most ``width`` cells; its end is kept behind an ellipsis."""
    text = visible(text)
    if cell_len(text) <= width:
        return text
    text = text[-(width + 1) * _LONGEST :]
    kept, room = len(text), width - 1
    for start, _, cells in reversed(spans(text)):
        room -= cells
        if room < 0:
            break
        kept = start
    return f"…{text[kept:]}"


def padded(text: str, width: int) -> str:
    """Fit the text, made visible, into exactly ``width`` cells."""
    return set_cell_size(cut(text, width), width)


def reach(text: str, start: int, room: int) -> int:
    """Find where a row of ``room`` cells ends that begins at ``start``: at least one character as drawn."""
    if text[start : start + room + 1].isascii():
        return min(start + room, len(text))
    last = 0
    for characters in (1, 2, _LONGEST):  # to a cell: as few are looked at as will do
        last, left = 0, room
        for _, end, cells in spans(text[start : start + (room + 1) * characters]):
            left -= cells
            if left < 0 and last > 0:
                return start + last
            last = end
    return start + last


def spans(text: str) -> Sequence[CellSpan]:
    """Split a text into what is drawn as one: where each begins and ends, and its cells."""
    found = split_graphemes(text)[0]
    for flag in reversed([*_FLAG.finditer(text)]):  # Rich parts them
        at = bisect_left(found, (flag.start(),))
        found[at : at + 2] = [(flag.start(), found[at + 1][1], found[at][2] + found[at + 1][2])]
    return found


def widest(texts: Iterable[str]) -> int:
    """Measure the widest of many texts, made visible; 0 where there are none."""
    # Most are of plain letters, each of which takes a cell: to look a text up takes ten times as long.
    return max(
        (len(text) if text.isascii() and text.isprintable() else cell_len(visible(text)) for text in texts),
        default=0,
    )


def cells_of(text: str) -> list[str]:
    """Split a text into what is in each cell.

    A wide character leaves the cell behind it empty; a mark that takes no cell of its own goes with the
    character before it.
    """
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for start, end, width in spans(text):
        cells += [text[start:end], *([""] * (width - 1))][:width]
    return cells


def shares(room: int, wanted: Sequence[int], weights: Sequence[int] = ()) -> list[int]:
    """Share ``room`` cells out: to each what it wants, or its part of what those leave that want less.

    Args:
        room: How many cells there are.
        wanted: How many each wants.
        weights: How large the part of each is, where there is too little for all; alike when empty.
    """
    weights = weights or [1] * len(wanted)
    given, left = [0] * len(wanted), sum(weights)
    for at in sorted(range(len(wanted)), key=lambda at: wanted[at] / weights[at]):
        given[at] = min(wanted[at], max(0, room) * weights[at] // left)
        room, left = room - given[at], left - weights[at]
    return given


_LEAD = re.compile(r" {0,8}(?:[|│] )?")


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text, made visible, to lines of at most ``width`` cells, between words; at least one line."""
    text = visible(text)
    width = max(2, width)  # a wide character must fit
    ends = [0, *ends_of_rows(text, width, width)]
    return [text[start:end].rstrip(" ") for start, end in pairwise(ends)]


def hanging(line: str, width: int, hang: int = 4) -> Iterator[str]:
    """Wrap a line, made visible, so that no row of it looks like a line of its own: they stand further in.

    The rows of a quoted line are quoted, all of them.

    Args:
        line: One line.
        width: The cells of a row.
        hang: How much further in.
    """
    line = visible(line)
    found = _LEAD.match(line)
    lead = found.group() if found is not None else ""
    text = line[len(lead) :]
    more = lead if lead.endswith(("| ", "│ ")) else " " * min(len(lead) + hang, width // 2)
    start = 0
    for end in ends_of_rows(text, max(2, width - len(lead)), max(2, width - len(more))):
        yield (more if start else lead) + text[start:end].rstrip()
        start = end


def ends_of_rows(text: str, first: int, others: int) -> Iterator[int]:
    """Find where the rows of a text end: after a space where there is one, else where the cells do.

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
