"""Coming back: a run loaded by a fresh process, and any past state of a long run."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from stepgraph import CompiledGraph, Executor, Run, SqliteStore

from .contenders import engine
from .measure import ROOT, take_turns, work_folder
from .table import Line

LOAD_STEPS = 1_000
LOAD_STATE = 10_000
LOAD_GOAL = 3e-3
PAST_STEPS = 10_000
PAST_STATE = 100_000
PAST_GOAL = 5e-3
KEYS = 100


def _replace(state: Mapping[str, Any]) -> dict[str, Any]:
    """Write one of the keys anew; all of them have been after KEYS visits."""
    n = state["n"] + 1
    return {"n": n, f"k{n % KEYS}": f"{n:08d}" * (state["width"] // 8)}


def _append(state: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": state["n"] + 1, "items": [f"{state['n']:08d}" * (state["width"] // 8)]}


def app_of(style: str, steps: int) -> CompiledGraph:
    """The graph whose state is ``replaced`` or ``appended``, key by key."""
    if style == "appended":
        return engine.ring(2, steps, _append, "items")
    return engine.ring(2, steps, _replace)


def _start(style: str, size: int, steps: int) -> dict[str, Any]:
    """Values from which the run's state comes to that size: in each key, or in each step's item."""
    if style == "appended":
        return {"n": 0, "width": max(8, size // steps)}
    width = size // KEYS
    return {"n": 0, "width": width, **{f"k{key}": "." * width for key in range(KEYS)}}


def load_lines() -> list[Line]:
    """Open the store and load the run in a fresh process; what it imports is not counted."""
    lines = []
    for style in ("replaced", "appended"):
        with work_folder() as folder:
            path = folder / "engine.db"
            engine.fill(path, app_of(style, LOAD_STEPS), _start(style, LOAD_STATE, LOAD_STEPS), "r")
            rounds = take_turns(
                {work: partial(_in_fresh_process, work, style, path) for work in ("load", "bare")},
                rounds=9,
            )
        work = f"load a run of {LOAD_STEPS:,} steps, 10 kB {style}"
        lines.append(Line(work, rounds.median("load"), "s", LOAD_GOAL, rounds.ratio("load", "bare")))
    return lines


def _in_fresh_process(work: str, style: str, path: Path) -> float:
    command = [sys.executable, "-m", "bench.fresh", work, style, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return float(done.stdout)


def past_lines() -> list[Line]:
    """The slowest of many past states: on a handle that has just been loaded, and on one that is in use."""
    lines = []
    for style in ("replaced", "appended"):
        with work_folder() as folder:
            path = folder / "engine.db"
            app = app_of(style, PAST_STEPS)
            engine.fill(path, app, _start(style, PAST_STATE, PAST_STEPS), "r")
            with SqliteStore(path) as store:
                fresh = partial(Executor(app, store).load, "r")
                fresh_cost = _slowest(fresh)
                used_cost = _slowest(partial(_same, fresh()))
        work = f"any past state of {PAST_STEPS:,} steps, 100 kB {style}"
        lines += [
            Line(f"{work}, fresh handle", fresh_cost, "s", PAST_GOAL),
            Line(f"{work}, handle in use", used_cost, "s", PAST_GOAL),
        ]
    return lines


def _same(run: Run) -> Run:
    return run


def _slowest(handle: Callable[[], Run]) -> float:
    """The slowest step of a sample; each is the median of some readings, so that a hiccup does not win."""
    chosen = [0, 1, PAST_STEPS // 2, PAST_STEPS - 1, PAST_STEPS]
    chosen += random.Random(7).sample(range(PAST_STEPS), 60)  # noqa: S311  # a sample, no secret
    return max(statistics.median(_past_cost(handle(), step) for _ in range(5)) for step in chosen)


def _past_cost(run: Run, step: int) -> float:
    began = time.perf_counter()
    values = run.values_at(step)
    took = time.perf_counter() - began
    if values["n"] != step:
        raise SystemExit(f"the state after step {step} is another one: n is {values['n']}")
    return took
