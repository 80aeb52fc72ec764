"""What dialogs share: a moment to begin in, and their line of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual.screen import ModalScreen

TALKS = "talks"
"""The group of the workers that wait for a person: nothing is at work meanwhile."""

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Generic[Answer], inherit_bindings=False):
    """A dialog with something to do once its widgets are there."""

    AUTO_FOCUS = ""

    def on_mount(self) -> None:
        """Begin, unless a key was faster: then the dialog is gone, and nothing of it can be found."""
        if self in self.app.screen_stack:
            self.begin()

    def begin(self) -> None:
        """Run once everything is mounted."""
        raise NotImplementedError


def key_text(key: str, what: str, action: str = "") -> Text:
    """Write a key and what it does; one with an action can be clicked."""
    text = Text.assemble((key, "bold"), f" {what}")
    if action:
        text.stylize(Style(meta={"@click": action}))
    return text


def key_line(keys: Iterable[Text]) -> Text:
    """Write the keys of a dialog as its last line."""
    return Text("   ").join(keys)
