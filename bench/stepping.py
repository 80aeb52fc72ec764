"""What a step costs: in memory, in a large graph, and on the disk."""

from __future__ import annotations

from .contenders import engine, floor
from .measure import alternate, take_turns, work_folder
from .table import Line

MEMORY_STEPS = 2_000
RING = 2_000
RING_STEPS = 4_000
DURABLE_ROUNDS = 60
DURABLE_STEPS = 25

MEMORY_GOAL = 5e-6
RING_GOAL = 1.25
"""A step costs the same in a large graph, but for what the processor's caches no longer hold."""
DURABLE_GOAL = 1.2


def memory_line() -> Line:
    """A step in memory, beside a dict of functions with first-match edges."""
    rounds = take_turns(
        {
            "engine": lambda: engine.memory_step(MEMORY_STEPS),
            "floor": lambda: floor.memory_step(MEMORY_STEPS),
        },
        rounds=15,
    )
    return Line(
        "one step in memory",
        rounds.median("engine"),
        "s",
        MEMORY_GOAL,
        rounds.ratio("engine", "floor"),
    )


def ring_lines() -> list[Line]:
    """A step in a large ring, and how that compares to a ring of two."""
    rounds = take_turns(
        {
            "large": lambda: engine.memory_ring_step(RING, RING_STEPS),
            "small": lambda: engine.memory_ring_step(2, RING_STEPS),
        },
        rounds=9,
    )
    ratio = rounds.ratio("large", "small")
    return [
        Line(f"one step in memory, ring of {RING:,} nodes", rounds.median("large"), "s", MEMORY_GOAL),
        Line(f"a step in {RING:,} nodes : a step in 2", ratio, "x", RING_GOAL),
    ]


def durable_lines() -> list[Line]:
    """A step on the disk, beside a bare insert, update and commit with the same settings of SQLite."""
    with (
        work_folder() as folder,
        engine.durable_stepper(folder, DURABLE_ROUNDS * DURABLE_STEPS) as ours,
        floor.durable_stepper(folder) as bare,
    ):
        rounds = alternate({"engine": ours, "floor": bare}, DURABLE_ROUNDS, DURABLE_STEPS)
    ratio = rounds.ratio("engine", "floor")
    return [
        Line("one durable step", rounds.median("engine"), "s", None, ratio),
        Line("a durable step : a bare commit", ratio, "x", DURABLE_GOAL),
    ]
