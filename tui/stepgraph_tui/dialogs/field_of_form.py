"""What forms know of their fields, whatever kind they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from textual.dom import DOMNode
from textual.message import Message


class FieldOfForm(Protocol):
    """What forms know of their fields."""

    @property
    def changed(self) -> bool:
        """Whether somebody changed it."""

    @property
    def can_be_edited(self) -> bool:
        """Whether it can have the focus, unless it is folded."""

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line here."""

    @property
    def has_focus_within(self) -> bool:
        """Whether it has the focus."""

    @property
    def ancestors(self) -> list[DOMNode]:
        """What it stands in."""

    def focus_editor(self) -> object:
        """Go to the field."""


AnyField = TypeVar("AnyField", bound=FieldOfForm)


def go_on(fields: Sequence[AnyField], done: AnyField) -> bool:
    """Go to the field behind one that is done; False where it is the last."""
    at = fields.index(done) + 1
    if at < len(fields):
        fields[at].focus_editor()
    return at < len(fields)


class FieldEntered(Message, Generic[AnyField]):
    """Enter was pressed in a field: it is done."""

    def __init__(self, field: AnyField) -> None:
        super().__init__()
        self.field = field
