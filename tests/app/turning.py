"""Waiting for an app in a test: until nothing is left to be done, however busy the machine is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from stepgraph_tui.dialogs.dialog import TALKS

_SOON = 0.03
"""Seconds until a timer is due that is brought forward: those that paint, and none that is a pause."""
_MOST = 50
"""Times that timers are brought forward one after the other; some fire for ever, and are then left alone."""


async def idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Let the loop turn until no callback is ready, with all timers that are due soon.

    Textual's own way sleeps until the process has used little time of the processor, or a second is over:
    on a busy machine that is before the app has answered. What threads do is not waited for.

    Args:
        min_sleep: Not used; Textual gives it.
        max_sleep: Not used either.
    """
    loop: Any = asyncio.get_running_loop()
    for _ in range(_MOST):
        await asyncio.sleep(0)
        while loop._ready:  # noqa: ASYNC110  # no event tells of that
            await asyncio.sleep(0)
        now = loop.time()
        soon = [timer for timer in loop._scheduled if not timer.cancelled() and timer.when() <= now + _SOON]
        if not soon:
            return
        for timer in soon:  # they stand on top of the heap, and stay there
            timer._when = min(timer.when(), now)


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until no thread works for a widget, and what came of it is shown; a talk may wait for a person."""
    await pilot.pause()
    while working := [
        worker for worker in pilot.app.workers if not worker.is_finished and worker.group != TALKS
    ]:
        await asyncio.gather(*(worker.wait() for worker in working), return_exceptions=True)
        await pilot.pause()


async def pause(pilot: Pilot[Any], delay: float | None = None) -> None:
    """Wait until all that an app was sent is handled, and what came of it is laid out and painted.

    Textual's own pause ends with a layout. The messages of that are handled here too, with the layouts that
    come of them: a dialog that asks a thread once it knows its width has asked it by then.

    Args:
        pilot: Drives the app.
        delay: Not used; Textual gives it.
    """
    loop: Any = asyncio.get_running_loop()
    for _ in range(_MOST):
        await pilot._wait_for_screen()
        await idle()
        pilot.app.screen._on_timer_update()
        if not loop._ready:
            return


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when all is over that came of the one before; ``g i`` is two keys."""
    for key in (each for pair in keys for each in pair.split() or pair):
        await pilot.app._press_keys([key])
        await pause(pilot)


def wait_by_turns(patch: pytest.MonkeyPatch) -> None:
    """Have pilots wait so after each key, and at each pause."""
    patch.setattr("textual.pilot.wait_for_idle", idle)
    patch.setattr("textual.app.wait_for_idle", idle)
    patch.setattr(Pilot, "pause", pause)
    patch.setattr(Pilot, "press", press)
