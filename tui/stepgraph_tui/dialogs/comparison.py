"""A page that shows where two runs part, and what differs between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from stepgraph_tui.text.cells import hanging
from stepgraph_tui.text.comparison import ComparedRuns

from .pages import Copy, Page

if TYPE_CHECKING:
    from stepgraph.stores import StateStore


class ComparisonPage(Page):
    """Shows two runs beside each other, as they stood when it was opened.

    Args:
        store: Where they are.
        left: A run.
        right: Another one.
        copy: Copies a text.

    Raises:
        StepgraphError: One of them cannot be read.
    """

    def __init__(self, store: StateStore, left: str, right: str, copy: Copy | None = None) -> None:
        super().__init__(f"{left} AND {right}", copy)
        self._told = list(ComparedRuns(store, left, right).lines())

    def lines(self, width: int) -> list[Text]:
        """Wrap the lines; those that are indented go on further in."""
        shown = []
        for line in self._told:
            style = "bold" if line[:1].isupper() and line.split(" ")[0].isupper() else ""
            first, *others = hanging(line, width, hang=2)
            shown.append(Text(first, style))
            shown += map(Text, others)
        return shown
