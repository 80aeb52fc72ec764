"""``make bench``: the engine beside a bare floor, the drawing and the screen, in one run."""

from __future__ import annotations

import platform
import sys

import apsw

from . import (
    debugged,
    debugging,
    design,
    drawing,
    editing,
    idle,
    inbox,
    jumping,
    listening,
    live,
    long_runs,
    past,
    postgres,
    processes,
    redis_server,
    run_list,
    running,
    screen,
    sizes,
    starting,
    stepping,
    waiting,
    workers,
)
from .table import Line, show_lines


def main() -> None:
    """Measure everything, then print one table."""
    lines: list[Line] = []
    for title, measure in {
        "steps in memory": lambda: [stepping.memory_line(), *stepping.ring_lines()],
        "breakpoints and watches": debugging.lines,
        "durable steps": stepping.durable_lines,
        "steps on PostgreSQL": postgres.lines,
        "workers": workers.lines,
        "steps on Redis": redis_server.lines,
        "database sizes": lambda: [sizes.number_line(), *sizes.growing_lines()],
        "loading": past.load_lines,
        "past states": past.past_lines,
        "drawing": drawing.lines,
        "designing": design.lines,
        "a run in the app": running.lines,
        "a run in the app under breakpoints": debugged.lines,
        "long runs": long_runs.lines,
        "jumps": jumping.lines,
        "the list of runs": run_list.lines,
        "the inbox": inbox.lines,
        "reviews that wait": waiting.lines,
        "events over HTTP": listening.lines,
        "the screen": lambda: [*screen.lines(), *editing.lines()],
        "idle screens": idle.lines,
        "live models": live.lines,
        "whole processes": processes.lines,
        "starting": starting.lines,
    }.items():
        print(f"measuring {title}", file=sys.stderr, flush=True)
        lines += measure()
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {platform.machine()}\n")
    show_lines(lines)
    missed = sum(line.verdict.startswith("MISSED") for line in lines)
    print(
        f"\n{missed} of {sum(line.goal is not None for line in lines)} goals missed"
        if missed
        else "\nall goals met"
    )


if __name__ == "__main__":
    main()
