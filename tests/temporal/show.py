"""The show with Temporal: workers and the server are killed or frozen at random, while people decide.

``python -m tests.temporal.show FOLDER RUNS WORKERS BLOWS SEED`` gives it; the suite gives a small one.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

from stepgraph.files import read_graph
from stepgraph.runs import operations
from stepgraph.stores.base import StateStore
from stepgraph.stores.ledger import RunStatus
from stepgraph.stores.opening import open_store
from tests.workers.processes import SHORT, alive, frozen, until
from tests.workers.show import Result, check_ledgers, deciding, executions_in, have_ended, show_graph

from .driving import Crew, running_server

_TAKES = 0.4  # seconds of a node: blows hit it
_KINDS = ("worker", "server", "worker", "sleep")
_FROZEN = SHORT + 1.0


_AT_WORK = "waits for runs"
"""What a worker says once it has found its server."""


class Blows:
    """What happens to those who drive the runs.

    Args:
        crew: The server and the store.
        workers: How many workers there are at any time.
        random: Chooses who is hit, and how.
    """

    def __init__(self, crew: Crew, workers: int, random: Random) -> None:
        self._crew, self._random = crew, random
        self._workers = [crew.worker(lease=SHORT) for _ in range(workers)]
        self.counts = {"worker": 0, "server": 0, "sleep": 0}
        """How many of each kind there were."""
        self.gone: dict[int, float] = {}
        """When the processes of workers that were hit were gone, by their numbers."""

    def strike(self, kind: str) -> None:
        """Kill a worker with its processes, kill the server and start it again, or have a worker sleep."""
        self.counts[kind] += 1
        if kind == "server":
            for worker in self._workers:  # one that has not found the server yet would leave without it
                if not worker.said:
                    worker.until_it_says(_AT_WORK)
            self._crew.server.kill()
            self._crew.server.start()
            return
        number = self._random.randrange(len(self._workers))
        worker = self._workers[number]
        children = worker.children()
        if kind == "sleep":
            with frozen(worker.process):
                threading.Event().wait(_FROZEN)
                self._note(children)
            return
        worker.signal(signal.SIGKILL)
        worker.process.wait()
        until(lambda: not any(map(alive, children)), "its processes end with it")
        self._note(children)
        worker.__exit__(None, None, None)
        self._workers[number] = self._crew.worker(lease=SHORT)

    def close(self) -> None:
        """End what is left of the workers."""
        for worker in self._workers:
            worker.__exit__(None, None, None)

    def _note(self, children: list[int]) -> None:
        self.gone |= {pid: time.time() for pid in children if not alive(pid)}

    def end(self) -> None:
        """Ask the workers to leave; one that was only just started may not listen yet."""
        for worker in self._workers:
            with worker:
                worker.signal(signal.SIGTERM)
                assert worker.ends() in (0, -signal.SIGTERM), worker.said


def give(crew: Crew, runs: int, workers: int, blows: int, seed: int) -> tuple[Result, dict[str, int]]:
    """Give the show, and check in the ledgers that each step and each decision is recorded once.

    Args:
        crew: The server and the store, which is not there yet.
        runs: How many runs there are.
        workers: How many workers.
        blows: How many blows fall while the runs are under way.
        seed: What chance begins with.
    """
    random = Random(seed)  # noqa: S311  # no secret
    file = show_graph(crew.folder / "show", _TAKES)
    with ExitStack() as stack:
        store: StateStore = stack.enter_context(open_store(crew.url))
        decider = stack.enter_context(deciding(crew.url, runs))
        began = time.monotonic()
        app = read_graph(file).compile()
        for number in range(runs):
            operations.start(app, store, {}, f"r{number}", time.time())
            crew.enroll(f"r{number}")
        hits = stack.enter_context(closing(Blows(crew, workers, random)))
        kinds = [_KINDS[number % len(_KINDS)] for number in range(blows)]
        random.shuffle(kinds)
        for number, kind in enumerate(kinds):
            have_ended(store, runs * number // (blows + 2))
            threading.Event().wait(random.random())
            hits.strike(kind)
        until(lambda: len(store.runs(RunStatus.ENDED)) == runs, "all runs end")
        seconds = time.monotonic() - began
        assert decider.wait() == 0
        hits.end()
        check_ledgers(store, runs)
    executions = executions_in(crew.folder / "show" / "ledger")
    return Result(runs, seconds, hits.gone, executions, {}), hits.counts


def main() -> None:
    """Give a show of a size that is asked for."""
    folder, (runs, workers, blows, seed) = Path(sys.argv[1]), map(int, sys.argv[2:])
    folder.mkdir(parents=True)
    with running_server() as server:
        result, counts = give(Crew(server, folder, "show"), runs, workers, blows, seed)
    told = ", ".join(f"{count} x {kind}" for kind, count in counts.items())
    print(f"{runs} runs in {result.seconds:.0f} s; {told}")
    print(f"{len(result.executions)} executions of {2 * runs} nodes")
    print(f"executed again: {result.again}; overlaps: {result.overlaps}")


if __name__ == "__main__":
    main()
