"""Continue the runs that decisions have made ready: ``approvals decide --continue``, ``resume --decided``."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.values import StepgraphError
from stepgraph_tui.text.plain import place, plural
from stepgraph_tui.text.run_filter import runs_chosen
from stepgraph_tui.view.decided import decided_runs

from .exits import Exit, tell
from .output import can_ask, says_yes
from .parser import Parser
from .stored import command_store

if TYPE_CHECKING:
    from .output import Output

_WAYS = {Exit.DONE: 0, Exit.PAUSED: 1, Exit.INTERRUPTED: 3}
"""How bad each end is; all others are between a pause and an interruption."""


def resume_decided(args: Namespace, output: Output) -> Exit:
    """Continue every decided run of the store that the filter chooses; several are listed first."""
    with command_store(output) as store:
        runs = runs_chosen(args.filter, store, decided_runs(store))
    if not runs:
        output.narrate(
            "no decided run waits to be continued" + (" that matches" if args.filter.terms else "")
        )
        return Exit.DONE
    if len(runs) > 1:
        for run in runs:
            node = place(run.pointer.current)
            output.narrate(f"{run.head.id}  {run.head.graph}, step {run.pointer.step}, next {node}")
        question = f"Continue {plural(len(runs), 'run')}?"
        if can_ask() and not output.as_json and not says_yes(output, question):
            output.narrate("nothing was continued")
            return Exit.DONE
    return continue_runs(args, output, [run.head.id for run in runs])


def continue_runs(args: Namespace, output: Output, runs: Sequence[str]) -> Exit:
    """Continue runs one after the other, each until it ends, waits or fails.

    A run that cannot be continued here says why, and keeps none of the others from it.

    Args:
        args: What ``resume`` takes, for each of them.
        output: Where to.
        runs: Their ids.

    Returns:
        The worst of their ends: interrupted, failed or refused, paused, done.
    """
    from .drive import resume

    ends = [Exit.DONE]
    for number, run_id in enumerate(runs):
        if number:
            output.narrate()
        if len(runs) > 1:
            output.narrate(f"run {run_id}, {number + 1} of {len(runs)}:")
        try:
            ends.append(resume(Namespace(**vars(args) | {"run": run_id, "decided": False}), output))
        except StepgraphError as error:
            ends.append(tell(output, error))
        if ends[-1] is Exit.INTERRUPTED:
            left = len(runs) - number - 1
            if left:
                output.narrate(f"{plural(left, 'run')} not continued; continue all that is decided with:")
                output.suggest("resume", "--decided")
            break
    return max(ends, key=lambda end: _WAYS.get(end, 2))


def as_resumed(*, trust: bool) -> Namespace:
    """Return what ``resume`` takes by default."""
    from .drive import resume_options

    parser = Parser()
    resume_options(parser)
    return parser.parse_args(["--trust"] if trust else [])
