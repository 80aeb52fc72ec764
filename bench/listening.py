"""A change of a run with a secret told to who listens over HTTP: early in the run, and late."""

from __future__ import annotations

import time
from collections.abc import Callable

from stepgraph import CompiledGraph, Executor, SqliteStore, StateGraph
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.service import Service

from .measure import take_turns, work_folder
from .table import Line

_EARLY, _LATE = 100, 4_000
_ROUNDS = 20
_GOAL = 0.002


def lines() -> list[Line]:
    """Step two runs, and read what the stream of events tells of each step."""
    with work_folder() as folder, SqliteStore(folder / "runs.db", durability="normal") as store:
        told = {f"{steps}": _telling(store, steps) for steps in (_EARLY, _LATE)}
        rounds = take_turns(told, _ROUNDS)
    late = f"{_LATE}"
    work = f"a step told to who listens after {_LATE:,}, with a secret (floor: after {_EARLY})"
    return [Line(work, rounds.median(late), "s", _GOAL, rounds.ratio(late, f"{_EARLY}"))]


def _telling(store: SqliteStore, steps: int) -> Callable[[], float]:
    executor = Executor(_graph(), store)
    run = executor.start({}, f"r-{steps}")
    while run.step < steps:
        executor.step(run)
    service = Service(store, {}, ThreadDriver(store, {}, lambda what, error: None))
    news = service.news(run.id, run.step)

    def once() -> float:
        nonlocal news
        executor.step(run)
        began = time.perf_counter()
        news = service.news(run.id, run.step - 1, news.row)
        return time.perf_counter() - began

    return once


def _graph() -> CompiledGraph:
    graph = StateGraph("listened", start="work", max_steps=100_000)
    graph.add_key("token", default="a-secret-of-the-bench", secret=True)
    graph.add_node("work", lambda state: {"count": (state.get("count") or 0) + 1})
    graph.add_edge("work", "work")
    return graph.compile()
