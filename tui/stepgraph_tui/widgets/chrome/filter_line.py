"""The line above a list in which a person writes what the list is to show."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from .line_field import LineField


class FilterLine(Horizontal):
    """Has the field of a filter; it takes no room until it is opened."""

    DEFAULT_CSS = """
    FilterLine {
        height: 1;
        background: $boost;
        & > Static {
            width: 3;
            padding: 0 1;
            color: $accent;
            text-style: bold;
        }
        & > Input { background: $boost; }
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="filter")
        self._field = LineField(compact=True)
        self.display = False

    def compose(self) -> ComposeResult:
        """Compose the sign of the filter, and the field."""
        yield Static("/")
        yield self._field

    @property
    def text(self) -> str:
        """What is written there."""
        return self._field.value

    @property
    def writes(self) -> bool:
        """Whether keys go to the field."""
        return self._field.has_focus

    def open(self) -> None:
        """Show the field, and give it the keys."""
        self.display = True
        self._field.focus()

    def hide(self) -> None:
        """Take no more room; what is written stays."""
        self.display = False

    def clear(self) -> None:
        """Ask for nothing any more, and take no more room."""
        self._field.value = ""
        self.hide()
