"""The keys that work where somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text
from textual.screen import Screen

from stepgraph_tui.commands import CONTEXTS
from stepgraph_tui.commands.live import LiveCommand, live_commands
from stepgraph_tui.text.cells import padded
from stepgraph_tui.widgets.lines import wrapped

from .pages import Copy, Page

HEADINGS = (
    "Debug", "This pane", "This search", "This question", "This review", "This form", "This dialog",
    "Home", "Runs", "Inbox", "Workbench", "Everywhere",
)  # fmt: skip
"""The groups of the help: the keys of a mode are what somebody asks for first."""
_TWO_COLUMNS_FROM = 100  # cells
_BETWEEN = 4  # cells between the columns


class HelpScreen(Page):
    """Lists keys with what they do: those of the mode, then the nearest; what moves about comes last there.

    Args:
        screen: The screen whose keys are asked for, as it is now.
        copy: Copies a text.
    """

    def __init__(self, screen: Screen[Any], copy: Copy | None = None) -> None:
        super().__init__("KEYS", copy)
        self._groups: dict[str, list[LiveCommand]] = {}
        for live in live_commands(screen):
            self._groups.setdefault(CONTEXTS[live.command.context].help, []).append(live)
        for group in self._groups.values():
            group.sort(key=lambda live: not live.command.palette)  # what nobody looks for by its name moves

    def lines(self, width: int) -> list[Text]:
        """Put the groups one below the other, or in two columns."""
        headings = sorted(self._groups, key=HEADINGS.index)
        if width < _TWO_COLUMNS_FROM or len(headings) < 2:
            return _column([self._group(heading, width) for heading in headings])
        column = (width - _BETWEEN) // 2
        groups = [self._group(heading, column) for heading in headings]
        at = _second_column(list(map(len, groups)))
        return _side_by_side(_column(groups[:at]), _column(groups[at:]), column)

    def _group(self, heading: str, width: int) -> list[Text]:
        """Write a heading and its rows; what a key does is wrapped beside its key."""
        rows = [("  ".join(live.keys), live.wording.tooltip) for live in self._groups[heading]]
        keys = min(max(len(key) for key, _ in rows), width // 2)
        lines = [Text.assemble((heading.upper(), "bold underline"))]
        for key, does in rows:
            first, *others = wrapped(does, max(8, width - keys - 2))
            lines.append(Text.assemble((padded(key, keys), "bold"), "  ", first))
            lines += [Text(f"{' ' * (keys + 2)}{other}") for other in others]
        return lines


def _column(groups: Iterable[list[Text]]) -> list[Text]:
    """Join groups with an empty line between them."""
    lines = [line for group in groups for line in (Text(), *group)]
    return lines[1:]


def _second_column(lengths: list[int]) -> int:
    """Find after how many groups the second column begins, so that both are about as long."""
    return min(range(1, len(lengths)), key=lambda at: max(sum(lengths[:at]), sum(lengths[at:])))


def _side_by_side(left: list[Text], right: list[Text], column: int) -> list[Text]:
    lines = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else Text()
        line.append(" " * (column + _BETWEEN - line.cell_len))
        lines.append(line.append_text(right[number]) if number < len(right) else line)
    return lines
