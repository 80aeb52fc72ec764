"""Texts of many megabytes as rows of a width: wrapped once, and cut into rows only where they are seen."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

from rich.style import Style
from rich.text import Text

from stepgraph_tui.text.cells import reach
from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.text.value_diff import MarkedText
from stepgraph_tui.text.word_diff import Mark

MOST_MATCHES = 10_000
"""How many matches of a search are counted."""


def safe(text: str) -> str:
    """Give the text with its line breaks, and whatever else could fool a terminal as escapes."""
    return "\n".join(visible_lines(text))


def row_starts(text: str, width: int) -> array[int]:
    """Find where the rows of a safe text begin that fit into so many cells; lines break between words."""
    starts = array("Q")
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        for start in _starts_in_line(text, at, end, max(2, width)):
            starts.append(start)
        at = end + 1
    return starts


def _starts_in_line(text: str, at: int, end: int, width: int) -> Iterator[int]:
    yield at
    while True:
        last = min(end, reach(text, at, width))
        if last >= end:
            return
        space = text.rfind(" ", at + 1, last + 1)
        at = space + 1 if space > 0 else last
        if at >= end:  # nothing but the space that the line was broken at
            return
        yield at


class TextRows(Sequence[Text]):
    """The rows of a text, made as they are asked for, with the matches of a search in them.

    Args:
        shown: Safe to show.
        starts: Where the rows begin, from ``row_starts``.
        looks: How what went and what came looks.
    """

    def __init__(self, shown: MarkedText, starts: array[int], looks: Mapping[Mark, Style] = {}) -> None:
        self.shown = shown
        self.text = shown.text
        self._looks = looks
        self._starts = starts
        self._matches: list[int] = []
        self._length = 0
        self._at = 0
        self._more = False
        self.mark = Style(underline=True)
        """How matches look."""
        self.mark_here = Style(reverse=True)
        """How the match looks that is looked at."""

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Text: ...
    @overload
    def __getitem__(self, index: slice) -> list[Text]: ...
    def __getitem__(self, index: int | slice) -> Text | list[Text]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        start = self._starts[index]
        stop = self._starts[index + 1] if index + 1 < len(self) else len(self.text)
        stop = start + len(self.text[start:stop].rstrip("\n"))
        row = Text(no_wrap=True, end="")
        for mark, text in self.shown.parts(start, stop):
            row.append(text, self._looks.get(mark))
        first = bisect_right(self._matches, start - self._length)
        for number in range(first, bisect_left(self._matches, stop)):
            match = self._matches[number]
            look = self.mark_here if number == self._at else self.mark
            row.stylize(look, max(0, match - start), match + self._length - start)
        return row

    def find(self, text: str, near: int) -> None:
        """Mark a text wherever it is, whatever its case, and look at the first at or after a row."""
        pattern = re.compile(re.escape(text), re.IGNORECASE)
        found = islice(pattern.finditer(self.text), MOST_MATCHES + 1) if text else iter(())
        self._matches, self._length = [match.start() for match in found], len(text)
        self._more = len(self._matches) > MOST_MATCHES
        del self._matches[MOST_MATCHES:]
        top = self._starts[min(near, len(self) - 1)]
        self._at = bisect_left(self._matches, top)
        self.turn(0)

    def turn(self, by: int) -> None:
        """Look at the next match, or the one before; after the last comes the first."""
        self._at = (self._at + by) % max(1, len(self._matches))

    @property
    def match_row(self) -> int | None:
        """The row where the match begins that is looked at."""
        return bisect_right(self._starts, self._matches[self._at]) - 1 if self._matches else None

    def found(self) -> str:
        """Tell which match is looked at."""
        if not self._matches:
            return "not found"
        return f"{self._at + 1} of {len(self._matches):,}{' and more' if self._more else ''}"
