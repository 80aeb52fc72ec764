"""Driving an app in a test: keys in, the screen as text out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

Answer = TypeVar("Answer")
Script = Callable[[Pilot[Any]], Awaitable[Answer]]


def play(app: App[Any], script: Script[Answer], size: tuple[int, int] = (80, 24)) -> Answer:
    """Run an app without a terminal, and a script of keys and looks against it."""

    async def run() -> Answer:
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            answer = await script(pilot)
            if app._running:
                screen_lines(app)  # what a test does not look at is painted at least once
            return answer

    return asyncio.run(run())


def screen_lines(app: App[Any]) -> list[str]:
    """What a person sees, line by line, without the blanks at the ends."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip).rstrip() for strip in lines[:height]] if width else []


def widget_lines(widget: Widget) -> list[str]:
    """The part of the screen that a widget takes, line by line, as wide as it is."""
    region = widget.region
    strips = widget.app.screen._compositor.render_strips()
    rows = strips[region.y : region.bottom]
    return ["".join(part.text for part in row.crop(region.x, region.right)).rstrip() for row in rows]
