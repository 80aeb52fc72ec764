"""``stepgraph step``, ``resume``, ``retry``, ``fork`` and ``extend``: runs that a store already has."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.stored import from_file, runnable, showable, stored_graph
from stepgraph_tui.words.masks import Mask, mask_of
from stepgraph_tui.words.text import place

from .driving import Driver, report
from .exits import Exit
from .inputs import read_inputs, undeclared
from .reports import run_json, tell_pause
from .stored import opened, tell_adopted, tell_if_changed
from .trust_prompt import ensure_trusted

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore, StoredRun

    from .output import Output


def step(args: Namespace, output: Output) -> Exit:
    """Run exactly one node."""
    from stepgraph.runs.run import not_ready

    with opened(output) as store:
        found = store.load(args.run)
        if found.pointer.status is RunStatus.READY:
            return _driver(args, output, store).go(once=True)
        app, run = _looked_at(store, found)
        if run.status is not RunStatus.PAUSED:
            raise not_ready(run, "step")
        return report(output, store, app, run)


def resume(args: Namespace, output: Output) -> Exit:
    """Go on with a run; one that waits, has failed or has ended only tells so."""
    until, after = frozenset(args.until), frozenset(args.after)
    with opened(output) as store:
        found = store.load(args.run)
        if found.pointer.status is RunStatus.READY:
            return _driver(args, output, store, named=until | after).go(until=until, after=after)
        app, run = _looked_at(store, found)
        if run.status is not RunStatus.PAUSED:
            output.narrate(f"run {run.id} had {run.status.value} already; nothing ran")
        return report(output, store, app, run)


def retry(args: Namespace, output: Output) -> Exit:
    """Try the failed part of a run again, then go on unless that was all that was wanted."""
    from stepgraph.runs.run import not_ready

    with opened(output) as store:
        found = store.load(args.run)
        if found.pointer.status is not RunStatus.FAILED:  # before anybody is asked for trust
            raise not_ready(_looked_at(store, found)[1], "retry")
        return _driver(args, output, store).go(retry=True, once=args.once)


def fork(args: Namespace, output: Output) -> Exit:
    """Make a new run from a past step of another one. Nothing runs, so nothing need be trusted."""
    from stepgraph.runs import fork as forking
    from stepgraph.runs import operations as lifecycle
    from stepgraph.runs.executor import random_id

    with opened(output) as store:
        app = runnable(store, store.load(args.run))
        values = read_inputs(args.input, app.keys)
        for remark in undeclared(values, app.keys):
            output.narrate(remark)
        made = forking.fork(
            app,
            store,
            lifecycle.load(app, store, args.run),
            at=args.at,
            values=values,
            new_id=args.run_id if args.run_id is not None else random_id("r"),
            now=time.time(),
        )
        output.narrate(
            f"run {made.id} goes on from {made.head.origin}; {place(made.current)} comes next. "
            "Steps that it runs again have their effects again. Go on with:"
        )
        return _ready(output, made, mask_of(app, store, made.id))


def extend(args: Namespace, output: Output) -> Exit:
    """Allow a run more steps. Nothing runs, so nothing need be trusted."""
    from stepgraph.runs import operations as lifecycle

    with opened(output) as store:
        app, run = _looked_at(store, store.load(args.run))
        lifecycle.extend(store, run, args.steps, time.time())
        output.narrate(f"run {run.id} may take {run.max_steps} steps now; {place(run.current)} comes next:")
        return _ready(output, run, mask_of(app, store, run.id))


def _ready(output: Output, run: Run, mask: Mask) -> Exit:
    review = run.pending
    if review is None:
        output.suggest("resume", run.id)
    else:
        tell_pause(output, review, mask)
    if output.as_json:
        output.data(run_json(run, mask))
    else:
        output.lines([run.id])
    return Exit.DONE


def _looked_at(store: StateStore, found: StoredRun) -> tuple[CompiledGraph, Run]:
    """A run that is not going to be stepped: what its graph names need be neither trusted nor there."""
    from stepgraph.runs import operations as lifecycle

    app = showable(store, found)
    return app, lifecycle.load(app, store, found.head.id)


def _driver(args: Namespace, output: Output, store: StateStore, named: Iterable[str] = ()) -> Driver:
    """What drives the run, once the nodes that were named are known to be there."""
    from stepgraph.runs.executor import Executor

    found = store.load(args.run)
    if args.adopt:
        app = from_file(found)
        _check_nodes(app, named)
        tell_adopted(output, stored_graph(store, found), app)
    else:
        app = runnable(store, found)
        _check_nodes(app, named)
        tell_if_changed(output, app)
    ensure_trusted(output, app, args.trust)
    output.keep_apart()
    executor = Executor(app, store)
    return Driver(output, executor, executor.load(args.run, adopt=args.adopt))


def _check_nodes(app: CompiledGraph, names: Iterable[str]) -> None:
    """A node that is not there would never stop a run."""
    from stepgraph.values.errors import RunError
    from stepgraph.values.problems import did_you_mean

    for name in sorted(names):
        if name not in app.nodes:
            hint = did_you_mean(name, app.nodes, listing="it has")
            raise RunError(f"graph {app.name!r} has no node {name!r}", hint=hint)
