"""Words that others may have written, safe to show: a paragraph, the title of a frame."""

from __future__ import annotations

from rich.style import StyleType
from rich.text import Text
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ..text.characters import visible


def one_line(text: str, style: StyleType = "") -> Text:
    """Write words on one line: they take no markup, a line break begins no line, and nothing hides."""
    return Text(visible(text), style)


class Words(Static):
    """Shows one text as one paragraph: it takes no markup, and a line break in it begins no line.

    Args:
        text: The text, as somebody wrote it.
        classes: The style classes.
    """

    def __init__(self, text: str = "", *, classes: str | None = None) -> None:
        super().__init__(one_line(text), classes=classes)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show another text; after a cross and in the color of mistakes where it reports one."""
        self.set_class(wrong, "-wrong")
        self.update(one_line(f"✗ {text}" if wrong else text))


def entitle(frame: Widget, title: str) -> None:
    """Write a title into the upper border of a frame."""
    frame.border_title = Content(visible(title))
