"""What dialogs share: a moment to begin in, and their line of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen

TALKS = "talks"
"""The group of the workers that wait for a person: nothing is at work meanwhile."""

Answer = TypeVar("Answer")


def close(screen: Screen[Answer], result: Answer | None = None) -> AwaitComplete:
    """Close a screen once, and nothing but itself: what lies above it is closed first, by a person.

    Takes the place of ``dismiss`` in our screens. Textual's own closes whatever is on top, and fails where it
    is called twice. Both happens: an export is done while the help is read, and Esc or q is pressed faster
    than the screen is gone.
    """

    def close_on_top(top: Screen[Any]) -> None:
        if top is screen:
            screen.dismiss(result)

    if screen.is_active:
        return Screen.dismiss(screen, result)
    if screen in screen.app.screen_stack:
        screen.app.screen_change_signal.subscribe(screen, close_on_top)
    return AwaitComplete()


class Dialog(ModalScreen[Answer], Generic[Answer], inherit_bindings=False):
    """A dialog with something to do once its widgets are there."""

    AUTO_FOCUS = ""

    dismiss = close

    def on_mount(self) -> None:
        """Begin, unless a key was faster: then the dialog is gone, and nothing of it can be found."""
        if self in self.app.screen_stack:
            self.begin()

    def begin(self) -> None:
        """Run once everything is mounted."""


def key_text(key: str, what: str, action: str = "") -> Text:
    """Write a key and what it does; one with an action can be clicked."""
    text = Text.assemble((key, "bold"), f" {what}")
    if action:
        text.stylize(Style(meta={"@click": action}))
    return text


def key_line(keys: Iterable[Text]) -> Text:
    """Write the keys of a dialog as its last line."""
    return Text("   ").join(keys)
