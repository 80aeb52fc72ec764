"""Drawing: how long the layout and routing of a workflow take."""

from __future__ import annotations

import time
from functools import partial

from stepgraph_tui.drawing import Diagram, lay_out

from .measure import take_turns
from .table import Line
from .workflows import workflow

_GOALS = {200: 0.05, 1_000: 0.2, 2_000: 0.5}


def lines() -> list[Line]:
    """Lay out workflows of three sizes."""
    work = {f"{count:,}": partial(_timed, workflow(count)) for count in _GOALS}
    rounds = take_turns(work, rounds=5)
    return [
        Line(f"layout and routing of {name} nodes", rounds.median(name), "s", goal)
        for name, goal in zip(work, _GOALS.values(), strict=True)
    ]


def _timed(diagram: Diagram) -> float:
    began = time.perf_counter()
    lay_out(diagram)
    return time.perf_counter() - began
