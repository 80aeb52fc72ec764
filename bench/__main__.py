"""``make bench``: the engine beside a bare floor, the drawing and the screen, in one run."""

from __future__ import annotations

import platform
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence

import apsw

from . import (
    debugged,
    debugging,
    design,
    drawing,
    editing,
    engines,
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

MEASURES: dict[str, Callable[[], Iterable[Line]]] = {
    "steps in memory": lambda: [stepping.memory_line(), *stepping.ring_lines()],
    "breakpoints and watches": debugging.lines,
    "durable steps": stepping.durable_lines,
    "steps on PostgreSQL": postgres.lines,
    "workers": workers.lines,
    "where a run lives, and who drives it": engines.lines,
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
}


def main(wanted: Sequence[str]) -> int:
    """Measure everything, or what is wanted, then print one table; what fails is told, and the rest goes on.

    Args:
        wanted: Titles of ``MEASURES``; all of them where none is given.

    Returns:
        1 where something could not be measured.
    """
    unknown = sorted(set(wanted) - MEASURES.keys())
    if unknown:
        print(f"there is no {', '.join(unknown)}; there are: {', '.join(MEASURES)}", file=sys.stderr)
        return 2
    lines: list[Line] = []
    failed: list[str] = []
    for title in wanted or MEASURES:
        print(f"measuring {title}", file=sys.stderr, flush=True)
        try:
            lines += MEASURES[title]()
        except Exception:  # ten minutes of the others are not lost for one
            traceback.print_exc()
            failed.append(title)
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, {platform.machine()}\n")
    show_lines(lines)
    missed = sum(line.verdict.startswith("MISSED") for line in lines)
    goals = sum(line.goal is not None for line in lines)
    print(f"\n{missed} of {goals} goals missed" if missed else "\nall goals met")
    if failed:
        print(f"not measured, for it failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
