"""The rows that the pages of a review are made of: labels of ours on the left, data on the right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.text.word_diff import DiffPart, Mark
from stepgraph_tui.widgets.lines import wrapped

Role = Literal["plain", "label", "asks", "action", "data", "dim", "good", "bad", "warn"]
"""What a part of a row is; the view has a style for each. The question, the action and other values are of
three weights, also without colour."""
Part = tuple[str, Role]
"""A text that is safe to show, and what it is."""
_LABEL = 10  # cells
_NARROW = 40  # cells; below this a label stands above what it is the label of
_GUTTER: Part = ("│ ", "dim")
_MARKED: dict[Mark, Role] = {"": "data", "+": "good", "-": "bad"}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A row of a page, cut where it is too long."""

    parts: tuple[Part, ...] = ()
    right: Part | None = None
    """What stands at the right end, where there is room for it."""
    rule: bool = False
    """Whether it is a rule between two sections."""


class RowWriter:
    """Writes the rows of a page.

    Data never reaches the column of the labels, and data of several lines stands behind a line of its own:
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

    def add(self, label: str, parts: Iterable[Part], right: Part | None = None) -> None:
        """Write a row."""
        if label and self._indent < _LABEL:
            self.rows.append(ReviewRow(((label, "label"),)))
            label = ""
        self.rows.append(ReviewRow(((f"{label:<{self._indent}}", "label"), *parts), right))

    def words(self, label: str, text: str, role: Role = "plain") -> None:
        """Write words of ours, on as many rows as they need."""
        for number, line in enumerate(wrapped(text, self.room)):
            self.add("" if number else label, [(line, role)])

    def data(self, label: str, text: str, most: int | None = None, role: Role = "data") -> bool:
        """Write a text with its line breaks, on as many rows as it needs.

        Args:
            label: Its label.
            text: What to show; it is made safe here.
            most: How many rows it may take.
            role: What it is.

        Returns:
            Whether all of it is shown.
        """
        begun = text if most is None else text[: most * self.room]
        lines = _lines(begun, self.room)
        if len(lines) > 1 or len(begun) < len(text):
            lines = _lines(begun, self.room - cell_len(_GUTTER[0]))
        for number, line in enumerate(lines[:most]):
            gutter = [_GUTTER] if len(lines) > 1 else []
            self.add("" if number else label, [*gutter, (line, role)])
        return len(lines[:most]) == len(lines) and len(begun) == len(text)

    @property
    def marked_room(self) -> int:
        """How many cells a row of a marked text has."""
        return max(2, self.room - cell_len(_GUTTER[0]))

    def marked(self, parts: Iterable[DiffPart]) -> None:
        """Write a row of a text in which is marked what went and what came."""
        self.add("", [_GUTTER, *((text, _MARKED[mark]) for mark, text in parts)])


def _lines(text: str, width: int) -> list[str]:
    return [row for line in visible_lines(text) for row in wrapped(line, width)]
