"""Runs of a hundred thousand steps, and stores of ten thousand: what commands take, and what they keep."""

from __future__ import annotations

import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from stepgraph import Executor, SqliteStore
from stepgraph.files import read_graph

from .graphs import LOOP
from .measure import take_turns, work_folder
from .running import Loop
from .table import Line

STEPS = 100_000
RUNS = 10_000
_ROUNDS = 5
_QUICK = 0.5
_MEMORY = 150e6
_STREAMED = 80e6
_CALL = """
import os, sys, time
nowhere = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, nowhere, number) for number in (0, 1, 2)]
began = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, used = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - began, used.ru_maxrss)
"""  # from a process that is small: what the caller has in memory counts as the command's until it begins


def lines() -> list[Line]:
    """Let commands meet a long run and a full store, each in a process of its own."""
    with work_folder() as folder:
        loop = Loop(folder)
        loop.grown("r-long", STEPS)
        url = loop.store.url
        costs = {
            "resume": _Command(url, "resume", "r-long", "--after", "think"),
            "fork": _Command(url, "fork", "r-long", "--at", str(STEPS)),
            "show": _Command(url, "runs", "show", "r-long"),
        }
        rounds = take_turns({name: command.timed for name, command in costs.items()}, _ROUNDS)
        everything = _Command(url, "runs", "show", "r-long", "--json")
        whole = everything.timed()
        workbench = loop.workbench_memory()
    with work_folder() as folder:
        many = _full(folder)
        listing = _Command(many, "runs")
        listed = statistics.median(listing.timed() for _ in range(_ROUNDS))
    return [
        *(
            Line(f"stepgraph {name} of a run of {STEPS:,} steps", rounds.median(name), "s", _QUICK)
            for name in costs
        ),
        Line(f"memory of runs show of {STEPS:,} steps", costs["show"].memory, "bytes", _STREAMED),
        Line(f"runs show --json of {STEPS:,} steps", whole, "s"),
        Line(f"memory of runs show --json of {STEPS:,} steps", everything.memory, "bytes", _STREAMED),
        Line(f"memory of the workbench on {STEPS:,} steps", workbench, "bytes", _MEMORY),
        Line(f"stepgraph runs, of {RUNS:,}", listed, "s", _QUICK),
    ]


class _Command:
    """A command of the shell on a store.

    Args:
        url: The store's address.
        words: What follows ``stepgraph``.
    """

    def __init__(self, url: str, *words: str) -> None:
        self._words = [str(Path(sys.executable).with_name("stepgraph")), *words, "--store", url]
        self.memory = 0.0
        """The most bytes that it has had in memory."""

    def timed(self) -> float:
        """Call it, and say how long it took.

        Raises:
            SystemExit: It failed.
        """
        done = subprocess.run(
            [sys.executable, "-S", "-c", _CALL, *self._words], capture_output=True, text=True
        )
        status, took, used = done.stdout.split()
        if status != "0":
            raise SystemExit(f"{' '.join(self._words)} left with {status}")
        self.memory = max(self.memory, float(used) * (1 if sys.platform == "darwin" else 1024))
        return float(took)


def _full(folder: Path) -> str:
    """Make a store with many runs; returns its address."""
    path = folder / "loop.toml"
    path.write_text(LOOP)
    with SqliteStore(folder / "runs.db", durability="normal") as store:
        start = partial(Executor(read_graph(path).compile(), store).start, {})
        for number in range(RUNS):
            start(f"r-{number:05}")
        return store.url
