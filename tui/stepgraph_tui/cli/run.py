"""``stepgraph run``: a new run of a graph file."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from .driving import Driver
from .exits import Exit
from .inputs import read_inputs, undeclared
from .progress import waiting
from .stored import opened
from .trust_prompt import ensure_trusted

if TYPE_CHECKING:
    from .output import Output


def run(args: Namespace, output: Output) -> Exit:
    """Start a run, and run it to its end, a pause or a failure."""
    from stepgraph.files import read_graph
    from stepgraph.runs.executor import Executor
    from stepgraph.runs.operations import initial_state
    from stepgraph.runs.session import DebugSession

    app = read_graph(args.file).compile()
    values = read_inputs(args.input, app.keys)
    for remark in undeclared(values, app.keys):
        output.narrate(remark)
    initial_state(app, values)  # what is missing is said before anybody is asked for trust
    ensure_trusted(output, app, args.trust)
    output.keep_apart()
    with opened(output, create=True) as store:
        executor = Executor(app, store, around=waiting(output))
        started = executor.start(values, args.run_id)
        output.narrate(f"run {started.id} of {app.name}")
        return Driver(output, DebugSession(executor, started)).go()
