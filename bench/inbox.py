"""The inbox with a thousand reviews that wait: reading, filtering, a key, and following what others do."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from stepgraph import Decision, Executor, SqliteStore
from stepgraph.files import examples_dir, read_graph
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.inbox import InboxScreen
from stepgraph_tui.screens.inbox.actions import InboxTable
from stepgraph_tui.settings import Settings
from stepgraph_tui.widgets.inbox_list import InboxList

from .measure import painted, work_folder
from .table import Line

_REVIEWS = 1_000
_ROUNDS = 9
_LIST_GOAL, _KEY_GOAL, _FOLLOW_GOAL = 0.1, 0.016, 0.1


def lines() -> list[Line]:
    """Fill a store, and use the inbox as a person does."""
    with work_folder() as folder:
        path = folder / "runs.db"
        _fill(path)
        listed = min(_listed(path) for _ in range(3))
        with SqliteStore(path) as other:
            moved, typed, followed = asyncio.run(_measure(path, other, folder))
    return [
        Line(f"{_REVIEWS:,} pending reviews are listed and filtered", listed, "s", _LIST_GOAL),
        Line("a key in the inbox, painted", moved, "s", _KEY_GOAL),
        Line("a letter of its filter, painted", typed, "s"),
        Line("a decision of another process is shown, once looked at", followed, "s", _FOLLOW_GOAL),
    ]


def _fill(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        executor = Executor(read_graph(examples_dir() / "refund_triage.toml").compile(), store)
        for number in range(_REVIEWS):
            executor.run(executor.start({"ticket": f"{number}: I was charged twice for order 8812"}))


def _listed(path: Path) -> float:
    """Read and filter them all for the first time."""
    with SqliteStore(path) as store:
        table = InboxTable(store, time.time, "ana")
        began = time.perf_counter()
        table.look()
        table.choose("risk:high graph:refund order 8812 age:>0s")
        taken = time.perf_counter() - began
        if sum(len(row.reviews) for row in table.rows) != _REVIEWS:
            raise RuntimeError("the filter lost some of them")
        return taken


async def _measure(path: Path, other: SqliteStore, folder: Path) -> tuple[float, float, float]:
    store = SqliteStore(path)
    context = AppContext(store, lambda: SqliteStore(path), Settings(), Remembered.load(folder / "remembered"))
    app = StepgraphApp(context)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        screen = InboxScreen(context)
        app.push_screen(screen)
        await pilot.pause()
        reviews = screen.query_one(InboxList)

        moved = statistics.median(painted(app, lambda: reviews.to("page_down")) for _ in range(_ROUNDS))
        executor = Executor(read_graph(examples_dir() / "refund_triage.toml").compile(), other)
        followed = []
        for listed in screen._table.lists.pending[:4]:
            executor.decide(listed.review.run_id, Decision.reject(by="ben"))
            followed.append(painted(app, screen.look))
        typed = statistics.median(painted(app, lambda: _choose(screen, "refund")) for _ in range(_ROUNDS))
    store.close()
    return moved, typed, statistics.median(followed)


def _choose(screen: InboxScreen, text: str) -> None:
    screen._table.choose(text)
    screen._show()
