"""A model's reply as the log shows it: in rows as wide as the pane, while it still comes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from stepgraph_tui.text.plain import visible_lines
from stepgraph_tui.text.wrapping import ends_of_rows

HELD = 400
"""Characters of an unfinished line that can still change: a secret that comes in pieces is hidden in them."""


class ReplyRow(NamedTuple):
    """A row of a reply, safe to show."""

    text: str
    goes_on: bool
    """Whether it goes on with the line of the row before."""


class WrappedReply:
    """Breaks what a model says into rows, piece by piece; what came long ago is not looked at again."""

    def __init__(self) -> None:
        self._rows: list[ReplyRow] = []  # the rows that what comes next may still change

    @property
    def changeable(self) -> int:
        """How many of the last rows are given anew with the next piece."""
        return len(self._rows)

    def add(self, text: str, width: int, mask: Callable[[str], str]) -> list[ReplyRow]:
        """Take the next piece; gives all rows from the first that may have changed.

        Args:
            text: The piece, as it came.
            width: The cells of a row.
            mask: Hides secrets in a text.
        """
        goes_on = bool(self._rows) and self._rows[0].goes_on
        whole = mask("".join(row.text for row in self._rows) + text.replace("\r\n", "\n"))
        rows = []
        for line in visible_lines(whole):
            for start, end in pairwise((0, *ends_of_rows(line, width, width))):
                rows.append(ReplyRow(line[start:end], goes_on or start > 0))
                goes_on = False
        first = held = 0
        for first in range(len(rows) - 1, -1, -1):
            held += len(rows[first].text)
            if held >= HELD or not rows[first].goes_on:
                break
        self._rows = [] if rows[-1] == ReplyRow("", goes_on=False) else rows[first:]
        return rows if self._rows else rows[:-1]
