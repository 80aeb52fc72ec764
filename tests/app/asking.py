"""An app that asks something by dialogs, one after the other, and keeps what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from stepgraph_tui.themes import DARK
from tests.app.playing import play, screen_lines
from tests.app.turning import rest

Told = tuple[list[Any], str]
"""What a dialog handed back, and the screen when its last key was through."""


class Asking(App[None]):
    """Opens one dialog. Time stands still until it is told to move.

    Args:
        dialog: It; none for a plain screen.
    """

    def __init__(self, dialog: Screen[Any] | None = None) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[Any] = []
        self.now = 100.0

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        if self.dialog is not None:
            self.push_screen(self.dialog, self.answers.append)

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


async def _press(pilot: Pilot[None], host: Asking, keys: Iterable[str | float]) -> None:
    for key in keys:
        if isinstance(key, float):
            host.now += key
        else:
            await pilot.press(key)
            await rest(pilot)  # a thread may read what the next key completes


def answered(host: Asking, *keys: str | float, size: tuple[int, int] = (80, 24)) -> Told:
    """What was handed back after some keys, and the screen; a number lets so many seconds pass."""

    async def script(pilot: Pilot[None]) -> str:
        await _press(pilot, host, keys)
        return host.text

    text = play(host, script, size)
    return host.answers, text


def answered_in_turn(
    dialog: Callable[[Asking], Screen[Any]],
    *cases: Sequence[str | float],
    size: tuple[int, int] = (80, 24),
) -> list[Told]:
    """What each of several dialogs hands back after its keys, all of them in one app.

    Args:
        dialog: Makes the next one.
        cases: The keys for each; a number lets so many seconds pass.
        size: Of the screen, in cells.
    """
    host = Asking()

    async def script(pilot: Pilot[None]) -> list[Told]:
        told: list[Told] = []
        for keys in cases:
            answers: list[Any] = []
            asked = dialog(host)
            host.push_screen(asked, answers.append)
            await pilot.pause()
            await _press(pilot, host, keys)
            told.append((list(answers), host.text))
            if asked in host.screen_stack:
                asked.dismiss(None)
                await pilot.pause()
        return told

    return play(host, script, size)
