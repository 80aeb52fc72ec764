"""Breakpoints and watches: what they cost a step, and how fast a long run is read for them."""

from __future__ import annotations

import time
from collections import deque

from stepgraph import (
    END,
    Breakpoint,
    CompiledGraph,
    Executor,
    MemoryStore,
    Run,
    SqliteStore,
    StateGraph,
    Watch,
    open_run,
)
from stepgraph.runs.debug.monitor import BreakpointMonitor, LiveBreakpoints
from stepgraph.runs.debug.stops import RunStops
from stepgraph.runs.debug.watches import read_watches

from .contenders import engine
from .measure import take_turns, work_folder
from .past import app_of
from .table import Line

STEPS = 4_000
OTHERS = 100
LONG = 10_000
FOLLOWED = 20
NEAR = 1.25
"""A step under breakpoints of other nodes, by one without any."""
JUMP_GOAL = 0.05
READ_GOAL = 1.5


def _cycle() -> CompiledGraph:
    """Two nodes that go round, and beside them many that no run comes to."""
    graph = StateGraph("cycle", start="n0", max_steps=STEPS)
    for number in range(OTHERS + 2):
        graph.add_node(f"n{number}", engine.count)
        graph.add_edge(f"n{number}", END, when="n < 0")
        graph.add_edge(f"n{number}", "n1" if number == 0 else "n0")
    return graph.compile()


def _step_seconds(app: CompiledGraph, breakpoints: list[Breakpoint] | None) -> float:
    """Time a step of ``iterate``, with a monitor unless there is none."""
    executor = Executor(app, MemoryStore())
    run = executor.start({"n": 0})
    monitor = BreakpointMonitor(LiveBreakpoints(breakpoints)) if breakpoints is not None else None
    if monitor is not None:
        monitor.compiled(run)
    began = time.perf_counter()
    deque(executor.iterate(run, breaks=monitor), maxlen=0)
    return (time.perf_counter() - began) / run.step


def step_lines() -> list[Line]:
    """A step without breakpoints, with none set, and with many on nodes that it never comes to."""
    app = _cycle()
    elsewhere = [Breakpoint("before", f"n{number}", when="n < 0") for number in range(2, OTHERS + 2)]
    rounds = take_turns(
        {
            "bare": lambda: _step_seconds(app, None),
            "none": lambda: _step_seconds(app, []),
            "others": lambda: _step_seconds(app, elsewhere),
        },
        rounds=9,
    )
    return [
        Line("a step of iterate, no breakpoints", rounds.median("bare"), "s", None),
        Line("a step with an empty set : a step without", rounds.ratio("none", "bare"), "x", NEAR),
        Line(f"a step with {OTHERS} elsewhere : a step without", rounds.ratio("others", "bare"), "x", NEAR),
    ]


def reading_lines() -> list[Line]:
    """Read a long run for many breakpoints and watches; then look at one step of it."""
    app = app_of("replaced", LONG)
    breakpoints = [Breakpoint("changes", path=f"k{key}", when="n > 5000") for key in range(FOLLOWED)]
    watches = [Watch("n"), *(Watch(f"k{key} == 'x'") for key in range(FOLLOWED - 1))]
    with work_folder() as folder, SqliteStore(folder / "runs.db") as store:
        executor = Executor(app, store)
        values = {"n": 0, "width": 80, **{f"k{key}": "." * 80 for key in range(100)}}
        executor.run(executor.start(values, "r"))
        run = open_run(store, "r")

        def timed_read() -> float:
            began = time.perf_counter()
            RunStops(watches, breakpoints, app).read(run)
            return time.perf_counter() - began

        stops = RunStops(watches, breakpoints, app).read(run)
        rounds = take_turns(
            {"read": timed_read, "jump": lambda: _jump_seconds(run, stops, watches)}, rounds=3
        )
    return [
        Line(
            f"{FOLLOWED} breakpoints and watches read over {LONG:,} steps",
            rounds.median("read"),
            "s",
            READ_GOAL,
        ),
        Line(f"{FOLLOWED} watches at any step of {LONG:,}", rounds.median("jump"), "s", JUMP_GOAL),
    ]


def _jump_seconds(run: Run, stops: RunStops, watches: list[Watch]) -> float:
    """Time the slowest of some jumps to a stop, the watches read there."""
    slowest = 0.0
    for viewed in (3, 499, 3_333, 7_777, 9_990):
        began = time.perf_counter()
        stop = stops.find(viewed, 1)
        read_watches(run, watches, stop.step if stop is not None else viewed)
        slowest = max(slowest, time.perf_counter() - began)
    return slowest


def lines() -> list[Line]:
    """All of it."""
    return [*step_lines(), *reading_lines()]
