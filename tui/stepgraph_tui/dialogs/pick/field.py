"""The field of a list to pick from: what is typed narrows the list down, other keys move its cursor."""

from __future__ import annotations

from textual.message import Message

from stepgraph_tui.commands import PICK, bindings
from stepgraph_tui.dialogs.forms.editors import LineField

from .choice_list import ChoiceList

LONGEST = 1_000
"""Characters that can be typed or pasted; more would only be slow."""


class PickField(LineField):
    """A field of one line above a list.

    Args:
        choices: The list.
        value: What stands in the field at first.
        placeholder: What is to be typed.
    """

    BINDINGS = bindings(PICK)

    class Left(Message):
        """Nothing is to be taken."""

    def __init__(self, choices: ChoiceList, value: str = "", placeholder: str = "") -> None:
        super().__init__(value, placeholder, max_length=max(LONGEST, len(value)), compact=True)
        self._choices = choices

    def action_move(self, by: int) -> None:
        """Move the cursor of the list."""
        self._choices.move(by)

    def action_turn(self, by: int) -> None:
        """Move the cursor of the list by pages."""
        self._choices.turn(by)

    def action_leave(self) -> None:
        """Take nothing."""
        self.post_message(self.Left())
