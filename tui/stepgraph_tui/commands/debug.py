"""Keys that hold in every pane of the workbench while a graph is debugged."""

from __future__ import annotations

from .command import Command

DEBUG = (
    Command("debug.step", "s,f10", "run.step", "Step", "Run exactly one node", footer=1),
    Command("debug.go", "c,f5", "run.go", "Run", "Start a run, or run on until something stops it", footer=2),
    Command(
        "debug.to_here", "t", "run.to_here", "To here", "Run on until the selected node comes next", footer=30
    ),
    Command(
        "debug.pause_after",
        "p",
        "run.pause_after",
        "Pause after",
        "Stop a continued run after the selected node, or no more",
        footer=40,
    ),
    Command("debug.stop", "X", "run.stop", "Stop", "Stop after the node that runs now", footer=1),
    Command("debug.retry", "r", "run.retry", "Retry", "Try the failed node, or its routing, again", footer=1),
    Command(
        "debug.start_over",
        "S,ctrl+r",
        "run.start_over",
        "Start over",
        "Start a new run with the same inputs; this one is kept",
        footer=20,
    ),
    Command(
        "debug.earlier", "left_square_bracket", "run.view(-1)", "Earlier", "View the step before", footer=35
    ),
    Command("debug.later", "right_square_bracket", "run.view(1)", "Later", "View the step after", footer=36),
)
