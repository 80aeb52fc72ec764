"""``stepgraph edit``: change the state of a run between two steps, by paths."""

from __future__ import annotations

import time
from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from stepgraph.runs import edit as record
from stepgraph.runs import mask_of, mode_of, not_ready, open_run
from stepgraph.stores import RunStatus
from stepgraph.values import Conflict, StateError
from stepgraph_tui.text.comparison import change_lines
from stepgraph_tui.text.plain import place
from stepgraph_tui.view.runs import RunStory, StateChanges

from .acting import acting_name, add_name
from .driving import waiting
from .exits import Exit
from .graphs import add_trust, plan_of_run
from .inputs import add_changes, read_state_changes
from .live import connections
from .output import can_ask, ensure_trusted, says_yes
from .parser import Parser
from .reports import run_json, tell_pause
from .stored import command_store, note_if_changed

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Executor, Run
    from stepgraph.stores import StateStore
    from stepgraph_tui.connections import Connections

    from .output import Output


def edit(args: Namespace, output: Output) -> Exit:
    """Change the state of a run; a review that waits is withdrawn, and its node asks again."""
    from stepgraph.expressions import updated

    if not args.set and not args.unset:
        raise StateError("there is nothing to edit", hint="say what: --set PATH=VALUE, or --unset PATH")
    with command_store(output) as store, closing(connections(output)) as answering:
        run = open_run(store, args.run)
        mask = mask_of(run.plan, store, run.id)
        if run.status is RunStatus.ENDED:
            raise not_ready(run, "edit")
        changes = read_state_changes(output, args, run.plan.keys, run.values)
        updates = updated(run.values, changes)
        lines = change_lines(StateChanges.of(run.values, updates, mask))
        if not lines:
            output.narrate("the state is like that already; nothing was edited")
            return _tell(output, run)
        asks = None
        if run.status is RunStatus.PAUSED:
            app = plan_of_run(output, store, store.load(run.id), args.trust)
            ensure_trusted(output, app, args.trust)
            if not _is_meant(output, run, lines):
                output.narrate("nothing was edited; the review still waits")
                return Exit.DONE
            asks = _asks_anew(output, answering, app, store, run.id)
        by = acting_name(args.name)
        record(run, updates, by, args.comment, time.time(), "cli")
        if asks is None:
            output.narrate(f"edited by {by}, after step {run.step}:")
            for line in lines:
                output.narrate(f"  {line}")
        else:
            run = _asked_anew(asks, run)
        return _tell(output, run)


def _asks_anew(
    output: Output, answering: Connections, app: CompiledGraph, store: StateStore, run_id: str
) -> Executor:
    """Build the function that asks again, before the review is withdrawn: the node's code may be missing.

    From here on nobody can be asked: node code is left an empty input.

    Raises:
        DefinitionChanged: The run's graph is in a Python module, which has another one by now.
    """
    output.keep_apart()
    mode = mode_of(store, run_id)
    executor = answering.executor(app, store, mode, clock=output.clock, around=waiting(output))
    executor.load(run_id)
    return executor


def _is_meant(output: Output, run: Run, lines: list[str]) -> bool:
    """Show what an edit does to the review that waits, and ask where one can."""
    for line in lines:
        output.narrate(f"  {line}")
    review = run.pending
    named = f"review {review.id}" if review is not None else "the review"
    output.narrate(f"{named} of node {run.current or ''} is withdrawn, and asked again")
    return output.as_json or not can_ask() or says_yes(output, "Edit the state?")


def _asked_anew(executor: Executor, edited: Run) -> Run:
    """Withdraw the review so that the node asks again, unless somebody else has."""
    run = executor.load(edited.id)
    if run.version == edited.version:
        try:
            executor.step(run)
        except Conflict:
            run = executor.load(edited.id)
    return run


def _tell(output: Output, run: Run) -> Exit:
    """Print how the run is now."""
    note_if_changed(output, run.plan)
    story = RunStory.of(run)
    review = story.pending
    if review is not None:
        tell_pause(output, review)
    else:
        failed = run.status is RunStatus.FAILED
        output.narrate(f"{place(run.current)} {'has failed; try it again' if failed else 'comes next'}:")
        output.suggest("retry" if failed else "resume", run.id)
    if output.as_json:
        output.data(run_json(story))
    else:
        output.lines([run.id])
    return Exit.DONE


def edit_options(parser: Parser) -> None:
    """Declare what ``edit`` takes."""
    parser.add_argument("run", metavar="RUN")
    add_changes(parser)
    parser.add_argument("--comment", default="", metavar="TEXT", help="why; kept with the edit")
    add_name(parser, "who edits")
    add_trust(parser)
    parser.set_defaults(command=edit)
