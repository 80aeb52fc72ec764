"""An app that asks something by a dialog, and keeps what is answered."""

from __future__ import annotations

from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import ModalScreen

from tests.app.playing import play, screen_lines


class Asking(App[None]):
    """Opens one dialog.

    Args:
        dialog: It.
    """

    def __init__(self, dialog: ModalScreen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[str | None] = []

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.answers.append)


def answered(host: Asking, *keys: str, size: tuple[int, int] = (80, 24)) -> tuple[list[str | None], str]:
    """What was handed back after some keys, and the screen."""

    async def press(pilot: Pilot[None]) -> str:
        await pilot.press(*keys)
        await pilot.pause()
        return "\n".join(screen_lines(host))

    text = play(host, press, size)
    return host.answers, text
