"""The places where a text was found, and which of them is looked at."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable


class Matches:
    """The lines or entries of a pane that contain a text, whatever its case.

    Args:
        text: What is looked for; not empty.
        texts: Where it is looked for, each by its place.
        near: The first match at or after this place is looked at first.
    """

    def __init__(self, text: str, texts: Iterable[str], near: int) -> None:
        self.text = text
        self.pattern = re.compile(f"({re.escape(text)})", re.IGNORECASE)
        """One group that matches the text; for ``lines.marked``."""
        self.places = [place for place, found in enumerate(texts) if self.pattern.search(found)]
        self._at = bisect_left(self.places, near)
        self.turn(0)

    @property
    def place(self) -> int | None:
        """Where the match is that is looked at; None when there is none."""
        return self.places[self._at] if self.places else None

    def __contains__(self, place: int) -> bool:
        at = bisect_left(self.places, place)
        return at < len(self.places) and self.places[at] == place

    def turn(self, by: int) -> None:
        """Look at the next match, or the one before; after the last comes the first."""
        self._at = (self._at + by) % max(1, len(self.places))

    def __str__(self) -> str:
        return f"{self._at + 1} of {len(self.places)}" if self.places else "not found"
