"""``stepgraph runs``: the runs of a store, and everything about one of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import Reviews
from stepgraph.runs import Branch, fork_tree, open_run
from stepgraph.stores import RunStatus, is_served, mending

from ..text.plain import place, since
from ..text.run_list import DAMAGED, ENDS, UNKNOWN, branch_text
from ..view.runs import RunStory
from .debugging import add_watches, watches_of
from .exits import Exit
from .output import Each
from .parser import Parser, add_command, run_filter, whole_number
from .stored import command_store
from .worker import queued_json, queued_run, queued_runs

if TYPE_CHECKING:
    from stepgraph.stores import Damage, DrivenRun, StateStore

    from ..text.run_filter import RunFilter
    from .output import Output
    from .tables import Fit


_TOLD = 10


def damage_json(damage: Damage, run: str, url: str) -> dict[str, Any]:
    """Write a damage as JSON.

    Args:
        damage: What is damaged.
        run: The field that names the run, where it is known which.
        url: The store.
    """
    return {run: damage.run, "status": DAMAGED, "damage": damage.what, "hint": mending(url)}


def tell_damages(output: Output, damages: Sequence[Damage], url: str) -> Exit:
    """Print what is damaged, and what to do next; the exit code of the listing."""
    if not damages:
        return Exit.DONE
    if not output.as_json:
        for damage in damages[:_TOLD]:
            output.narrate(f"damaged: {damage}")
        if len(damages) > _TOLD:
            output.narrate(f"and {len(damages) - _TOLD:,} more")
        if is_served(url):
            output.narrate("see all that is damaged; a server's data is repaired there, from a backup:")
            output.suggest("doctor")
            return Exit.FAILED
        output.narrate("see all that is damaged, then save all that is whole to a new store:")
        output.suggest("doctor")
        output.suggest("doctor", "--repair")
    return Exit.FAILED


_MOST = 200  # of the listings, unless all is asked for
_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("RUN", "keep"),
    ("GRAPH", "cut"),
    ("STATUS", "keep"),
    ("STEP", "keep"),
    ("NEXT", "cut"),
    ("CHANGED", "keep"),
)


def list_runs(args: Namespace, output: Output) -> Exit:
    """List the runs, the last changed first."""
    status = RunStatus(args.status) if args.status else None
    everything = args.all or output.as_json
    from ..text.run_filter import runs_chosen

    asked: RunFilter = args.filter
    with command_store(output) as store:
        found = store.runs(status, None if everything or args.tree or asked.terms else _MOST + 1)
        runs, damages = runs_chosen(asked, store, found), asked.damaged(found.damages)
        queued = queued_runs(output)
    tree = fork_tree(runs) if args.tree else [Branch(run, 0, (), 0, 0) for run in runs]
    if output.as_json:
        depths = ({"depth": branch.depth} if args.tree else {} for branch in tree)
        listed = (_summary(branch, queued) | depth for branch, depth in zip(tree, depths, strict=True))
        output.data(Each(chain(listed, (damage_json(damage, "id", store.url) for damage in damages))))
    elif runs or damages:
        from .tables import listing

        shown = tree if everything else tree[:_MOST]
        marks = any(branch.forks for branch in tree)
        cells = chain(map(_damaged_cells, damages), (_cells(branch, queued, marks=marks) for branch in shown))
        output.table(listing(_COLUMNS, cells, output.data_stream.columns))
        if len(shown) < len(runs):
            output.narrate(f"these are the {_MOST} that were changed last; --all lists every run")
    else:
        which = " that match" if asked.terms else f" that are {status.value}" if status else ""
        output.narrate(f"there are no runs{which}")
    return tell_damages(output, damages, store.url)


def _damaged_cells(damage: Damage) -> tuple[str, ...]:
    return damage.run or UNKNOWN, "", DAMAGED, "", "", ""


def _summary(branch: Branch, queued: Mapping[str, DrivenRun]) -> dict[str, Any]:
    head, pointer = branch.run
    theirs = queued.get(head.id)
    return {
        "id": head.id,
        "graph": head.graph,
        "source": head.source,
        "origin": head.origin,
        "status": pointer.status.value,
        "outcome": pointer.outcome.value if pointer.outcome else None,
        "flagged": pointer.flagged,
        "current": pointer.current,
        "step": pointer.step,
        "max_steps": pointer.limit,
        "review": pointer.review if pointer.status is RunStatus.PAUSED else None,
        "created_at": head.created_at,
        "updated_at": pointer.updated_at,
        "workers": None if theirs is None else queued_json(theirs),
    }


def _cells(branch: Branch, queued: Mapping[str, DrivenRun], *, marks: bool) -> tuple[str, ...]:
    head, pointer = branch.run
    status = pointer.status.value
    if pointer.outcome is not None:
        status += f" {ENDS[pointer.outcome]}"
    if head.id in queued and queued[head.id].words:
        status += f", {queued[head.id].words}"
    step = f"{pointer.step}/{pointer.limit}"
    ago = f"{since(pointer.updated_at)} ago"
    name = branch_text(branch, marks=marks) + head.id
    return name, head.graph, status, step, place(pointer.current), ago


def show_run(args: Namespace, output: Output) -> Exit:
    """Print everything about one run, or about one step of it."""
    watches = watches_of(args)
    if args.loop and watches.watches:
        output.error("--loop shows no watches", "leave one of them out, or show them with --step N")
        return Exit.USAGE
    with command_store(output) as store:
        story = loaded(store, args.run)
        if args.loop:
            from .run_page import show_loop

            show_loop(output, story)
        elif args.step is not None:
            from .run_page import show_step

            show_step(output, story, args.step, watches)
        else:
            from .run_page import show

            most = None if args.all else _MOST
            show(output, story, watches, most=most, queued=queued_run(output, story.run.id))
    return Exit.DONE


def loaded(store: StateStore, run_id: str) -> RunStory:
    """Read a run to look at: nothing that its graph names is imported."""
    Reviews(store).settle(run_id)
    return RunStory.of(open_run(store, run_id))


def runs_options(parser: Parser) -> None:
    """Declare what ``runs`` and its verbs take."""
    statuses = [status.value for status in RunStatus]
    parser.add_argument("--status", choices=statuses, help="only runs with this status")
    help_ = "only the runs that match, as in the app: 'status:failed text:invoice state.score<3'"
    parser.add_argument("--filter", type=run_filter, default="", metavar="WORDS", help=help_)
    parser.add_argument("--all", action="store_true", help=f"every run, not only the last {_MOST}")
    parser.add_argument("--tree", action="store_true", help="show forks below the runs they come from")
    parser.set_defaults(command=list_runs)
    verbs = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    help = "show a run's history, why each edge was taken, and its state"
    add_command(verbs, "show", _show_options, help)
    from . import upkeep

    for name, options, help in (
        ("diff", upkeep.diff_options, "show where two runs part, and what differs between them"),
        ("stop", upkeep.stop_options, "end a run where it stands; its review is withdrawn"),
        ("delete", upkeep.delete_options, "delete runs with all their steps; asks first"),
        ("prune", upkeep.prune_options, "delete the runs that have not changed for long; asks first"),
    ):
        add_command(verbs, name, options, help)


def _show_options(parser: Parser) -> None:
    parser.add_argument("run", metavar="RUN")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--step", metavar="N", type=whole_number, help="only this step, every edge explained")
    one.add_argument("--loop", action="store_true", help="explain its loop: the cycle and its edges")
    parser.add_argument("--all", action="store_true", help=f"every step, not only the last {_MOST}")
    add_watches(parser)
    parser.set_defaults(command=show_run)
