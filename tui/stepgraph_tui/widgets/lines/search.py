"""Looking for a text in a list, and going from match to match."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable


class Search:
    """Finds a text, whatever its case, and remembers which match is looked at.

    Args:
        texts: Makes what is searched, each text by its place; asked anew for each search.
        here: Tells the place from which on the first match is looked for.
        go: Shows the place of a match; None where there is none, or none is to be marked any more.
    """

    def __init__(
        self, texts: Callable[[], Iterable[str]], here: Callable[[], int], go: Callable[[int | None], None]
    ) -> None:
        self._texts, self._here, self._go = texts, here, go
        self._text = ""
        self._at = 0
        self._places: list[int] = []
        self.pattern: re.Pattern[str] | None = None
        """One group that matches the text, for ``marked``; None while nothing is searched."""
        self.partly = False
        """Whether ``texts`` has left something out because it is too much."""

    @property
    def place(self) -> int | None:
        """Where the match is that is looked at; None when there is none."""
        return self._places[self._at] if self._places else None

    def __contains__(self, place: int) -> bool:
        at = bisect_left(self._places, place)
        return at < len(self._places) and self._places[at] == place

    def __str__(self) -> str:
        if self.pattern is None:
            return ""
        found = f"{self._at + 1} of {len(self._places)}" if self._places else "not found"
        return f"{found}, not all was searched" if self.partly else found

    def find(self, text: str) -> str:
        """Go to the first match of a text from here on; an empty one ends the search.

        Returns:
            Which match of how many it is, in words: ``2 of 7``, ``not found``.
        """
        if not text:
            self.end()
            return ""
        self._text = text
        self.pattern = re.compile(f"({re.escape(text)})", re.IGNORECASE)
        self.renew()
        return self.next(0)

    def renew(self, near: int | None = None) -> None:
        """Look for the same text in what there is now, if one is looked for; nothing is gone to.

        Args:
            near: The place from which on a match is looked at, if it is not ``here``.
        """
        if self.pattern is not None:
            search = self.pattern.search
            self._places = [place for place, text in enumerate(self._texts()) if search(text)]
            at = bisect_left(self._places, self._here() if near is None else near)
            self._at = at % max(1, len(self._places))

    def next(self, by: int) -> str:
        """Go so many matches on; after the last comes the first."""
        if self.pattern is not None:
            self._at = (self._at + by) % max(1, len(self._places))
            self._go(self.place)
        return str(self)

    def end(self) -> bool:
        """Look for nothing any more.

        Returns:
            Whether anything was looked for.
        """
        searched = self.pattern is not None
        self.forget()
        self._go(None)
        return searched

    def forget(self) -> None:
        """Look for nothing any more, without a word to anybody."""
        self.pattern, self._places, self.partly = None, [], False
