"""``stepgraph worker``: a process that runs the graphs which were handed to workers."""

from __future__ import annotations

import os
import time
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stepgraph.stores import default_store_url, engine_for, engine_name, engines_of, is_temporal
from stepgraph.values import RunError, StoreError, some_of
from stepgraph_tui.text.system import default_name

from .exits import Exit
from .parser import Parser, whole_number
from .stored import command_store

if TYPE_CHECKING:
    from stepgraph.stores import DrivenRun, Engine, LivingWorker

    from .output import Output

_T = TypeVar("_T")
_TOLD = 20  # troubles that are listed
ANSWERING = "stepgraph_tui.connections:user_connections"
_SHORTEST = 1.0  # seconds of a lease: less than that, and a busy machine passes for a dead one


def worker(args: Namespace, output: Output) -> Exit:
    """Drive runs until somebody asks to stop."""
    import asyncio

    from stepgraph.extras.workers.supervised import WorkerOptions

    if args.dev and not is_temporal(engine_name()):
        raise RunError("--dev starts Temporal, and no engine was named", hint="add --engine temporal")
    engine = engine_of(output)
    name = args.name if args.name is not None else f"{default_name()}:{os.getpid()}"
    folders = tuple(map(str, args.graphs))
    options = WorkerOptions(
        _address(output), name, args.processes, args.trust, folders, args.lease, args.live, ANSWERING
    )

    def tell(text: str) -> None:
        output.narrate(f"{time.strftime('%H:%M:%S')} {text}")

    async def work() -> None:
        if is_temporal(engine_name()):
            from stepgraph.extras.temporal.server import read_address
            from stepgraph.extras.temporal.worker import TemporalWorker

            await TemporalWorker(options, read_address(engine_name()), tell).run()
        else:
            from stepgraph.extras.workers.worker import RunWorker

            await RunWorker(options, tell).run()

    with command_store(output, create=True):
        pass  # it is there, and can be used
    with _development_server(args, tell):
        engine.prepare()
        output.narrate(f"worker {name} waits for runs; ctrl+c stops it")
        asyncio.run(work())
    output.narrate(f"worker {name} has left")
    return Exit.DONE


def _development_server(args: Namespace, tell: Callable[[str], None]) -> AbstractContextManager[object]:
    """Start Temporal's development server where it is wanted; it ends with the worker."""
    if not args.dev:
        return nullcontext()
    from stepgraph.extras.temporal.server import DevelopmentServer, read_address

    return closing(DevelopmentServer(read_address(engine_name()), tell))


def engine_of(output: Output) -> Engine:
    """Find what runs of the store that was named are handed to.

    Raises:
        StoreError: Nothing can drive them, or what can is not installed.
    """
    return engine_for(_address(output))


def queued_runs(output: Output) -> dict[str, DrivenRun]:
    """Find how the runs stand that workers drive; none in a store that can have no workers."""
    found = _ask_engines(output, lambda engine: engine.runs())
    return {run.run: run for runs in found for run in runs.values()}


def queued_run(output: Output, run_id: str) -> DrivenRun | None:
    """Find how a run stands that workers drive; None where they do not."""
    found = _ask_engines(output, lambda engine: engine.run_of(run_id))
    return next((run for run in found if run is not None), None)


def _ask_engines(output: Output, ask: Callable[[Engine], _T]) -> list[_T]:
    """Ask every engine; where one does not answer, what is in the store is shown without it, and a note."""
    try:
        return [ask(engine) for engine in engines_of(_address(output))]
    except StoreError as error:
        output.narrate(f"note: {error.message}")
        return []


def queued_json(run: DrivenRun) -> dict[str, Any]:
    """Describe a queued run's status as JSON."""
    return {"job": run.job, "worker": run.worker, "wait": run.wait, "trouble": run.trouble}


def trouble_text(run: DrivenRun) -> str:
    """Describe on one line what kept a worker from running it."""
    return ", ".join(line.strip() for line in run.trouble.splitlines())


def workers_facts(output: Output) -> dict[str, Any] | None:
    """Describe the workers of a store, and what keeps them from work; None where there can be none."""
    engines = engines_of(_address(output))
    if not engines:
        return None
    runs = list(queued_runs(output).values())
    workers = [each for engine in engines for each in engine.workers()]
    counts = Counter(run.job for run in runs)
    facts: dict[str, Any] = {
        "workers": [_worker_text(each, runs) for each in workers] or "none",
        "running": counts["doing"],
        "waiting": counts["todo"],
    }
    troubles = [f"run {run.run}: {trouble_text(run)}" for run in runs if run.trouble and run.job]
    if troubles:
        facts["trouble"] = troubles[:_TOLD]
    return facts


def _worker_text(worker: LivingWorker, runs: Sequence[DrivenRun]) -> str:
    its = worker.runs or [run.run for run in runs if run.worker == worker.name]
    at = f"at {some_of(its, 5)}" if its else "idle"
    silent = f"silent for {worker.silent:.0f} s: its runs are taken over" if worker.is_lost else at
    return f"{worker.name}{f' ({worker.where})' if worker.where else ''}: {silent}"


def _address(output: Output) -> str:
    return output.store if output.store is not None else default_store_url()


def add_queue(parser: Parser, which: str) -> None:
    """Declare ``--queue``."""
    parser.add_argument("--queue", metavar="NAME", default=None, help=f"{which} (default: stepgraph)")


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
    parser.add_argument("--name", help="the worker's name (default: user, host, process)")
    parser.add_argument(
        "--processes", type=_processes, default=1, metavar="N", help="how many runs it drives at once"
    )
    parser.add_argument(
        "--lease",
        type=_lease,
        default=30.0,
        metavar="SECONDS",
        help="seconds without a heartbeat until others take over its runs (default: 30)",
    )
    add_queue(parser, "with Temporal: the task queue whose runs it drives")
    parser.add_argument(
        "--dev",
        action="store_true",
        help="with Temporal: start its development server here, with its web UI",
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
