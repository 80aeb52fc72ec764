"""The list of ten thousand runs: opening it, going through it, and following what others do."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from stepgraph import Executor, SqliteStore
from stepgraph.files import examples_dir, read_graph
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.runs import RunsScreen
from stepgraph_tui.settings import Settings
from stepgraph_tui.widgets.run_list import RunList

from .measure import painted, work_folder
from .table import Line

_RUNS = 10_000
_FORKED = 7  # each so many-th run is a fork of the one before
_ROUNDS = 9
_OPEN_GOAL, _MOVE_GOAL, _FOLLOW_GOAL = 0.5, 0.05, 0.1


def lines() -> list[Line]:
    """Fill a store, and use the list as a person does."""
    with work_folder() as folder:
        path = folder / "runs.db"
        _fill(path)
        with SqliteStore(path) as other:
            opened, moved, typed, followed = asyncio.run(_measure(path, other, folder))
    return [
        Line(f"the list of {_RUNS:,} runs opens", opened, "s", _OPEN_GOAL),
        Line("its cursor moves, painted", moved, "s", _MOVE_GOAL),
        Line("a letter of its filter, painted", typed, "s"),
        Line("a step of another process is shown, once looked at", followed, "s", _FOLLOW_GOAL),
    ]


def _fill(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        executor = Executor(read_graph(examples_dir() / "refund_triage.toml").compile(), store)
        run = executor.start({})
        for number in range(1, _RUNS):
            run = executor.fork(run.id, at=0) if number % _FORKED == 0 else executor.start({})


async def _measure(path: Path, other: SqliteStore, folder: Path) -> tuple[float, float, float, float]:
    store = SqliteStore(path)
    context = AppContext(store, lambda: SqliteStore(path), Settings(), Remembered.load(folder / "remembered"))
    app = StepgraphApp(context)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        opening = []
        for _ in range(3):
            began = time.perf_counter()
            app.push_screen(RunsScreen(context))
            await pilot.pause()
            app.screen._compositor.render_strips()
            opening.append(time.perf_counter() - began)
            app.pop_screen()
            await pilot.pause()
        screen = RunsScreen(context)
        app.push_screen(screen)
        await pilot.pause()
        runs = screen.query_one(RunList)

        moved = statistics.median(painted(app, lambda: runs.to("page_down")) for _ in range(_ROUNDS))
        graph = read_graph(examples_dir() / "refund_triage.toml").compile()
        executor = Executor(graph, other)
        driven = executor.load(runs.branches[3].run.head.id)
        followed = []
        for _ in range(4):
            executor.step(driven)
            followed.append(painted(app, screen.look))
        typed = statistics.median(painted(app, lambda: _choose(screen, "stat")) for _ in range(_ROUNDS))
    store.close()
    return min(opening), moved, typed, statistics.median(followed)


def _choose(screen: RunsScreen, text: str) -> None:
    screen._table.choose(text)
    screen._show()
