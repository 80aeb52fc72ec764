"""Which parts of the texts that a decision is about have been on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stepgraph_tui.text.plain import WHOLE, value_text, visible_lines

if TYPE_CHECKING:
    from stepgraph.values.json_values import Json

LONGEST = 100_000
"""How many characters of one text can be shown."""


class Told(NamedTuple):
    """A text of a review, safe to show, with its line breaks.

    It is what it says, and the heading under which it says it: of any other, nothing has been seen yet.
    """

    heading: str
    """Empty for a text of which it does not matter whether it is read."""
    text: str
    left_out: int = 0
    """How many characters are more than can be shown."""


MustRead = Mapping[str, Sequence[tuple[Told, ...]]]
"""Names what must be read, each in one of several ways: as one text, say, or in parts."""


class Passage(NamedTuple):
    """The characters of a text that one row shows."""

    of: Told
    start: int
    stop: int


def told(heading: str, text: str) -> Told:
    """Make a text safe to show."""
    safe = "\n".join(visible_lines(text[:LONGEST]))
    return Told(heading, safe, max(0, len(text) - LONGEST))


class Reading:
    """Remembers, character by character, what of some texts has been on the screen.

    Rows come and go as the screen changes its size and as pages are turned; the texts stay the same.
    """

    def __init__(self) -> None:
        self._shown: dict[Told, bytearray] = {}

    def note(self, passage: Passage) -> None:
        """Take it that a row is on the screen."""
        of, start, stop = passage
        self._shown.setdefault(of, bytearray(len(of.text)))[start:stop] = b"\1" * (stop - start)

    def has(self, passage: Passage) -> bool:
        """Tell whether all of a passage has been seen."""
        of, start, stop = passage
        return start == stop or self._shown.get(of, b"").count(1, start, stop) == stop - start

    def missing(self, wanted: MustRead) -> MustRead:
        """Find what has not been seen to its end, in none of its ways."""
        return {name: ways for name, ways in wanted.items() if not any(map(self._all_of, ways))}

    def _all_of(self, texts: Sequence[Told]) -> bool:
        return all(self.has(Passage(text, 0, len(text.text))) and not text.left_out for text in texts)


def full_text(value: Json) -> str:
    """Write a whole value: a text of several lines line by line, every other one as JSON."""
    return value if isinstance(value, str) and "\n" in value else value_text(value, WHOLE)
