"""What dialogs share: nothing is done to one that a key closed before it was there."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.screen import ModalScreen

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
