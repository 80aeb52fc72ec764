"""Who has lost a run: what its nodes bring is refused, and a woken process does nothing more."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from stepgraph import RunStatus
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.runs.views import open_run
from tests.cli.calling import Cli

from .processes import LONG, SHORT, WorkerProcess, alive, handlers, long_silent, until

TWO_AT_ONCE = """
import os, time
from pathlib import Path
here = Path(__file__).parent

def note(what, state):
    with (here / "notes").open("a") as file:
        file.write(f"{what} {state.run_id} {os.getpid()}\\n")

def begin(state):
    first = not (here / f"{state.run_id}.first").exists()
    (here / f"{state.run_id}.first").touch()
    note("begins", state)
    while not (here / f"go.{os.getpid()}").exists():
        time.sleep(0.01)
    note("ends", state)
    if first and state.run_id == "raises":
        raise ValueError("too late")
    if first and state.run_id == "dies":
        os._exit(3)
    return {"by": os.getpid()}
"""


def notes(folder: Path, what: str) -> dict[str, list[int]]:
    """Find, for each run, the processes that wrote something down, in order."""
    found: dict[str, list[int]] = {}
    file = folder / "notes"
    for line in file.read_text().splitlines() if file.exists() else ():
        said, run_id, pid = line.split()
        if said == what:
            found.setdefault(run_id, []).append(int(pid))
    return found


def begun_by(folder: Path, runs: tuple[str, ...], but: Collection[int] = ()) -> dict[str, int]:
    """Wait until the node of each run was begun by a process that is there, and is none of some others."""
    last: dict[str, int] = {}

    def all_there() -> bool:
        last.update({run_id: pids[-1] for run_id, pids in notes(folder, "begins").items()})
        return last.keys() == set(runs) and all(alive(pid) and pid not in but for pid in last.values())

    until(all_there, "all have begun")
    return last


def test_what_a_node_brings_of_a_run_that_was_taken_over_is_refused(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    runs = ("returns", "raises", "dies")
    folder = tmp_path / "g"
    file = handlers(folder, TWO_AT_ONCE, "begin")
    options = ("--trust", "--processes", "3")
    with WorkerProcess(url, *options, "--name", "first", lease=LONG) as first:
        for run_id in runs:
            assert cli("run", "--detach", file, "--run-id", run_id).code == 0
        losers = begun_by(folder, runs)
        long_silent(url, "first")
        with WorkerProcess(url, *options, "--name", "second", lease=LONG) as second:
            winners = begun_by(folder, runs, losers.values())
            for run_id in runs:
                (folder / f"go.{losers[run_id]}").touch()
                first.until_it_says(f"run {run_id} was taken over by another worker")
                assert store.load(run_id).pointer.version == 1, run_id
            for run_id in runs:
                (folder / f"go.{winners[run_id]}").touch()
                second.until_it_says(f"run {run_id} ended after 1 step")
    for run_id in runs:
        run = open_run(store, run_id)
        assert (run.status, run.values, run.attempts) == (RunStatus.ENDED, {"by": winners[run_id]}, [])


@contextmanager
def asleep(worker: WorkerProcess, folder: Path, runs: tuple[str, ...]) -> Iterator[dict[str, int]]:
    """Stop a worker and its processes, each in the node of a run; the worker wakes last."""
    while True:
        begun_by(folder, runs)
        pids = [worker.process.pid]
        worker.signal(signal.SIGSTOP)
        pids += worker.children()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        nodes = {run_id: begun[-1] for run_id, begun in notes(folder, "begins").items()}
        if all(map(alive, nodes.values())):
            break
        for pid in pids:  # on a busy machine it had taken itself for dead just then
            os.kill(pid, signal.SIGCONT)
    try:
        yield nodes
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)


def test_a_process_that_wakes_after_its_lease_does_nothing_more(
    url: str, cli: Cli, store: PostgresStore, tmp_path: Path
) -> None:
    runs = ("r-1", "r-2")
    folder = tmp_path / "g"
    file = handlers(folder, TWO_AT_ONCE, "begin")
    options = ("--trust", "--processes", "2")
    with WorkerProcess(url, *options, "--name", "first", lease=SHORT) as first:
        for run_id in runs:
            assert cli("run", "--detach", file, "--run-id", run_id).code == 0
        with asleep(first, folder, runs) as losers:
            over = time.monotonic() + SHORT
            long_silent(url, "first")
            refused = cli("resume", runs[0], "--trust")
            assert (refused.code, "the worker that was at run 'r-1' is gone" in refused.err) == (3, True)
            assert "its worker is gone; another one takes it over" in cli("runs", "show", runs[0]).out
            second = WorkerProcess(url, *options, "--name", "second", lease=LONG)
            winners = begun_by(folder, runs, losers.values())
            for pid in losers.values():
                (folder / f"go.{pid}").touch()  # it need not wait any more, once it wakes
            until(lambda: time.monotonic() > over, "the lease is over")
        with second:
            for pid in losers.values():
                until(lambda pid=pid: not alive(pid), "it has ended itself")  # type: ignore[misc]
            for _ in runs:
                first.until_it_says("was dropped, and is run again")
            for run_id in runs:
                (folder / f"go.{winners[run_id]}").touch()
                second.until_it_says(f"run {run_id} ended after 1 step")
    assert notes(folder, "ends") == {run_id: [winners[run_id]] for run_id in runs}
