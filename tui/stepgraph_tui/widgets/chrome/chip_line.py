"""The line that tells by which filter a list is cut down, while nobody writes it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import Static

from stepgraph_tui.text.plain import visible


class ChipLine(Static):
    """Shows each part of a filter as a chip; it takes no room where there is none."""

    DEFAULT_CSS = """
    ChipLine {
        height: 1;
        padding: 0 1;
        background: $boost;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="chips")
        self._shown: tuple[Sequence[str], str] = (), ""
        self.display = False

    def show(self, chips: Sequence[str], clears: str) -> None:
        """Show the parts of a filter; nothing is painted that stands there already.

        Args:
            chips: The parts, as they were written.
            clears: Tells how to clear it.
        """
        self.display = bool(chips)
        if self._shown != (chips, clears):
            self._shown = chips, clears
            told = [part for chip in chips for part in ((f" {visible(chip)} ", "reverse"), "  ")]
            self.update(Text.assemble("Filter  ", *told, (clears, "dim")))
