"""Going through a long run in the app from stop to stop: from the key to the painted frame."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

import stepgraph_tui.app
from stepgraph import Breakpoint
from stepgraph.stores import open_store
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings

from .measure import work_folder
from .running import SIZE, Loop
from .table import Line

STEPS = 10_000
FOLLOWED = 20
GOAL = 0.05
_BACK, _ON = "left_curly_bracket", "right_curly_bracket"
_ROUNDS = 5


def lines() -> list[Line]:
    """Jump near and far in a long run, with many watches and breakpoints, the tab of watches in view."""
    with work_folder() as folder:
        loop = Loop(folder).grown("r-long", STEPS)
        first, slowest = asyncio.run(_jumps(loop))
    what = f"{FOLLOWED} watches and breakpoints, {STEPS:,} steps"
    return [
        Line(f"the first jump, {what}", first, "s"),
        Line(f"the slowest jump to the frame, {what}", slowest, "s", GOAL),
    ]


class _Painting(StepgraphApp):
    """The app, which notes when a frame was painted last."""

    CSS_PATH = str(Path(stepgraph_tui.app.__file__).with_name("screens") / "home.tcss")
    painted = 0.0

    def _display(self, screen: Screen[object], renderable: object) -> None:
        super()._display(screen, renderable)  # type: ignore[arg-type]  # what Textual itself hands over
        self.painted = time.perf_counter()


async def _jumps(loop: Loop) -> tuple[float, float]:
    """Time the first jump, for which the run is read, and the slowest of the others."""
    url = loop.store.url
    app = _Painting(AppContext(loop.store, lambda: open_store(url), Settings(), loop.remembered), None)
    app.animation_level = "none"
    async with app.run_test(size=SIZE) as pilot:
        screen = Workbench(app.context, None, "r-long")  # without a file its watches are kept nowhere
        await app.push_screen(screen)
        await _settle(pilot, screen)
        far = range(0, STEPS, STEPS // FOLLOWED)
        screen.runs.thread.breakpoints.items = tuple(
            Breakpoint("after", "think", when=f"step > {step}") for step in far
        )
        for text in ("step", "visits.think", "last_output", *(f"step > {step}" for step in far[3:])):
            screen.watches.add(text)
        first = await _jump(pilot, app, screen, _BACK)
        costs = []
        for of_one in (False, True):  # every step is a stop; only a step far away is
            screen.grid.show_pane("watches", focus=of_one)
            await _settle(pilot, screen)
            for step in (10, STEPS // 2, STEPS - 10):
                for key in (_BACK, _ON):
                    costs.append(await _from(step, key, pilot, app, screen))
    return first, max(costs)


async def _from(step: int, key: str, pilot: Pilot[Any], app: _Painting, screen: Workbench) -> float:
    """Take the median of some jumps from a step."""
    took = []
    for _ in range(_ROUNDS):
        screen.runs.shown.view_step(step)
        await _settle(pilot, screen)
        took.append(await _jump(pilot, app, screen, key))
        moment = screen.runs.shown.moment
        if moment is not None and moment.step == step and not screen.panes.watches_pane.has_focus:
            raise SystemExit(f"{key} went nowhere from step {step}")
    return statistics.median(took)


async def _jump(pilot: Pilot[Any], app: _Painting, screen: Workbench, key: str) -> float:
    """Press a key, and give the seconds to the last frame that it leads to."""
    began = time.perf_counter()
    await pilot.press(key)
    await _settle(pilot, screen)
    return app.painted - began


async def _settle(pilot: Pilot[Any], screen: Workbench) -> None:
    """Wait until the run is read, and what came of it is painted."""
    await pilot.pause()
    while screen.watches.is_reading:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
