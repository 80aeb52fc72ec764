"""Something that a form tells and does not ask."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from stepgraph_tui.words.text import visible


class Fact(Horizontal):
    """A name and what it is, as the fields are laid out.

    Args:
        name: What it is called.
        text: What it is.
        note: Why it cannot be changed here.
    """

    DEFAULT_CSS = """
    Fact {
        height: auto;
        & > .value { height: auto; width: 1fr; padding-left: 2; }
    }
    """

    def __init__(self, name: str, text: str, note: str = "") -> None:
        super().__init__()
        self._title, self._text, self._note = name, text, note

    def compose(self) -> ComposeResult:
        """The name at the left."""
        yield Static(Text(visible(self._title)), classes="label")
        yield Static(
            Text.assemble(visible(self._text), (f"   {visible(self._note)}", "dim")), classes="value"
        )
