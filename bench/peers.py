"""``make bench-peers``: the same work by Stepgraph, a bare floor, LangGraph and Burr, in one run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial

from .environments import PEERS, interpreter
from .measure import ROOT, Rounds, process, take_turns, work_folder
from .processes import RUN_GOAL, VERSION_GOAL, ask_version, run_graph
from .sizes import GROWING_GOAL, NUMBER_GOAL
from .stepping import DURABLE_GOAL, MEMORY_GOAL
from .table import Line, Unit, amount, goal, show

NAMES = ("engine", "floor", *PEERS)
LANGGRAPH = "langgraph_peer"


def by_contend(work: str, steps: int, rounds: int) -> Rounds:
    """Each contender does the work in its own environment, in a process of its own."""

    def cost(name: str) -> float:
        command = [interpreter(name), "-m", "bench.contend", name, work, str(steps)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name} could not do {work}:\n{done.stderr}")
        return float(done.stdout.splitlines()[-1])

    if rounds == 1:
        return Rounds({name: [cost(name)] for name in NAMES})
    return take_turns({name: partial(cost, name) for name in NAMES}, rounds)


def row(line: Line, rounds: Rounds) -> list[str]:
    """The line's row; what the others cost is told in multiples of ours."""
    cells = [line.work, amount(line.measured, line.unit)]
    for name in NAMES[1:]:
        cells.append(
            f"{amount(rounds.median(name), line.unit)} ({amount(rounds.ratio(name, 'engine'), 'x')})"
        )
    return [*cells, goal(line), line.verdict]


def plain_rows() -> list[list[str]]:
    """Steps in memory, and the two database sizes: our goals are absolute."""
    works: list[tuple[str, str, int, int, Unit, float]] = [
        ("one step in memory", "memory_step", 1_000, 5, "s", MEMORY_GOAL),
        ("100 kB state, one number changed, 1,000 steps", "number_size", 1_000, 1, "bytes", NUMBER_GOAL),
        ("1 kB appended a step, 1,000 steps", "growing_size", 1_000, 1, "bytes", GROWING_GOAL),
    ]
    rows = []
    for title, work, steps, turns, unit, most in works:
        rounds = by_contend(work, steps, turns)
        rows.append(row(Line(title, rounds.median("engine"), unit, most), rounds))
    return rows


def durable_rows() -> list[list[str]]:
    """Durable steps: our goal is a multiple of the bare commit's cost."""
    rounds = by_contend("durable_step", 300, 7)
    rows = [row(Line("one durable step", rounds.median("engine"), "s"), rounds)]
    ratios = [amount(rounds.ratio(name, "floor"), "x") for name in NAMES]
    ours = Line("a durable step : a bare commit", rounds.ratio("engine", "floor"), "x", DURABLE_GOAL)
    return [*rows, [ours.work, *ratios, goal(ours), ours.verdict]]


def cold_rows() -> list[list[str]]:
    """Whole processes: our goals are shares of what LangGraph takes to start and run two nodes."""
    with work_folder() as folder:
        commands = {name: process([interpreter(name), "-c", contender_code(name)]) for name in NAMES}
        rounds = take_turns({**commands, "version": ask_version(), "run": run_graph(folder)}, rounds=7)
    rows = [row(Line("import, run two nodes in memory", rounds.median("engine"), "s"), rounds)]
    empty = [""] * (len(NAMES) - 1)
    for title, work, share in (
        ("stepgraph --version : LangGraph's cold start", "version", VERSION_GOAL),
        ("stepgraph run FILE : LangGraph's cold start", "run", RUN_GOAL),
    ):
        line = Line(title, rounds.ratio(work, LANGGRAPH), "x", share)
        rows.append([title, amount(line.measured, "x"), *empty, goal(line), line.verdict])
    return rows


def contender_code(name: str) -> str:
    """The program of a cold start; read in the contender's environment, as ours lacks its packages."""
    ask = f"from bench.contenders import contender; print(contender({name!r}).COLD)"
    done = subprocess.run(
        [interpreter(name), "-c", ask], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def main() -> None:
    """Measure everything, then print one table."""
    rows: list[list[str]] = []
    parts: dict[str, Callable[[], list[list[str]]]] = {
        "steps in memory and database sizes": plain_rows,
        "durable steps": durable_rows,
        "cold starts": cold_rows,
    }
    for title, measure in parts.items():
        print(f"measuring {title}", file=sys.stderr, flush=True)
        rows += measure()
    print("In brackets: how many times Stepgraph's cost. " + ", ".join(sum(PEERS.values(), ())) + "\n")
    show(["work", "Stepgraph", "floor", "LangGraph", "Burr", "goal", "verdict"], rows)


if __name__ == "__main__":
    main()
