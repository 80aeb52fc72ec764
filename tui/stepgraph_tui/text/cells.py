"""Texts measured in the cells that a terminal gives them.

Rich gives no cell to the vowel signs of Hindi, Tamil, Khmer and many others, where terminals give one, and
none to a letter behind a joiner. What is measured too short pushes the rest of its row to the right and off
the screen. So what Rich knows is put right here, for whoever asks: our rows, Textual, the command line.

Of joined pictures, skin tones and flags terminals disagree: some draw one picture, some each part. They are
measured with all their parts, the most that any terminal gives them: a gap behind them hides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise, repeat

from rich import cells as _rich
from rich._unicode_data import load
from rich.cells import (
    CellSpan,
    CellTable,
    cached_cell_len,
    cell_len,
    chop_cells,
    get_character_cell_size,
    set_cell_size,
)

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
    "split_at",
    "widest",
]

_ZWJ, _EMOJI = "\u200d", "\ufe0f"
_TONES = (0x1F3FB, 0x1F3FF)
_FLAGS = (0x1F1E6, 0x1F1FF)  # letters, two to a flag
_WIDEST = 8  # cells of what is drawn as one


def cut(text: str, width: int, more: str = "…") -> str:
    """Cut the text, made visible, to at most so many cells; what was cut off is marked by ``more``."""
    text = visible(text)
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    more = more[: max(0, width)]
    kept, room = 0, width - len(more)
    for _, end, cells in spans(text):
        room -= cells
        if room < 0:
            break
        kept = end
    return text[:kept] + more


def cut_front(text: str, width: int) -> str:
    """Cut the text, made visible, to at most so many cells, of which the end is kept behind an ellipsis."""
    text = visible(text)
    if cell_len(text) <= width:
        return text
    start, missing = 0, cell_len(text) - width + 1
    for _, end, cells in spans(text):
        if missing <= 0:
            break
        start, missing = end, missing - cells
    return f"…{text[start:]}"


def padded(text: str, width: int) -> str:
    """Fit the text, made visible, into exactly so many cells."""
    return set_cell_size(cut(text, width), width)


def reach(text: str, start: int, room: int) -> int:
    """Find how far a row of so many cells goes that begins at ``start``: at least one character as drawn."""
    piece = text[start : start + room + 1]
    if piece.isascii() or _rich._is_single_cell_widths(piece):
        return min(start + room, len(text))
    last = start
    for _, end, cells in spans(text, start):
        room -= cells
        if room < 0 and last > start:
            return last
        last = end
    return last


def spans(text: str, start: int = 0) -> Iterator[CellSpan]:
    """Walk through what a terminal draws as one: where each begins and ends, and its cells.

    None has more than eight cells, those of a family of four: what is joined without end is parted, so that
    each fits into a row.
    """
    wide = _cell_table().narrow_to_wide
    end, width, last, before, flag = start, 0, "", "", False
    for at in range(start, len(text)):
        char = text[at]
        cells = get_character_cell_size(char)
        if char == _EMOJI:
            cells, last = int(last in wide), ""
        elif cells:
            last = char
        if at > start and cells and (width + cells > _WIDEST or not _goes_on(before, char, flag)):
            yield start, end, width
            start, width, flag = at, 0, False
        flag = _is_flag(char) and not flag
        end, width, before = at + 1, width + cells, char
    if start < end:
        yield start, end, width


def _goes_on(before: str, char: str, half: bool) -> bool:
    """Check whether what has cells of its own belongs to the one before, which may be half a flag."""
    if char == _EMOJI or before == _ZWJ or _TONES[0] <= ord(char) <= _TONES[1]:
        return True
    return (half and _is_flag(char)) or unicodedata.category(char) == "Mc"


def _is_flag(char: str) -> bool:
    return _FLAGS[0] <= ord(char) <= _FLAGS[1]


def widest(texts: Iterable[str]) -> int:
    """Measure the widest of many texts, made visible; 0 where there are none."""
    # Most are of plain letters, each of which takes a cell: to look a text up takes ten times as long.
    return max(
        (len(text) if text.isascii() and text.isprintable() else cell_len(visible(text)) for text in texts),
        default=0,
    )


def cells_of(text: str) -> list[str]:
    """Split a text into what stands in each cell.

    A wide character leaves the cell behind it empty; a mark that takes no cell of its own goes with the
    character before it.
    """
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for start, end, width in spans(text):
        cells += [text[start:end], *([""] * (width - 1))][:width]
    return cells


# Rich's measure, put right


@cache
def _cell_table(unicode_version: str = "auto") -> CellTable:
    """Rebuild Rich's table, with cells for marks that have room of their own, and for parts of emoji."""
    table = load(unicode_version)
    others = [row for row in table.widths if row[:2] != _TONES]
    widths = [part for row in others for part in _with_spacing_marks(*row)]
    return table._replace(widths=tuple(sorted([*widths, (*_TONES, 2), (*_FLAGS, 2)])))


def _with_spacing_marks(start: int, end: int, width: int) -> Iterator[CellSpan]:
    if width:
        yield start, end, width
        return
    for code in range(start, end + 1):
        if unicodedata.category(chr(code)) == "Mc":
            if start < code:
                yield start, code - 1, 0
            yield code, code, 1
            start = code + 1
    if start <= end:
        yield start, end, 0


def _split(text: str, unicode_version: str = "auto") -> tuple[list[CellSpan], int]:
    found = list(spans(text))
    return found, sum(cells for _, _, cells in found)


def split_at(text: str, cell_position: int, unicode_version: str = "auto") -> tuple[str, str]:
    """Part a text at a cell; what lies across it becomes blanks."""
    left = 0
    for start, end, cells in spans(text):
        if left + cells > cell_position:
            before = max(0, cell_position - left)
            after = " " * (cells - before) + text[end:] if before else text[start:]
            return text[:start] + " " * before, after
        left += cells
    return text, ""


def _measure(text: str, unicode_version: str) -> int:
    if _rich._is_single_cell_widths(text):  # Rich knows most of what there is at once
        return len(text)
    if _ZWJ not in text and _EMOJI not in text:
        return sum(map(get_character_cell_size, text, repeat(unicode_version)))
    return _split(text, unicode_version)[1]


vars(_rich).update(
    load_cell_table=_cell_table, split_graphemes=_split, _split_text=split_at, _cell_len=_measure
)
get_character_cell_size.cache_clear()
cached_cell_len.cache_clear()


def shares(room: int, wanted: Sequence[int], weights: Sequence[int] = ()) -> list[int]:
    """Share so many cells out: to each what it wants, or its part of what those leave that want less.

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
    """Wrap a text, made visible, to lines of at most so many cells, between words; at least one line."""
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
