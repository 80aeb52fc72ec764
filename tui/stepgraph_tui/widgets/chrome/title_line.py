"""The first line of a screen that lists something: what it lists, and how many reviews wait."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events

from stepgraph_tui.commands.hints import Hints

from .one_line import OneLine, between, shorten


class TitleLine(OneLine):
    """Says what is listed, and at its right end how many reviews of the store wait.

    Args:
        hints: Names the key of the inbox.
    """

    DEFAULT_CSS = """
    TitleLine {
        background: $panel;
        & > .title-line--waiting { color: $text-warning; text-style: bold reverse; }
        & > .title-line--none { color: $text-muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"title-line--waiting", "title-line--none"}

    def __init__(self, hints: Hints) -> None:
        super().__init__()
        self._hints = hints
        self._shown: tuple[Text, int] = Text(), 0
        self._count_at = 0  # where the count begins that was painted last

    async def on_click(self, event: events.Click) -> None:
        """List the reviews that are counted."""
        if event.x >= self._count_at:
            await self.app.run_action("app.inbox")

    def show(self, title: Text, waiting: int) -> None:
        """Show a title, which is safe to show; nothing is painted where it says so already."""
        if self._shown != (title, waiting):
            self._shown = title, waiting
            self.refresh()

    def line(self, width: int) -> Text:
        """Write the title and the count; where there is little room, the count without words."""
        title, waiting = self._shown
        key, part = self._hints.key("app.inbox"), f"title-line--{'waiting' if waiting else 'none'}"
        left = Text.assemble(" ", title)
        for words in (" waiting ", " "):
            right = self.span(f" {key} {waiting}{words}", part)
            if left.cell_len + right.cell_len < width:
                break
        shorten(left, max(0, width - right.cell_len - 1))
        self._count_at = width - right.cell_len
        return between(left, right, width)
