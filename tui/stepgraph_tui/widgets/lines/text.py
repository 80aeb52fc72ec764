"""Lines of a pane: parts in styles, and texts that are wrapped, to a width that is measured in cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from stepgraph_tui.text.cells import cell_len, chop_cells

Part = tuple[str, Style]
"""A text that is safe to show, and how it looks."""


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text to lines of at most so many cells, between words; at least one line."""
    width = max(2, width)  # a wide character must fit
    lines: list[str] = []
    line, used = "", 0
    for number, word in enumerate(text.split(" ")):
        size = cell_len(word)
        if number and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if number:
            lines.append(line)
        *full, line = chop_cells(word, width) if size > width else [word]
        lines += full
        used = cell_len(line)
    return [*lines, line]


def strip_of(parts: Iterable[Part], width: int, rest: Style) -> Strip:
    """Make a line of exactly so many cells, cut with an ellipsis or filled up in the style ``rest``."""
    strip = Strip([Segment(text, style) for text, style in parts])
    if strip.cell_length > width > 0:
        strip = Strip([*strip.crop(0, width - 1), Segment("…", rest)], width)
    return strip.adjust_cell_length(width, rest)


def marked(parts: Sequence[Part], pattern: re.Pattern[str], mark: Style) -> Iterator[Part]:
    """Set apart in the parts all that matches. The pattern is one group."""
    for text, style in parts:
        for number, piece in enumerate(pattern.split(text)):
            if piece:
                yield piece, style + mark if number % 2 else style
