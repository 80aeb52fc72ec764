"""Looking for a text in everything that unfolding could show, up to a bound."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from stepgraph.values.compare import shown
from stepgraph.values.json_values import Json
from stepgraph_tui.widgets.matches import Matches

from .branches import Found
from .row import Path

MOST_VALUES = 50_000
"""In how many values a text is looked for; more would keep the keys waiting."""
MOST_CHARACTERS = 2_000_000
"""In how many characters of them all."""
LONGEST = 200_000
"""In how many characters of one of them."""


class Search:
    """A text and the values that it is in.

    Args:
        text: What is looked for; not empty.
        found: All values, in the order in which they are shown.
        near: The value from which on the first match is looked for.
    """

    def __init__(self, text: str, found: Iterator[Found], near: Path | None) -> None:
        self.text = text
        self._whole = True
        self._paths: list[Path] = []
        texts: list[str] = []
        left = MOST_CHARACTERS
        for path, name, value in islice(found, MOST_VALUES):
            self._paths.append(path)
            texts.append(f"{self._cut(name)} {self._cut(_text(value))}")
            left -= len(texts[-1])
            if left <= 0:
                break
        self._whole = self._whole and next(found, None) is None
        self._matches = Matches(text, texts, self._paths.index(near) if near in self._paths else 0)
        self.pattern = self._matches.pattern

    def _cut(self, text: str) -> str:
        self._whole = self._whole and len(text) <= LONGEST
        return text[:LONGEST]

    @property
    def path(self) -> Path | None:
        """The match that is looked at; None when there is none."""
        return None if self._matches.place is None else self._paths[self._matches.place]

    def turn(self, by: int) -> None:
        """Look at the next match, or the one before."""
        self._matches.turn(by)

    def __str__(self) -> str:
        return f"{self._matches}{'' if self._whole else ', not all was searched'}"


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, (dict, list)) else shown(value)
