"""Taking one of many: type a part of its name, or go to it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from stepgraph_tui.widgets.chrome.key_line import KeyLine
from stepgraph_tui.words.text import visible

from .choice import Choice
from .choice_list import ChoiceList
from .field import PickField

_LOW = 10
"""Rows, below which there is room for the field and the list alone."""
_AROUND = 4
"""Rows around list and hint: the frame, the field and the keys."""


class Pick(ModalScreen[str | None], inherit_bindings=False):
    """Asks for one of several choices; hands back its id, or None.

    Args:
        title: What is asked for.
        choices: What there is, in an order that people know.
        hint: What to know before taking one.
        current: The id of the choice that has the cursor at first.
    """

    AUTO_FOCUS = "PickField"
    CSS_PATH = "pick.tcss"

    def __init__(self, title: str, choices: Sequence[Choice], *, hint: str = "", current: str = "") -> None:
        super().__init__()
        self._heading, self._hint = title, hint
        self._count = len(choices)
        self._list = ChoiceList(choices, current)

    def compose(self) -> ComposeResult:
        """The field above the list."""
        with Vertical(classes="pick") as frame:
            frame.border_title = Text(visible(self._heading))
            yield PickField(self._list, placeholder="part of a name")
            if self._hint:
                yield Static(Text(visible(self._hint)), classes="hint")
            yield self._list
            yield KeyLine()

    def on_resize(self, event: events.Resize) -> None:
        """Be as high as all choices need, and stay so while they are narrowed down."""
        low = event.size.height < _LOW
        self.set_class(low, "-low")
        rows = self._count + _AROUND + (1 if self._hint and not low else 0)
        self.query_one(".pick").styles.height = min(event.size.height, max(rows, _AROUND + 1))

    @on(Input.Changed)
    def narrow_down(self, message: Input.Changed) -> None:
        """Show what fits what was typed."""
        self._list.narrow_down(message.value)

    @on(Input.Submitted)
    @on(ChoiceList.Taken)
    def take(self) -> None:
        """Hand back what is selected."""
        selected = self._list.selected
        if selected is None:
            self.app.bell()
        else:
            self.dismiss(selected.id)

    @on(PickField.Left)
    def leave(self) -> None:
        """Hand back nothing."""
        self.dismiss(None)
