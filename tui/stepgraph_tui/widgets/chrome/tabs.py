"""Chips, dividers and tabs on one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from ..part_styles import MUTED
from ..words import one_line
from .status_lines import OneLine, between


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
        """Show the parts of a filter; nothing is painted that is there already.

        Args:
            chips: The parts, as they were written.
            clears: Tells how to clear it.
        """
        self.display = bool(chips)
        if self._shown != (chips, clears):
            self._shown = chips, clears
            parts = [part for chip in chips for part in (one_line(f" {chip} ", "reverse"), "  ")]
            self.update(Text.assemble("Filter  ", *parts, (clears, "dim")))


class Divider(Widget):
    """A line from top to bottom; where rules touch it, it has the characters that join them."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Divider {
        width: 1;
        height: 1fr;
        color: $text-muted;
        pointer: ew-resize;
        &:hover, &.-dragged { color: $primary; text-style: bold; }
    }
    """

    joints: reactive[Mapping[int, str]] = reactive(dict)
    """Other characters than ``│``, by their row; rows below 0 are counted from the bottom."""

    @dataclass
    class Moved(Message):
        """The mouse drags the line by some cells, to the right when positive."""

        by: int

    _held_at: int | None = None

    def render_line(self, y: int) -> Strip:
        """Draw one cell of the line."""
        joint = self.joints.get(y) or self.joints.get(y - self.size.height)
        return Strip([Segment(joint or "│", self.rich_style)], 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Grab the line."""
        self.capture_mouse()
        self.add_class("-dragged")
        self._held_at = event.screen_x

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the line with the mouse."""
        if self._held_at is not None and event.screen_x != self._held_at:
            by, self._held_at = event.screen_x - self._held_at, event.screen_x
            self.post_message(self.Moved(by))

    def on_mouse_up(self) -> None:
        """Release the divider."""
        self.release_mouse()
        self.remove_class("-dragged")
        self._held_at = None


class WordTabs(OneLine):
    """Names tabs, of which one is chosen; a click chooses another one."""

    DEFAULT_CSS = """
    WordTabs {
        background: $panel;
    }
    """
    LOOKS: ClassVar[Mapping[str, str]] = {"title": "bold", "chosen": "bold reverse", "dim": MUTED}

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        number: int

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[str, Sequence[str], int, str] = "", (), 0, ""
        self._places: list[range] = []

    def show(self, title: str, tabs: Sequence[str], chosen: int, right: str = "") -> None:
        """Show tabs."""
        if self._shown != (title, tabs, chosen, right):
            self._shown = title, tabs, chosen, right
            self.refresh()

    def line(self, width: int) -> Text:
        """Write the tabs, the chosen one in brackets: color alone says nothing."""
        title, tabs, chosen, right = self._shown
        line = Text.assemble(" ", self.span(title, "title"), "  ")
        self._places = []
        for number, tab in enumerate(tabs):
            start = line.cell_len
            here = number == chosen
            line.append_text(self.span(f"[{tab}]" if here else f" {tab} ", "chosen" if here else "dim"))
            self._places.append(range(start, line.cell_len))
        left = max(0, width - line.cell_len - 1)  # the tabs come first
        return between(line, self.span(right if len(right) <= left else "", "dim"), width)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab below the mouse."""
        number = next((at for at, cells in enumerate(self._places) if event.x in cells), None)
        if number is not None:
            self.post_message(self.Chosen(number))
