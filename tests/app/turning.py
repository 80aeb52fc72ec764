"""Waiting for an app in a test: until nothing is left to be done, however busy the machine is."""

from __future__ import annotations

import asyncio
from asyncio import BaseEventLoop
from typing import Any, cast

import pytest
from textual.pilot import Pilot

_SOON = 0.03
"""Seconds until a timer is due that is waited for: those of Textual that paint, and none that is a pause."""
_MOST = 50
"""Timers that are waited for one after the other; those that fire for ever are not waited for any longer."""


async def idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Let the loop turn until no callback is ready and no timer is due soon.

    Textual's own way sleeps until the process has used little time of the processor, or a second is over:
    on a busy machine that is before the app has answered. What threads do is not waited for.

    Args:
        min_sleep: Not used; Textual gives it.
        max_sleep: Not used either.
    """
    loop = cast(BaseEventLoop, asyncio.get_running_loop())
    for _ in range(_MOST):
        await asyncio.sleep(0)
        while loop._ready:  # type: ignore[attr-defined]  # noqa: ASYNC110  # no event tells of that
            await asyncio.sleep(0)
        now = loop.time()
        due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
        if min(due, default=now + 1) > now + _SOON:
            return
        await asyncio.sleep(min(due) - now)


async def rest(pilot: Pilot[Any]) -> None:
    """Wait until no thread works for a widget, and what came of it is shown."""
    await pilot.pause()
    while working := [worker for worker in pilot.app.workers if not worker.is_finished]:
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
    ready = cast(BaseEventLoop, asyncio.get_running_loop())._ready  # type: ignore[attr-defined]
    for _ in range(_MOST):
        await pilot._wait_for_screen()
        await idle()
        pilot.app.screen._on_timer_update()
        if not ready:
            return


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each when all is over that came of the one before."""
    for key in keys:
        await pilot.app._press_keys([key])
        await pause(pilot)


def wait_by_turns(patch: pytest.MonkeyPatch) -> None:
    """Have pilots wait so after each key, and at each pause."""
    patch.setattr("textual.pilot.wait_for_idle", idle)
    patch.setattr("textual.app.wait_for_idle", idle)
    patch.setattr(Pilot, "pause", pause)
    patch.setattr(Pilot, "press", press)
