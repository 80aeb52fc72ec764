"""``stepgraph runs delete``, ``prune``, ``stop``, ``diff``: what is done with runs beside running them."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from stepgraph.reviews import delete_runs
from stepgraph.runs import parent_of
from stepgraph.stores import RunStatus
from stepgraph.values import Conflict, StoreError, parse_duration, some_of
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.run_list import whereabouts

from .acting import acting_name, add_name
from .exits import Exit
from .output import Each, can_ask, says_yes
from .stored import command_store

if TYPE_CHECKING:
    from stepgraph.stores import StateStore, StoredRun

    from .output import Output
    from .parser import Parser

_AT_ONCE = 500
"""Runs that are deleted in one transaction, for which other writers wait."""
_LISTED = 50
"""Runs that are named before somebody is asked whether they are to go."""
_NAMED = 5  # runs that are named in a line


def delete(args: Namespace, output: Output) -> Exit:
    """Delete runs as they are now, once that is confirmed."""
    with command_store(output) as store:
        versions = _versions(store, args.runs)
        if (refused := _refused(args, output, store, list(versions))) is not None:
            return refused
        deleted = delete_runs(store, versions, by=acting_name(args.name), at=time.time(), source="cli")
        gone = set(deleted)
        forks = [run.head.id for run in store.runs() if parent_of(run.head) in gone]
        if forks:
            output.narrate(f"{some_of(forks, _NAMED)}: forked from what was deleted, and still whole")
        if output.as_json:
            output.data({"deleted": deleted})
        else:
            output.lines(deleted)
        for run_id in versions.keys() - gone:
            raise Conflict(
                f"run {run_id!r} was not deleted: it has advanced meanwhile, so somebody drives it",
                hint="stop what drives it, then delete it again",
            )
    return Exit.DONE


def _versions(store: StateStore, run_ids: Sequence[str]) -> dict[str, int]:
    """Find where runs stand, damaged or not.

    Raises:
        UnknownRun: One of them is not there.
    """
    known = store.versions()
    return {id_: known[id_] if id_ in known else store.load(id_).pointer.version for id_ in run_ids}


def _refused(args: Namespace, output: Output, store: StateStore, run_ids: Sequence[str]) -> Exit | None:
    """Ask whether the runs are to be deleted, unless ``--yes`` says so.

    Returns:
        How the command ends without deleting any; None when it may.
    """
    if args.yes:
        return None
    if not can_ask():
        output.error("deleting runs cannot be undone, so it asks first", "--yes deletes without asking")
        return Exit.USAGE
    if not run_ids:
        return None
    for run_id in run_ids[:_LISTED]:
        output.narrate(_stands(store, run_id))
    if len(run_ids) > _LISTED:
        output.narrate(f"and {len(run_ids) - _LISTED:,} more")
    runs = f"run {run_ids[0]}" if len(run_ids) == 1 else plural(len(run_ids), "run")
    if says_yes(output, f"Delete {runs}? All steps and decisions go."):
        return None
    output.narrate("nothing was deleted")
    return Exit.DONE


def _stands(store: StateStore, run_id: str) -> str:
    try:
        run = store.load(run_id)
    except StoreError as error:
        return f"{run_id}: {error.message}"
    pointer = run.pointer
    steps = plural(pointer.step, "step")
    return f"{run_id}: {run.head.graph}, {pointer.status.value}, {whereabouts(run)}, {steps}"


def prune(args: Namespace, output: Output) -> Exit:
    """Delete the runs that nothing has happened to for long, once that is confirmed, or list them."""
    with command_store(output) as store:
        before = time.time() - args.older_than.seconds
        old = [
            run
            for run in store.runs()
            if run.pointer.updated_at < before
            and not (args.keep_paused and run.pointer.status is RunStatus.PAUSED)
        ]
        if not args.dry_run:
            refused = _refused(args, output, store, [run.head.id for run in old])
            if refused is not None:
                return refused
        gone = old if args.dry_run else list(_pruned(store, old, acting_name(args.name)))
    if output.as_json:
        word = "would_delete" if args.dry_run else "deleted"
        output.data({word: Each(run.head.id for run in gone)})
        return Exit.DONE
    output.lines(run.head.id for run in gone)
    what = f"{plural(len(gone), 'run')} unchanged for {args.older_than.text} or longer"
    output.narrate(f"{what} would be deleted" if args.dry_run else f"{what} deleted")
    if len(gone) < len(old):
        output.narrate(f"{plural(len(old) - len(gone), 'run')} advanced meanwhile, and stays")
    return Exit.DONE


def _pruned(store: StateStore, runs: Sequence[StoredRun], by: str) -> Iterator[StoredRun]:
    """Delete runs, some at a time, as they still are."""
    for at in range(0, len(runs), _AT_ONCE):
        some = runs[at : at + _AT_ONCE]
        versions = {run.head.id: run.pointer.version for run in some}
        deleted = set(delete_runs(store, versions, by=by, at=time.time(), source="cli"))
        yield from (run for run in some if run.head.id in deleted)


def stop(args: Namespace, output: Output) -> Exit:
    """End a run where it stands."""
    from stepgraph.runs import open_run, operations

    with command_store(output) as store:
        run = open_run(store, args.run)
        operations.stop(run, acting_name(args.name), args.comment, time.time(), "cli")
        output.narrate(f"run {run.id} is stopped after {plural(run.step, 'step')}")
        if output.as_json:
            from stepgraph_tui.view.runs import RunStory

            from .reports import run_json

            output.data(run_json(RunStory.of(run)))
        else:
            output.lines([run.id])
    return Exit.DONE


def diff(args: Namespace, output: Output) -> Exit:
    """Show where two runs part, and what differs between them."""
    from stepgraph_tui.text.comparison import ComparedRuns

    with command_store(output) as store:
        compared = ComparedRuns(store, args.left, args.right)
        if output.as_json:
            output.data(compared.to_json())
        else:
            output.lines(compared.lines())
    return Exit.DONE


class _Age(NamedTuple):
    """How long ago something was."""

    text: str
    seconds: float


def _age(text: str) -> _Age:
    """Read how long ago: ``30d``, ``12h``, ``2w``, ``45m``."""
    try:
        return _Age(text.strip(), parse_duration(text))
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not an age: {error}") from None


def delete_options(parser: Parser) -> None:
    """Declare what ``runs delete`` takes."""
    parser.add_argument("runs", metavar="RUN", nargs="+")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_name(parser, "who deletes them")
    parser.set_defaults(command=delete)


def prune_options(parser: Parser) -> None:
    """Declare what ``runs prune`` takes."""
    help = "delete what has not changed for so long: 30d, 12h, 2w, 45m"
    parser.add_argument("--older-than", metavar="AGE", type=_age, required=True, help=help)
    parser.add_argument("--keep-paused", action="store_true", help="keep the runs that wait for a person")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be deleted")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_name(parser, "who deletes them")
    parser.set_defaults(command=prune)


def stop_options(parser: Parser) -> None:
    """Declare what ``runs stop`` takes."""
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--comment", metavar="TEXT", default="", help="why")
    add_name(parser, "who stops it")
    parser.set_defaults(command=stop)


def diff_options(parser: Parser) -> None:
    """Declare what ``runs diff`` takes."""
    parser.add_argument("left", metavar="A")
    parser.add_argument("right", metavar="B")
    parser.set_defaults(command=diff)
