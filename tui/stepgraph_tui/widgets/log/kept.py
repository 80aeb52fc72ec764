"""The lines of a log that are kept: of very many the first and the last."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from stepgraph_tui.worker import Source

FIRST, LAST = 200_000, 4_000_000
"""How many characters are kept from the beginning, and from the end."""
_COST = 50  # characters that a line costs beside its own


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line as it was printed, but not made safe to show; or the heading of what was said in a step."""

    text: str
    step: int
    heading: bool = False
    source: Source = "output"
    """Who said it."""
    goes_on: bool = False
    """Whether it goes on with the line before, which had no room for it."""


class KeptLines(Sequence[PrintedLine]):
    """The first lines of all, and the last ones; of very many, those in between are forgotten."""

    def __init__(self) -> None:
        self._first: list[PrintedLine] = []
        self._last: deque[PrintedLine] = deque()
        self._room, self._held = FIRST, 0  # characters that can still be first, and that are last
        self.gone = 0
        """How many lines in between are forgotten."""
        self.gone_characters = 0
        self.gone_from = 0
        """The step that the first of those belonged to."""

    @property
    def gap(self) -> int:
        """The place of the line before which some are forgotten."""
        return len(self._first)

    def __len__(self) -> int:
        return len(self._first) + len(self._last)

    @overload
    def __getitem__(self, index: int) -> PrintedLine: ...
    @overload
    def __getitem__(self, index: slice) -> list[PrintedLine]: ...
    def __getitem__(self, index: int | slice) -> PrintedLine | list[PrintedLine]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._first[index] if index < len(self._first) else self._last[index - len(self._first)]

    def __iter__(self) -> Iterator[PrintedLine]:
        return chain(self._first, self._last)

    def add(self, line: PrintedLine) -> int:
        """Keep a line.

        Returns:
            How many are forgotten for it.
        """
        cost = len(line.text) + _COST
        if not self._last and not self.gone and cost <= self._room:
            self._first.append(line)
            self._room -= cost
            return 0
        self._last.append(line)
        self._held += cost
        before = self.gone
        while self._held > LAST and len(self._last) > 1:
            old = self._last.popleft()
            self._held -= len(old.text) + _COST
            self.gone_from = self.gone_from or old.step
            self.gone += 1
            self.gone_characters += len(old.text)
        return self.gone - before

    def take_back(self) -> None:
        """Take the last line back: it goes on."""
        if self._last:
            self._held -= len(self._last.pop().text) + _COST
        else:
            self._room += len(self._first.pop().text) + _COST


class LineItems(Sequence[range]):
    """The lines that the cursor can be on: all but the one that tells of those that are forgotten."""

    def __init__(self, kept: KeptLines) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> range: ...
    @overload
    def __getitem__(self, index: slice) -> list[range]: ...
    def __getitem__(self, index: int | slice) -> range | list[range]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        line = index + (self._kept.gone > 0 and index >= self._kept.gap)
        return range(line, line + 1)
