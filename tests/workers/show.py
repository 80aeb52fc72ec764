"""The show: several workers, some of them killed, and many runs with pauses that another process decides.

``python -m tests.workers.show URL FOLDER RUNS WORKERS KILLED`` gives it; the tests give a small one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.workers.queue import WorkerQueue
from stepgraph.files import read_graph
from stepgraph.runs import operations
from stepgraph.runs.views import open_run
from stepgraph.stores.audit import broken_links
from stepgraph.stores.base import StateStore
from stepgraph.stores.ledger import RunStatus

from .processes import LEASE, WorkerProcess, alive, long_silent, until

GRAPH = """
format = 1
name = "show"
start = "draft"

[nodes.draft]
type = "handler"
handler = "show_work:draft"
timeout = "30s"

[nodes.ask]
type = "approval"
prompt = "Send {{ text }}?"

[nodes.send]
type = "handler"
handler = "show_work:send"

[[edges]]
from = "draft"
to = "ask"

[[edges]]
from = "ask"
to = "send"

[[edges]]
from = "send"
to = "END"
"""
WORK = """
import os, time
from pathlib import Path

def note(state, what):
    line = f"{what} {state.run_id} {state.idempotency_key} {os.getpid()} {time.time():.6f}\\n"
    with Path(__file__).with_name("ledger").open("a") as file:
        file.write(line)

def work(state):
    note(state, "begins")
    time.sleep(TAKES)
    note(state, "ends")

def draft(state):
    work(state)
    return {"text": "a letter"}

def send(state):
    work(state)
    return {"sent": True}
"""
DECIDER = """
import sys, threading
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.stores.opening import open_store

left = int(sys.argv[2])
with open_store(sys.argv[1]) as store:
    while left:
        for review in Reviews(store).pending():
            Reviews(store).decide(review.id, Decision.approve(by="ana"))
            left -= 1
        threading.Event().wait(0.05)
"""


@dataclass(frozen=True)
class Execution:
    """One execution of a node, as the node itself wrote it down."""

    run: str
    key: str
    pid: int
    begins: float
    ends: float | None
    """None where it was killed."""


@dataclass(frozen=True)
class Result:
    """What came of the show."""

    runs: int
    seconds: float
    gone: dict[int, float]
    """When the processes of workers that were killed were gone, by their numbers."""
    executions: list[Execution]
    said: dict[str, str]
    """What the workers said that were left."""

    @property
    def again(self) -> int:
        """How many steps were executed more than once, because a worker was killed before it could commit."""
        return sum(count > 1 for count in Counter(each.key for each in self.executions).values())

    @property
    def overlaps(self) -> list[tuple[Execution, Execution]]:
        """Executions of a run that began before another one was over; a killed one is when it is gone."""
        found = []
        by_run = defaultdict(list)
        for each in sorted(self.executions, key=lambda each: each.begins):
            by_run[each.run].append(each)
        for executions in by_run.values():
            for before, after in pairwise(executions):
                over = before.ends if before.ends is not None else self.gone.get(before.pid, float("inf"))
                if after.begins < over:
                    found.append((before, after))
        return found


@dataclass
class Show:
    """A store, the workers that are left, and what has become of the others.

    Args:
        url: The store.
        runs: How many runs there are.
        lease: The lease of the workers.
    """

    url: str
    runs: int
    lease: float

    def __post_init__(self) -> None:
        self.queue = WorkerQueue(self.url)
        self.crew: dict[str, WorkerProcess] = {}
        self.gone: dict[int, float] = {}

    def begin(self, workers: int) -> None:
        """Start the workers, and wait until all are there."""
        self.queue.prepare()
        for name in (f"w{number}" for number in range(workers)):
            self.crew[name] = WorkerProcess(self.url, "--trust", "--name", name, lease=self.lease)
        until(lambda: len(self.queue.workers()) == workers, "all are there")

    def hand_over(self, store: PostgresStore, file: Path) -> None:
        """Start the runs, and give them to the workers."""
        app = read_graph(file).compile()
        for number in range(self.runs):
            operations.start(app, store, {}, f"r{number}", time.time())
        for number in range(self.runs):
            self.queue.enroll(f"r{number}")

    def kill_one(self) -> None:
        """Kill a worker that has a run in hand, and write down when its processes are gone."""
        name = _busy(self.queue, self.crew)
        worker = self.crew.pop(name)
        children = worker.children()
        with worker:
            worker.process.kill()
            for pid in children:
                until(lambda pid=pid: not alive(pid), "its processes end with it")  # type: ignore[misc]
                self.gone[pid] = time.time()
        long_silent(self.url, name)

    def end(self) -> dict[str, str]:
        """Ask the workers to leave, and give what they have said."""
        for worker in self.crew.values():
            worker.signal(signal.SIGTERM)
            assert worker.ends() == 0
        return {name: "".join(worker.said) for name, worker in self.crew.items()}

    def close(self) -> None:
        """End what is left of the workers."""
        for worker in self.crew.values():
            worker.__exit__(None, None, None)


def give(
    url: str,
    folder: Path,
    runs: int,
    workers: int,
    kill: int,
    takes: float,
    *,
    lease: float = LEASE,
    disturb: Callable[[], None] | None = None,
) -> Result:
    """Give the show, and check in the ledgers that each step is recorded once.

    Args:
        url: The store.
        folder: Where the graph is made.
        runs: How many runs there are.
        workers: How many workers.
        kill: How many of them are killed in the middle.
        takes: How many seconds a node takes.
        lease: The lease of the workers.
        disturb: Called when a third of the runs has ended.
    """
    show = Show(url, runs, lease)
    with PostgresStore(url) as store, closing(show), deciding(url, runs) as decider:
        show.begin(workers)
        began = time.monotonic()
        show.hand_over(store, show_graph(folder, takes))
        for number in range(kill):
            have_ended(store, runs * (number + 1) // (kill + 3))
            show.kill_one()
        if disturb is not None:
            have_ended(store, runs // 3)
            disturb()
        until(lambda: len(store.runs(RunStatus.ENDED)) == runs, "all runs end")
        seconds = time.monotonic() - began
        said = show.end()
        assert decider.wait() == 0
        check_ledgers(store, runs)
    return Result(runs, seconds, show.gone, executions_in(folder / "ledger"), said)


def show_graph(folder: Path, takes: float) -> Path:
    """Write the graph, and the Python that it names beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "show_work.py").write_text(WORK.replace("TAKES", str(takes)), encoding="utf-8")
    file = folder / "show.toml"
    file.write_text(GRAPH, encoding="utf-8")
    return file


