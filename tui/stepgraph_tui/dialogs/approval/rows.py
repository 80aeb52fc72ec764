"""The rows that the pages of a review are made of: labels of ours on the left, data on the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...text.cells import cell_len
from ...text.diffs import DiffPart, Mark
from ...text.plain import WHOLE, value_text, visible_lines
from ...widgets.lines import wrapped

if TYPE_CHECKING:
    from stepgraph.values import Json


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
    """Return a text that is safe to show."""
    safe = "\n".join(visible_lines(text[:LONGEST]))
    return Told(heading, safe, max(0, len(text) - LONGEST))


class Reading:
    """Remembers, character by character, what of some texts has been on the screen.

    Rows come and go as the screen changes its size and as pages are turned; the texts stay the same.
    """

    def __init__(self) -> None:
        self._shown: dict[Told, bytearray] = {}

    def note(self, passage: Passage) -> None:
        """Record that a row is on the screen."""
        of, start, stop = passage
        self._shown.setdefault(of, bytearray(len(of.text)))[start:stop] = b"\1" * (stop - start)

    def has(self, passage: Passage) -> bool:
        """Check whether all of a passage has been seen."""
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


Role = Literal["plain", "label", "asks", "action", "data", "dim", "good", "bad", "warn"]
"""What a part of a row is; the view has a style for each. The question, the action and other values are of
three weights, also without color."""
Part = tuple[str, Role]
"""A text that is safe to show, and what it is."""
_LABEL = 10  # cells
_NARROW = 40  # cells; below this a label is above what it is the label of
_GUTTER: Part = ("│ ", "dim")
_MARKED: dict[Mark, Role] = {"": "data", "+": "good", "-": "bad"}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row of a page, cut where it is too long."""

    parts: tuple[Part, ...] = ()
    right: Part | None = None
    """What is at the right end, where there is room for it."""
    rule: bool = False
    """Whether it is a rule between two sections."""
    passage: Passage | None = None
    """What it shows of a text that must be read before anything is approved."""

    @property
    def width(self) -> int:
        """How many cells it needs to be shown whole."""
        return sum(cell_len(text) for text, _ in self.parts)


class RowWriter:
    """Writes the rows of a page.

    Data never reaches the column of the labels, and data of several lines comes after a line of its own:
    whatever a model writes, it cannot look like a part of the dialog.

    Args:
        width: How many cells a row has.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[ReviewRow] = []
        self._indent = _LABEL if width >= _NARROW else 2

    @property
    def room(self) -> int:
        """How many cells there are beside the labels."""
        return max(2, self.width - self._indent)

    def rule(self) -> None:
        """End a section."""
        self.rows.append(ReviewRow(rule=True))

    def blank(self) -> None:
        """Leave a row empty."""
        self.rows.append(ReviewRow())

    def add(
        self, label: str, parts: Iterable[Part], right: Part | None = None, passage: Passage | None = None
    ) -> None:
        """Write a row."""
        if label and self._indent < _LABEL:
            self.rows.append(ReviewRow(((label, "label"),)))
            label = ""
        self.rows.append(ReviewRow(((f"{label:<{self._indent}}", "label"), *parts), right, passage=passage))

    def words(self, label: str, text: str, role: Role = "plain") -> None:
        """Write words of ours, on as many rows as they need."""
        for number, line in enumerate(wrapped(text, self.room)):
            self.add("" if number else label, [(line, role)])

    def data(self, label: str, text: str, role: Role = "data") -> None:
        """Write a text with its line breaks, on as many rows as it needs; it is made safe here."""
        self.text(label, told("", text), role)

    def text(self, label: str, text: Told, role: Role = "data", most: int | None = None) -> bool:
        """Write a text with its line breaks, on as many rows as it needs.

        Args:
            label: Its label.
            text: What to show.
            role: What it is.
            most: How many rows it may take; then nothing counts what is left out.

        Returns:
            Whether all of it is shown.
        """
        begun = text.text if most is None else text.text[: most * self.room]
        lines = list(_lines(begun, self.room))
        gutter: list[Part] = []
        if len(lines) > 1 or len(begun) < len(text.text):
            lines = list(_lines(begun, self.room - cell_len(_GUTTER[0])))
            gutter = [_GUTTER] if len(lines) > 1 else []
        stops = [*(start for start, _ in lines[1:]), len(begun)]
        for number, ((start, line), stop) in enumerate(zip(lines[:most], stops, strict=False)):
            passage = Passage(text, start, stop) if text.heading else None
            self.add("" if number else label, [*gutter, (line, role)], passage=passage)
        if most is None:
            self.left_out(text.left_out)
        return len(lines[:most]) == len(lines) and len(begun) == len(text.text) and not text.left_out

    def left_out(self, characters: int) -> None:
        """Return how many characters are hidden, if any."""
        if characters > 0:
            self.words("", f"… {characters:,} more characters, not shown here", "warn")

    @property
    def marked_room(self) -> int:
        """How many cells a row of a marked text has."""
        return max(2, self.room - cell_len(_GUTTER[0]))

    def diff(self, parts: Iterable[DiffPart]) -> None:
        """Write a row of a text, with what was removed and what was added marked."""
        self.add("", [_GUTTER, *((text, _MARKED[mark]) for mark, text in parts)])


def _lines(text: str, width: int) -> Iterator[tuple[int, str]]:
    """Wrap a safe text, and tell where in it each row begins."""
    start = 0
    for line in text.split("\n"):
        at = 0
        for row in wrapped(line, width):
            yield start + at, row
            at += len(row)
            at += line[at : at + 1] == " "  # lost where the line was broken
        start += len(line) + 1
