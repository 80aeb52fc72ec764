"""``stepgraph run``, ``step``, ``resume``, ``retry``, ``fork`` and ``extend``: what drives runs."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from stepgraph.runs import not_ready, open_run, operations, random_id, view_run
from stepgraph.stores import RunStatus, hand_over, take_over
from stepgraph.values import DefinitionChanged, GraphError, RunError, UnknownRun, did_you_mean, some_of

from ..text.plain import place, plural
from ..view.runs import RunStory
from .acting import acting_name, add_name
from .debugging import add_breaks, add_watches, debugging_of, watches_of
from .driving import Driver, tell_unready, waiting
from .exits import Exit
from .graphs import add_trust, named_graph, plan_of_run
from .inputs import add_changes, read_inputs, read_state_changes
from .live import (
    CallNarrator,
    add_live,
    connections,
    consent,
    limits_of,
    mode_asked,
    mode_to_go_on,
    mode_told,
    record_how,
    recorded_inputs,
    say_how,
    say_limits,
)
from .output import ensure_trusted
from .parser import GRAPH, GRAPH_HELP, Parser, names_a_file, run_filter, whole_number
from .reports import run_json, tell_pause
from .stored import command_store, note_if_changed, tell_adopted, tell_if_changed
from .worker import add_queue, engine_of

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Executor, Run, RunMode
    from stepgraph.stores import Engine, StateStore, StoredRun
    from stepgraph.values import Json

    from ..connections import Connections
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
    engine = engine_of(output)
    with command_store(output, create=True) as store:
        engine.prepare()
        run_id = args.run_id if args.run_id is not None else random_id("r")
        by = acting_name(args.name)
        started = operations.start(app, store, values, run_id, time.time(), by, mode_asked(args))
        _note_recent(output, app)
        say_limits(args, started, by)
        hand_over(store, engine, run_id)
        return handed_over(output, store, engine, run_id)


def handed_over(output: Output, store: StateStore, engine: Engine, run_id: str) -> Exit:
    """Report that workers drive a run now, and how to follow it."""
    output.narrate(f"run {run_id} is handed to the workers; see how it goes with:")
    output.suggest("runs", "show", run_id)
    if not any(not worker.is_lost for worker in engine.workers()):
        output.narrate("no worker is there yet; start one where the code of the graph is, with:")
        output.suggest("worker")
    if output.as_json:
        from stepgraph_tui.view.runs import RunStory

        run = open_run(store, run_id)
        output.data(run_json(RunStory.of(run)))
    else:
        output.lines([run_id])
    return Exit.DONE


def add_detach(parser: Parser) -> None:
    """Declare ``--detach``."""
    parser.add_argument("--detach", action="store_true", help="let workers drive the run, from now on")
    add_queue(parser, "which of Temporal's workers: those of this task queue")


def run(args: Namespace, output: Output) -> Exit:
    """Start a run, and run it to its end, a pause or a failure."""
    from stepgraph.runs import DebugSession, initial_state, undeclared

    refuse_with_detach(args)
    app = named_graph(output, args.file, args.trust).compile()
    values = _inputs(args, output, app)
    if slips := undeclared(app, values):
        named = ", ".join(slips)
        output.error(
            f"graph {app.name} declares no input {named}",
            did_you_mean(slips[0], app.keys, listing="declared"),
        )
        return Exit.USAGE
    debugging = debugging_of(output, args, app)
    initial_state(app, values)  # missing inputs are reported before anybody is asked for trust
    if unset := [key for key in app.never_set if key not in values]:
        named = ", ".join(unset)
        output.narrate(f"note: no node sets {named}; a run begins with it by --input {unset[0]}=VALUE")
    with closing(connections(output, tells=args.live)) as answering:
        if args.live and not consent(output, answering, app, limits_of(args).over(app.settings)):
            output.narrate("nothing ran, and nobody was asked")
            return Exit.DONE
        if args.detach:
            return detach(args, output, app, values)
        ensure_trusted(output, app, args.trust)
        output.keep_apart()
        with command_store(output, create=True) as store:
            narrator = CallNarrator(output)
            executor = _executor(output, answering, app, store, mode_asked(args), narrator)
            by = acting_name(args.name)
            started = executor.start(values, args.run_id, by=by)
            _note_recent(output, app)
            say_limits(args, started, by)
            output.narrate(f"run {started.id} of {app.name}{mode_told(executor.mode)}")
            session = DebugSession(executor, started, debugging.breakpoints)
            return Driver(output, session, debugging, narrator).go(starts=True)


def _note_recent(output: Output, app: CompiledGraph) -> None:
    """List the graph among the recent ones of the app, where a person runs it rather than a script."""
    if app.source is not None and output.data_stream.isatty():
        from ..remembered import Remembered

        remembered = Remembered.load()
        remembered.note_opened(Path(app.source))
        remembered.save()


def _inputs(args: Namespace, output: Output, app: CompiledGraph) -> dict[str, Json]:
    """Read what a new run begins with; a replay begins as its recording did where nobody says else."""
    given = read_inputs(args.input, app.keys)
    if args.replay is None:
        return given
    with command_store(output) as store:
        return {**recorded_inputs(store, args.replay, app), **given}


def _executor(
    output: Output,
    answering: Connections,
    app: CompiledGraph,
    store: StateStore,
    mode: RunMode,
    narrator: CallNarrator,
) -> Executor:
    """Build the executor of a graph in a mode, which reports its calls."""
    return answering.executor(
        app,
        store,
        mode,
        tell=narrator.hear,
        stopped=narrator.is_stopped,
        clock=output.clock,
        around=waiting(output, lambda: narrator.is_telling),
    )


def step(args: Namespace, output: Output) -> Exit:
    """Run exactly one node."""
    with command_store(output) as store:
        run = _unready(output, store, args.run)
        if run is not None:
            return tell_unready(output, run, once=True, debugging=watches_of(args))
        with _driver(args, output, store) as driver:
            return driver.go(once=True)


def resume(args: Namespace, output: Output) -> Exit:
    """Continue a run; for one that waits, has failed or has ended only report that."""
    if args.decided == (args.run is not None):
        output.error("resume takes one run, or --decided for all that are decided", "`runs` lists them")
        return Exit.USAGE
    if args.filter.terms and not args.decided:
        output.error("--filter chooses among the decided runs", "add --decided instead of a run")
        return Exit.USAGE
    if args.decided:
        from .continuing import resume_decided

        return resume_decided(args, output)
    refuse_with_detach(args)
    until, after = frozenset(args.until), frozenset(args.after)
    if args.detach:
        engine = engine_of(output)
        with command_store(output) as store:
            store.load(args.run)
            say_how(args, output, store, connections(output, tells=args.live))
            hand_over(store, engine, args.run)
            return handed_over(output, store, engine, args.run)
    with command_store(output) as store:
        run = _unready(output, store, args.run)
        if run is not None:
            return tell_unready(output, run, debugging=watches_of(args))
        with _driver(args, output, store, named=until | after) as driver:
            return driver.go(until=until, after=after)


def _settle(output: Output, store: StateStore, run_id: str) -> None:
    """Apply what is overdue of a run's review.

    Raises:
        UnknownRun: There is no such run; the hint for a graph's name is how to start a run.
    """
    from stepgraph.reviews import Reviews

    try:
        Reviews(store).settle(run_id)
    except UnknownRun:
        if not names_a_file(run_id):
            raise
        hint = f"start one: {output.command('run', run_id)}; with --break NODE it halts before a node"
        raise UnknownRun(f"{run_id!r} names a graph, and this needs a run", hint=hint) from None


def _unready(output: Output, store: StateStore, run_id: str) -> Run | None:
    """Read a run that cannot be stepped, before anybody is asked for trust; None when it can be.

    What is overdue of its review is applied first.

    What is printed of it holds while it is printed: when somebody moves the run meanwhile, it
    is looked at again.
    """
    _settle(output, store, run_id)
    while True:
        stored = store.load(run_id)
        if stored.pointer.status is RunStatus.READY:
            return None
        run = view_run(store, stored)
        if store.load(run_id).pointer.version == run.version:
            return run


def retry(args: Namespace, output: Output) -> Exit:
    """Try the failed part of a run again, then go on unless that was all that was wanted."""
    with command_store(output) as store:
        _settle(output, store, args.run)
        stored = store.load(args.run)
        if stored.pointer.status is not RunStatus.FAILED:  # before anybody is asked for trust
            raise not_ready(view_run(store, stored), "retry")
        refuse_with_detach(args)
        if args.detach:
            engine = engine_of(output)
            say_how(args, output, store, connections(output, tells=args.live))
            hand_over(store, engine, args.run, store.load(args.run).pointer.version)
            return handed_over(output, store, engine, args.run)
        with _driver(args, output, store) as driver:
            return driver.go(retry=True, once=args.once)


def fork(args: Namespace, output: Output) -> Exit:
    """Fork a past step into a new run. Nothing runs, so nothing need be trusted."""
    from stepgraph.expressions import updated
    from stepgraph.runs import forking, open_run, origin_text, random_id

    with command_store(output) as store:
        run = open_run(store, args.run)
        values = forking.values_to_fork(run, args.at)
        made = forking.fork(
            run,
            at=args.at,
            values=updated(values, read_state_changes(output, args, run.plan.keys, values)),
            new_id=args.run_id if args.run_id is not None else random_id("r"),
            now=time.time(),
            by=acting_name(args.name),
        )
        output.narrate(
            f"run {made.id} continues from {origin_text(made.head)}; {place(made.current)} comes next. "
            "Side effects of repeated steps happen again."
        )
        return _ready(output, made)


def extend(args: Namespace, output: Output) -> Exit:
    """Allow a run more steps. Nothing runs, so nothing need be trusted."""
    with command_store(output) as store:
        run = open_run(store, args.run)
        operations.extend(run, args.steps, time.time())
        output.narrate(
            f"run {run.id} may now take {plural(run.max_steps, 'step')}; {place(run.current)} comes next"
        )
        return _ready(output, run)


def _ready(output: Output, run: Run) -> Exit:
    story = RunStory.of(run)
    review = story.pending
    note_if_changed(output, run.plan)
    if review is None:
        output.narrate("continue with:")
        output.suggest("resume", run.id)
    else:
        tell_pause(output, review)
    if output.as_json:
        output.data(run_json(story))
    else:
        output.lines([run.id])
    return Exit.DONE


@contextmanager
def _driver(
    args: Namespace, output: Output, store: StateStore, named: Iterable[str] = ()
) -> Iterator[Driver]:
    """Build the driver of a run; nothing is recorded before it is known that the run can go on here."""
    from stepgraph.runs import DebugSession, stored_graph

    found = store.load(args.run)
    if args.adopt:
        app = _from_file(output, found, args.trust)
        _check_nodes(app, named)
        tell_adopted(output, stored_graph(store, found), app)
    else:
        app = plan_of_run(output, store, found, args.trust)
        _check_nodes(app, named)
        tell_if_changed(output, app)
    debugging = debugging_of(output, args, app)
    with closing(connections(output, tells=args.live)) as answering:
        mode = mode_to_go_on(args, output, store, answering)
        ensure_trusted(output, app, args.trust)
        output.keep_apart()
        narrator = CallNarrator(output)
        executor = _executor(output, answering, app, store, mode, narrator)
        loaded = None if args.adopt else _load(executor, args)  # it may be refused, and stays with workers
        if take_over(store, args.run):
            output.narrate(f"note: run {args.run} is taken from the workers; --detach hands it over again")
            loaded = None
        run = loaded if loaded is not None else _load(executor, args)
        record_how(args, output, run, mode)
        yield Driver(output, DebugSession(executor, run, debugging.breakpoints), debugging, narrator)


def _load(executor: Executor, args: Namespace) -> Run:
    """Load the handle of the run.

    Raises:
        DefinitionChanged: Its graph is in a Python module, which has another one by now.
    """
    try:
        return executor.load(args.run, adopt=args.adopt)
    except DefinitionChanged as error:
        hint = f"--adopt moves it to the graph that {executor.app.source} has now"
        raise DefinitionChanged(error.message, error.differences, hint=hint) from None


def _from_file(output: Output, stored: StoredRun, trust: bool) -> CompiledGraph:
    """Compile the graph that a run was started from, as its file or module has it now.

    Raises:
        GraphError: The run has no file, or the graph is wrong.
        GraphFileError: The file cannot be read.
        TrustError: It is a module that nobody has trusted.
    """
    if stored.head.source is None:
        raise GraphError(
            f"run {stored.head.id!r} was not started from a graph file, so there is none to adopt",
            hint="load it with adopt=True in the program that built the graph",
        )
    return named_graph(output, stored.head.source, trust).compile()


def _check_nodes(app: CompiledGraph, names: Iterable[str]) -> None:
    """Refuse nodes that are not there: they would never stop a run."""
    for name in sorted(names):
        if name not in app.nodes:
            hint = did_you_mean(name, app.nodes, listing="it has")
            raise RunError(f"graph {app.name!r} has no node {name!r}", hint=hint)


# What the commands take


def run_options(parser: Parser) -> None:
    """Declare what ``run`` takes."""
    parser.add_argument("file", metavar=GRAPH, type=Path, help=GRAPH_HELP)
    _add_inputs(parser)
    _add_run_id(parser)
    add_name(parser, "who starts it")
    add_trust(parser)
    add_breaks(parser)
    add_watches(parser)
    add_live(parser, "ask the models of your settings, in place of scripted replies")
    add_detach(parser)
    parser.set_defaults(command=run)


def step_options(parser: Parser) -> None:
    """Declare what ``step`` takes."""
    _add_stepping(parser)
    parser.set_defaults(command=step)


def resume_options(parser: Parser) -> None:
    """Declare what ``resume`` takes."""
    _add_stepping(parser, run="?")
    decided = "continue every run with a decision that nobody has used yet"
    parser.add_argument("--decided", action="store_true", help=decided)
    chosen = "of those, only the runs that match, as in the app: `graph:refund node:review words`"
    parser.add_argument("--filter", type=run_filter, default="", metavar="WORDS", help=chosen)
    add_detach(parser)
    add_breaks(parser)
    for option, help in (
        ("--until", "stop when this node is next; repeatable"),
        ("--after", "stop after this node; repeatable"),
    ):
        parser.add_argument(option, action="append", default=[], metavar="NODE", help=help)
    parser.set_defaults(command=resume)


def retry_options(parser: Parser) -> None:
    """Declare what ``retry`` takes."""
    _add_stepping(parser)
    add_breaks(parser)
    parser.add_argument("--once", action="store_true", help="try the failed part once, then stop")
    add_detach(parser)
    parser.set_defaults(command=retry)


def fork_options(parser: Parser) -> None:
    """Declare what ``fork`` takes."""
    parser.add_argument("run", metavar="RUN")
    parser.add_argument(
        "--at",
        metavar="N",
        type=whole_number,
        help="the step to continue from; 0 is the start (default: where the run stands)",
    )
    add_changes(parser, "--input")
    _add_run_id(parser)
    add_name(parser, "who makes it")
    parser.set_defaults(command=fork)


def extend_options(parser: Parser) -> None:
    """Declare what ``extend`` takes."""
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("steps", metavar="N", type=whole_number)
    parser.set_defaults(command=extend)


def _add_stepping(parser: Parser, run: Literal["?"] | None = None) -> None:
    parser.add_argument("run", metavar="RUN", nargs=run)
    parser.add_argument("--adopt", action="store_true", help="use the current version of the graph file")
    add_trust(parser)
    add_watches(parser)
    add_live(parser, "ask the models of your settings from here on, in place of scripted replies")


def _add_inputs(parser: Parser) -> None:
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a value of the state, as JSON or else as text; KEY=@FILE reads a file",
    )


def _add_run_id(parser: Parser) -> None:
    parser.add_argument("--run-id", metavar="ID", help="the name of the run")
