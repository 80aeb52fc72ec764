"""Lines of a pane: parts in styles, and texts that are wrapped, to a width that is measured in cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

Part = tuple[str, Style]
"""A text that is safe to show, and how it looks."""


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
