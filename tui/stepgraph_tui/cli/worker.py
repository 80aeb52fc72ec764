"""``stepgraph worker``: a process that runs the graphs which were handed to workers."""

from __future__ import annotations

import os
import time
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepgraph.stores import default_store_url
from stepgraph.values import StoreError, some_of
from stepgraph_tui.text.system import default_name

from .exits import Exit
from .stored import opened
from .usage import Parser, whole_number

if TYPE_CHECKING:
    from stepgraph.extras.workers.queue import LivingWorker, QueuedRun, WorkerQueue

    from .output import Output

_TOLD = 20  # troubles that are listed
ANSWERING = "stepgraph_tui.connections:user_connections"
_SHORTEST = 1.0  # seconds of a lease: less than that, and a busy machine passes for a dead one


def worker(args: Namespace, output: Output) -> Exit:
    """Drive runs until somebody asks to stop."""
    import asyncio

    queue = queue_of(output)
    from stepgraph.extras.workers.outcomes import WorkerOptions
    from stepgraph.extras.workers.worker import RunWorker

    name = args.name if args.name is not None else f"{default_name()}:{os.getpid()}"
    folders = tuple(map(str, args.graphs))
    options = WorkerOptions(
        _address(output), name, args.processes, args.trust, folders, args.lease, args.live, ANSWERING
    )
    with opened(output, create=True):
        queue.prepare()
    output.narrate(f"worker {name} waits for runs; ctrl+c stops it")

    async def work() -> None:
        await RunWorker(options, lambda text: output.narrate(f"{time.strftime('%H:%M:%S')} {text}")).run()

    asyncio.run(work())
    output.narrate(f"worker {name} has left")
    return Exit.DONE


def queue_of(output: Output) -> WorkerQueue:
    """Give the queue of the store that was named.

    Raises:
        StoreError: It has none: it is not on PostgreSQL, or procrastinate is not installed.
    """
    address = _address(output)
    if not is_served(address):
        raise StoreError(
            "workers need a store on PostgreSQL, where all of them can reach it",
            hint="name one with --store postgresql://user@host/database or STEPGRAPH_STORE",
        )
    try:
        from stepgraph.extras.workers.queue import WorkerQueue
    except ImportError as error:
        raise StoreError(
            f"workers need procrastinate, which cannot be imported: {error}",
            hint='pip install "stepgraph[postgres]"',
        ) from error
    return WorkerQueue(address)


def queued_runs(output: Output) -> dict[str, QueuedRun]:
    """Find how the runs stand that workers drive; none in a store that can have no workers."""
    if not is_served(_address(output)):
        return {}
    try:
        from stepgraph.extras.workers.queue import WorkerQueue
    except ImportError:
        return {}
    return WorkerQueue(_address(output)).runs()


def queued_json(run: QueuedRun) -> dict[str, Any]:
    """Tell as JSON how a run stands in the queue."""
    return {"job": run.job, "worker": run.worker, "wait": run.wait, "trouble": run.trouble}


def trouble_text(run: QueuedRun) -> str:
    """Tell on one line what kept a worker from running it."""
    return ", ".join(line.strip() for line in run.trouble.splitlines())


def workers_facts(output: Output) -> dict[str, Any] | None:
    """Describe the workers of a store, and of what keeps them from work; None where there can be none."""
    if not is_served(_address(output)):
        return None
    queue = queue_of(output)
    runs = queue.runs().values()
    counts = Counter(run.job for run in runs)
    facts: dict[str, Any] = {
        "workers": [_worker_text(each) for each in queue.workers()] or "none",
        "running": counts["doing"],
        "waiting": counts["todo"],
    }
    troubles = [f"run {run.run}: {trouble_text(run)}" for run in runs if run.trouble and run.job]
    if troubles:
        facts["trouble"] = troubles[:_TOLD]
    return facts


def _worker_text(worker: LivingWorker) -> str:
    at = f"at {some_of(worker.runs, 5)}" if worker.runs else "idle"
    silent = f"silent for {worker.silent:.0f} s: its runs are taken over" if worker.is_lost else at
    return f"{worker.name} ({worker.host}, process {worker.pid}, runs {worker.processes} at once): {silent}"


def is_served(address: str) -> bool:
    """Check whether an address is one of a store that can have workers."""
    return address.lower().startswith(("postgresql:", "postgres:"))


def _address(output: Output) -> str:
    return output.store if output.store is not None else default_store_url()


def worker_options(parser: Parser) -> None:
    """Declare what ``worker`` takes."""
    parser.add_argument(
        "--trust",
        action="store_true",
        help="trust the code and commands that graphs in the store name",
    )
    parser.add_argument(
        "--graphs",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="where graph files and their modules are on this machine; repeatable",
    )
    live = "drive live runs, too: they ask the models of your settings, whoever has started them"
    parser.add_argument("--live", action="store_true", help=live)
    parser.add_argument("--name", help="what people know this worker by (default: you, host, process)")
    parser.add_argument(
        "--processes", type=_processes, default=1, metavar="N", help="how many runs it advances at once"
    )
    parser.add_argument(
        "--lease",
        type=_lease,
        default=30.0,
        metavar="SECONDS",
        help="how long others wait for a word of this worker before they take its runs over (default: 30)",
    )
    parser.set_defaults(command=worker)


def _processes(text: str) -> int:
    number = whole_number(text)
    if number < 1:
        raise ArgumentTypeError("a worker has at least one process")
    return number


def _lease(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _SHORTEST <= seconds <= 3600:
        raise ArgumentTypeError(f"{text!r} is not a lease: give the seconds, from 1 to 3600")
    return seconds
