"""What dialogs share: a moment to begin in, and scrolling what need not have the focus."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.screen import ModalScreen
from textual.widget import Widget

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Generic[Answer], inherit_bindings=False):
    """A dialog with something to do once its widgets are there."""

    AUTO_FOCUS = ""

    def on_mount(self) -> None:
        """Begin, unless a key was faster: then the dialog is gone, and nothing of it can be found."""
        if self in self.app.screen_stack:
            self.begin()

    def begin(self) -> None:
        """Do what is due once everything is there."""
        raise NotImplementedError


def scroll(widget: Widget, way: str) -> None:
    """Scroll a widget as a key of a dialog says.

    Args:
        widget: What scrolls.
        way: ``down``, ``up``, ``page_down``, ``page_up``, ``top`` or ``bottom``.
    """
    ways = {
        "down": widget.scroll_down,
        "up": widget.scroll_up,
        "page_down": widget.scroll_page_down,
        "page_up": widget.scroll_page_up,
        "top": widget.scroll_home,
        "bottom": widget.scroll_end,
    }
    ways[way](animate=False)