@contextmanager
def deciding(url: str, runs: int) -> Iterator[subprocess.Popen[bytes]]:
    """Have another process decide what the runs ask."""
    decider = subprocess.Popen([sys.executable, "-c", DECIDER, url, str(runs)])
    try:
        yield decider
    finally:
        decider.kill()
        decider.wait()


def check_ledgers(store: StateStore, runs: int) -> None:
    """Check that each step is recorded once, and so is each decision."""
    for number in range(runs):
        run = open_run(store, f"r{number}")
        assert [step.node for step in run.history] == ["draft", "ask", "send"], run.id
        assert run.attempts == [], run.id
    assert not broken_links(store.audit())
    assert len(store.audit()) == runs


def have_ended(store: StateStore, share: int) -> None:
    until(lambda: len(store.runs(RunStatus.ENDED)) >= share, "it is under way")


def _busy(queue: WorkerQueue, crew: Mapping[str, WorkerProcess]) -> str:
    """Wait until one of the workers has a run in hand, and give its name."""
    found: list[str] = []

    def look() -> list[str]:
        found[:] = [each.name for each in queue.workers() if each.runs and each.name in crew]
        return found

    until(look, "one is busy")
    return found[0]


def executions_in(ledger: Path) -> list[Execution]:
    begun: dict[tuple[str, str], tuple[str, float]] = {}
    over: dict[tuple[str, str], float] = {}
    for line in ledger.read_text(encoding="utf-8").splitlines():
        what, run, key, pid, at = line.split()
        if what == "begins":
            begun[key, pid] = run, float(at)
        else:
            over[key, pid] = float(at)
    return [
        Execution(run, key, int(pid), at, over.get((key, pid))) for (key, pid), (run, at) in begun.items()
    ]


def main() -> None:
    """Give the show as large as it is asked for, and tell the numbers."""
    url, folder, runs, workers, kill = sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:6])
    result = give(url, folder, runs, workers, kill, 0.05)
    unfinished = sum(each.ends is None for each in result.executions)
    print(
        f"{runs} runs with a pause each, {workers} workers, {kill} killed by kill -9 (lease {LEASE:g} s):"
        f" all ended in {result.seconds:.1f} s; {len(result.executions)} executions of {2 * runs} steps,"
        f" {unfinished} killed in the middle, {result.again} executed again; {len(result.overlaps)} overlaps"
    )


if __name__ == "__main__":
    main()
