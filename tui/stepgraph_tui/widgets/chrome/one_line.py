"""Widgets of one line, which say the most important things that they have room for."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.widget import Widget


class OneLine(Widget):
    """One line of the screen: it never wraps, and never takes the keys."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    OneLine {
        width: 1fr;
        height: 1;
        text-wrap: nowrap;
        text-overflow: clip;
        & > .one-line--key { color: $text-accent; text-style: bold; }
        & > .one-line--label { color: $foreground; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"one-line--key", "one-line--label"}

    def render(self) -> Text:
        """Make the line, no longer than there is room."""
        width = self.size.width
        line = self.line(width)
        shorten(line, width)
        return line

    def line(self, width: int) -> Text:
        """Say something in so many cells; more than that is cut off."""
        raise NotImplementedError

    def span(self, text: str, part: str) -> Text:
        """Style a part of the line as a component class. The text is safe to show."""
        return Text(text, self.get_component_rich_style(part))

    def named(self, key: str, what: str) -> Text:
        """Name a key with what it does, and two blanks behind."""
        return Text.assemble(self.span(key, "one-line--key"), self.span(f" {what}  ", "one-line--label"))


def shorten(line: Text, width: int) -> None:
    """Cut a line to so many cells, with an ellipsis for what was cut off."""
    if line.cell_len > width:
        line.truncate(max(1, width), overflow="ellipsis" if width > 1 else "crop")


def between(left: Text, right: Text, width: int, fill: str = " ") -> Text:
    """Fill a line of so many cells between its two ends; the left one is cut when it must be."""
    shorten(left, max(0, width - right.cell_len))
    return left.copy().append(fill * (width - left.cell_len - right.cell_len)).append_text(right)
