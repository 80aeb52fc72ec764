"""How large a run's database becomes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import apsw

from stepgraph import Executor, SqliteStore

from .contenders import engine, floor
from .measure import work_folder
from .table import Line

STEPS = 1_000
NUMBER_GOAL = 1e6
GROWING_GOAL = 3e6
LINEAR_GOAL = 1.25


def number_line() -> Line:
    """A large state of which each step changes one number."""
    with work_folder() as ours, work_folder() as bare:
        size, least = engine.number_size(ours, STEPS), floor.number_size(bare, STEPS)
    return Line(
        f"100 kB state, one number changed, {STEPS:,} steps", size, "bytes", NUMBER_GOAL, size / least
    )


def growing_lines() -> list[Line]:
    """A list that grows by 1 kB a step."""
    with work_folder() as ours, work_folder() as bare:
        sizes, least = _sizes_by_hundreds(ours / "engine.db"), floor.growing_size(bare, STEPS)
    growth = [after - before for before, after in pairwise(sizes)]
    return [
        Line(f"1 kB appended a step, {STEPS:,} steps", sizes[-1], "bytes", GROWING_GOAL, sizes[-1] / least),
        Line("  of it in the second hundred steps", growth[0], "bytes"),
        Line("  of it in the last hundred steps", growth[-1], "bytes"),
        Line("  the last hundred : the second", growth[-1] / growth[0], "x", LINEAR_GOAL),
    ]


def _sizes_by_hundreds(path: Path) -> list[int]:
    """The size of the database after 100, 200, ... steps."""
    sizes: list[int] = []
    with SqliteStore(path, durability="normal") as store:
        executor = Executor(engine.ring(2, STEPS, engine.append, "items"), store)
        run = executor.start({"n": 0})
        for record in executor.iterate(run):
            if record.step % 100 == 0:
                sizes.append(_size(path))
    return sizes


def _size(path: Path) -> int:
    """The database with what still lies in the write-ahead log, once that is folded in."""
    reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    pages, page = reader.pragma("page_count"), reader.pragma("page_size")
    reader.close()
    return int(pages) * int(page)
