"""``stepgraph runs show RUN --loop``: what a run goes round, and why it does not leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome
from stepgraph_tui.text.loops import NOTHING, found, loop_json, loop_lines

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run

    from .output import Output


def show_loop(output: Output, run: Run, mask: Mask) -> None:
    """Print what the loop doctor finds; only the last steps of the run are read."""
    loop = found(run, mask)
    if output.as_json:
        told = loop_json(loop, mask) if loop is not None else None
        output.data({"run": run.id, "steps_run": run.step, "max_steps": run.max_steps, "loop": told})
    elif loop is None:
        output.narrate(NOTHING)
    else:
        output.lines(line for line, _ in loop_lines(loop, mask, output.console.width, "->"))
    if loop is not None and run.outcome is Outcome.MAX_STEPS:
        output.narrate(f"it stopped at its cap of {run.max_steps:,} steps; give it more with:")
        output.suggest("extend", run.id, str(run.plan.settings.max_steps))
