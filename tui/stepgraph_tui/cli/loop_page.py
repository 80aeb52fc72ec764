"""``stepgraph runs show RUN --loop``: what a run goes round, and why it does not leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores import Outcome
from stepgraph_tui.text.loops import NOTHING, loop_json, loop_lines
from stepgraph_tui.view.loops import loop_of

if TYPE_CHECKING:
    from stepgraph_tui.view.runs import RunStory

    from .output import Output


def show_loop(output: Output, story: RunStory) -> None:
    """Print what the loop doctor finds; only the last steps of the run are read."""
    run, loop = story.run, loop_of(story.run, story.mask)
    if output.as_json:
        told = loop_json(loop) if loop is not None else None
        output.data({"run": run.id, "steps_run": run.step, "max_steps": run.max_steps, "loop": told})
    elif loop is None:
        output.narrate(NOTHING)
    else:
        output.lines(line for line, _ in loop_lines(loop, output.console.width, "->"))
    if loop is not None and run.outcome is Outcome.MAX_STEPS:
        output.narrate(f"it stopped at its limit of {run.max_steps:,} steps; give it more with:")
        output.suggest("extend", run.id, str(run.plan.settings.max_steps))
