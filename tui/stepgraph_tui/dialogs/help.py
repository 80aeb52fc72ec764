"""The keys that work where somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Input

from stepgraph_tui.commands import CONTEXTS, dialog_bindings
from stepgraph_tui.commands.live import LiveCommand, live_commands
from stepgraph_tui.text.cells import padded
from stepgraph_tui.widgets.chrome.find_bar import FilterLine
from stepgraph_tui.widgets.chrome.status_lines import KeyLine
from stepgraph_tui.widgets.lines import wrapped
from stepgraph_tui.widgets.words import entitle, one_line

from .pages import Copy, Page

_MOVING = "Moving"
HEADINGS = (
    "Debug", "This pane", "This search", "This question", "This review", "This form", "This dialog",
    "Home", "Runs", "Inbox", "Workbench", "Everywhere", _MOVING,
)  # fmt: skip
"""The groups of the help: the keys of a mode are what somebody asks for first."""
_TWO_COLUMNS_FROM = 100  # cells
_BETWEEN = 4  # cells between the columns


class HelpScreen(Page):
    """Lists keys with what they do: those of the mode, then the nearest; what only moves comes last.

    Args:
        screen: The screen whose keys are asked for, as it is now.
        copy: Copies a text.
    """

    BINDINGS = dialog_bindings("list", "help")

    def __init__(self, screen: Screen[Any], copy: Copy | None = None) -> None:
        super().__init__("KEYS", copy)
        self._live = sorted(live_commands(screen), key=lambda live: not live.command.palette)
        self._filter = FilterLine()

    def compose(self) -> ComposeResult:
        """Put the filter above the keys."""
        entitle(self._frame, self._title)
        with self._frame:
            yield self._filter
            yield self._lines
            yield KeyLine()

    def action_filter(self) -> None:
        """Show only the keys whose description has a text."""
        self._more = 1
        self._filter.open()
        self.show_lines(self.app.size)

    def action_close(self) -> None:
        """Show all keys again; then close the dialog."""
        if not self._filter.display:
            super().action_close()
            return
        self._more = 0
        self._filter.clear()
        self.set_focus(None)
        self.show_lines(self.app.size)

    @on(Input.Changed)
    def _filtered(self) -> None:
        self.show_lines(self.app.size)

    @on(Input.Submitted)
    def _read(self) -> None:
        self.set_focus(None)

    def _groups(self) -> dict[str, list[LiveCommand]]:
        """Group what has the text of the filter."""
        wanted = self._filter.text.casefold()
        groups: dict[str, list[LiveCommand]] = {}
        for live in self._live:
            if wanted in f"{' '.join(live.keys)} {live.wording.label} {live.wording.tooltip}".casefold():
                heading = _MOVING if live.command.moves else CONTEXTS[live.command.context].help
                groups.setdefault(heading, []).append(live)
        return groups

    def lines(self, width: int) -> list[Text]:
        """Put the groups one below the other, or in two columns."""
        found = self._groups()
        headings = sorted(found, key=HEADINGS.index)
        if not headings:
            return [one_line(f"no key has {self._filter.text} in what it does", "dim")]
        if width < _TWO_COLUMNS_FROM or len(headings) < 2:
            return _column([_group(heading, found[heading], width) for heading in headings])
        column = (width - _BETWEEN) // 2
        groups = [_group(heading, found[heading], column) for heading in headings]
        at = _second_column(list(map(len, groups)))
        return _side_by_side(_column(groups[:at]), _column(groups[at:]), column)


def _group(heading: str, commands: Iterable[LiveCommand], width: int) -> list[Text]:
    """Write a heading and its rows; what a key does is wrapped beside its key."""
    rows = [("  ".join(live.keys), live.wording.tooltip) for live in commands]
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
