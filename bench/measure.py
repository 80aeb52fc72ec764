"""Fair timing on a machine that does other things too: contenders take turns, and medians are compared."""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

ROOT = Path(__file__).parents[1]

Timed = Callable[[], float]
"""Does its work once and returns what it cost, in seconds a unit of work."""


class Rounds:
    """What each contender cost in each round; every round ran all of them."""

    def __init__(self, costs: Mapping[str, Sequence[float]]) -> None:
        self.costs = costs

    def median(self, name: str) -> float:
        """The contender's median over the rounds, in seconds."""
        return statistics.median(self.costs[name])

    def ratio(self, name: str, base: str) -> float:
        """The median of the rounds' own ratios: both sides of each met the same noise."""
        pairs = zip(self.costs[name], self.costs[base], strict=True)
        return statistics.median(cost / floor for cost, floor in pairs)


def take_turns(contenders: Mapping[str, Timed], rounds: int) -> Rounds:
    """Run all contenders once a round, after one round that warms up and is not counted.

    Every other round runs them in the opposite order.
    """
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    for turn in range(rounds + 1):
        for name in names if turn % 2 else reversed(names):
            gc.collect()
            cost = contenders[name]()
            if turn:
                costs[name].append(cost)
    return Rounds(costs)


def painted(app: App[Any], what: Callable[[], object]) -> float:
    """Do something in an app, paint its screen, and give how long that took, in seconds."""
    began = time.perf_counter()
    what()
    app.screen._compositor.render_strips()
    return time.perf_counter() - began


def alternate(contenders: Mapping[str, Callable[[], object]], rounds: int, units: int) -> Rounds:
    """Run single units of all contenders by turns, and sum up each round's.

    For work that waits for the disk, whose mood changes within a second.
    """
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        sums = dict.fromkeys(contenders, 0.0)
        for _ in range(units):
            for name, work in contenders.items():
                began = time.perf_counter()
                work()
                sums[name] += time.perf_counter() - began
        for name, took in sums.items():
            costs[name].append(took / units)
    return Rounds(costs)


def process(command: Sequence[str], expect: Sequence[int] = (0,)) -> Timed:
    """The wall-clock time of a whole process, from its start until it is gone.

    Raises:
        SystemExit: It left with a status that was not expected.
    """

    def timed() -> float:
        began = time.perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        took = time.perf_counter() - began
        if done.returncode not in expect:
            raise SystemExit(f"{' '.join(command)} left with {done.returncode}:\n{done.stdout}{done.stderr}")
        return took

    return timed


def processor(command: Sequence[str]) -> Timed:
    """The processor time of a whole process, which depends less on what else the machine does."""
    run = process(command)

    def timed() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return timed


@contextmanager
def work_folder() -> Iterator[Path]:
    """A folder on the disk of the checkout (the system's may be memory, where a sync costs nothing)."""
    parent = ROOT / ".bench"
    parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix="work-") as name:
        yield Path(name)
