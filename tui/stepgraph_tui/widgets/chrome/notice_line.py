"""A line that says something as long as it is so, and takes no room otherwise."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static


class NoticeLine(Static):
    """Says something that is safe to show; nothing is painted that stands there already."""

    DEFAULT_CSS = """
    NoticeLine {
        height: 1;
        padding: 0 1;
        color: $text-success;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="notice")
        self._shown = ""
        self.display = False

    def show(self, text: str) -> bool:
        """Say something, nothing where the text is empty; return whether that is new."""
        if text == self._shown:
            return False
        self._shown = text
        self.display = bool(text)
        self.update(Text(text))
        return True
