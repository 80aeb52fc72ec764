"""Keys for the app, each after all that the one before has begun."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.widgets import Input, TextArea

from screenshots.svg import picture, text_of
from stepgraph_tui.dialogs.dialog import TALKS
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.widgets.chrome.status_lines import NextLine

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from stepgraph_tui.app import StepgraphApp

_PATIENCE = 60.0  # seconds
_LOOKS = 100
_LOOK = 0.05  # seconds


async def press(pilot: Pilot[Any], *keys: str, said: bool = False) -> None:
    """Press keys, and leave the screen as it stays until the next one.

    Args:
        pilot: The app.
        keys: The keys, in order.
        said: Whether the passing word of the last key stays, too.
    """
    await _settle(pilot)
    for key in keys:
        await pilot.press(key)
        await _settle(pilot)
    _freeze(pilot, said)
    await _settle(pilot)


async def come_to(pilot: Pilot[Any], app: StepgraphApp, what: str) -> None:
    """Look at the store, as the app does each second, until each run in the background stands at something.

    Args:
        pilot: Drives the app.
        app: The app.
        what: What its line says then.
    """
    for _ in range(int(_PATIENCE / _LOOK)):
        app._look()
        await _settle(pilot)
        if "\n".join(text_of(picture(app))).count(what) == len(app.context.background.ids):
            return
        await asyncio.sleep(_LOOK)
    raise TimeoutError(f"no line says {what!r}")


async def _settle(pilot: Pilot[Any]) -> None:
    """Wait until no thread has work, and the screen stays as it is."""
    before = ""
    for _ in range(_LOOKS):
        for screen in pilot.app.screen_stack:
            if isinstance(screen, Workbench):
                await asyncio.to_thread(screen.runs.thread.idle.wait, _PATIENCE)
        await asyncio.gather(*(each.wait() for each in pilot.app.workers if each.group != TALKS))
        await pilot.pause()
        now = picture(pilot.app)
        if now == before:
            return
        before = now
    raise TimeoutError("the screen never came to rest")


def _freeze(pilot: Pilot[Any], said: bool) -> None:
    """Take off what goes by itself after a while: passing words, and blinking cursors."""
    for screen in pilot.app.screen_stack:
        for line in () if said else screen.query(NextLine):
            line.clear()
        for field in screen.query(Input):
            field.cursor_blink = False
        for text in screen.query(TextArea):
            text.cursor_blink = False
