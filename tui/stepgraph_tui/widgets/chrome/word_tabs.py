"""The first line of a screen with tabs: its name, the tabs, what else there is to say at the right end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.message import Message

from .one_line import OneLine, between


class WordTabs(OneLine):
    """Names tabs, of which one is chosen; a click chooses another one."""

    DEFAULT_CSS = """
    WordTabs {
        background: $panel;
        & > .word-tabs--title { text-style: bold; }
        & > .word-tabs--chosen { text-style: bold reverse; }
        & > .word-tabs--dim { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"word-tabs--title", "word-tabs--chosen", "word-tabs--dim"}

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        number: int

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[str, Sequence[str], int, str] = "", (), 0, ""
        self._places: list[range] = []

    def show(self, title: str, tabs: Sequence[str], chosen: int, right: str = "") -> None:
        """Show tabs; all texts are safe to show."""
        if self._shown != (title, tabs, chosen, right):
            self._shown = title, tabs, chosen, right
            self.refresh()

    def line(self, width: int) -> Text:
        """Write the tabs, the chosen one in brackets: colour alone says nothing."""
        title, tabs, chosen, right = self._shown
        line = Text.assemble(" ", self.span(title, "word-tabs--title"), "  ")
        self._places = []
        for number, tab in enumerate(tabs):
            start = line.cell_len
            here = number == chosen
            line.append_text(
                self.span(f"[{tab}]" if here else f" {tab} ", f"word-tabs--{'chosen' if here else 'dim'}")
            )
            self._places.append(range(start, line.cell_len))
        left = max(0, width - line.cell_len - 1)  # the tabs come first
        return between(line, self.span(right if len(right) <= left else "", "word-tabs--dim"), width)

    def on_click(self, event: events.Click) -> None:
        """Choose the tab below the mouse."""
        number = next((at for at, cells in enumerate(self._places) if event.x in cells), None)
        if number is not None:
            self.post_message(self.Chosen(number))
