"""``--detach``: a run is handed to the workers, and nothing of it runs here."""

from __future__ import annotations

import time
from argparse import Namespace
from typing import TYPE_CHECKING

from stepgraph.values.errors import RunError
from stepgraph.values.messages import some_of

from .acting import acting_name
from .exits import Exit
from .live import mode_asked, say_limits
from .reports import run_json
from .stored import opened
from .usage import Parser
from .worker import queue_of

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.stores.base import StateStore
    from stepgraph.values.json_values import Json
    from stepgraph.workers.queue import WorkerQueue

    from .output import Output


def refuse_with_detach(args: Namespace) -> None:
    """Refuse what only who drives a run himself can be asked for.

    Raises:
        RunError: ``--detach`` is there, and such an option.
    """
    mine = {"breaks": "--break", "watch": "--watch", "kept": "--kept", "until": "--until", "after": "--after"}
    mine |= {"adopt": "--adopt", "once": "--once"}
    given = [option for name, option in mine.items() if getattr(args, name, None)]
    if args.detach and given:
        raise RunError(
            f"workers take no {given[0]}: nobody watches a detached run",
            hint=f"leave out {some_of(given, len(given))}, or --detach",
        )


def detach(args: Namespace, output: Output, app: CompiledGraph, values: dict[str, Json]) -> Exit:
    """Create a run, and hand it to the workers; nothing runs here, so nothing need be trusted here."""
    from stepgraph.runs import operations
    from stepgraph.runs.executor import random_id

    queue = queue_of(output)
    with opened(output, create=True) as store:
        queue.prepare()
        run_id = args.run_id if args.run_id is not None else random_id("r")
        by = acting_name(args.name)
        started = operations.start(app, store, values, run_id, time.time(), by, mode_asked(args))
        say_limits(args, started, by)
        queue.enroll(run_id)
        return handed_over(output, store, queue, run_id)


def handed_over(output: Output, store: StateStore, queue: WorkerQueue, run_id: str) -> Exit:
    """Say that workers drive a run now, and how to look at it."""
    output.narrate(f"run {run_id} is handed to the workers; see how it goes with:")
    output.suggest("runs", "show", run_id)
    if not any(not worker.is_lost for worker in queue.workers()):
        output.narrate("no worker is there yet; start one where the code of the graph is, with:")
        output.suggest("worker")
    if output.as_json:
        from stepgraph.runs.views import open_run
        from stepgraph_tui.view.runs import RunStory

        run = open_run(store, run_id)
        output.data(run_json(RunStory.of(run)))
    else:
        output.lines([run_id])
    return Exit.DONE


def add_detach(parser: Parser) -> None:
    """Declare ``--detach``."""
    parser.add_argument("--detach", action="store_true", help="let workers drive the run, from now on")
