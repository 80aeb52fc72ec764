"""A run that goes on in the app under breakpoints and watches, beside the same run without any."""

from __future__ import annotations

from .measure import Rounds, work_folder
from .running import Loop, take_paces
from .table import Line

COUNT = 20
GOAL = 1.5
"""Times what a step takes without them."""
_WATCHES_IN_VIEW = "7c"
_NEVER = ("think:amount > {}", "after:weigh:amount > {}", "edge:weigh->think:step < -{}", "key:answer=no {}")
"""Breakpoints that are looked at in each round of the loop, and never met."""
_CHANGING = ("step", "visits.think", "answer", "last_output")
_OTHERS = ("amount > {}", "visits.think > {}", "step > {}", "answer == 'yes' and step > {}")


def lines() -> list[Line]:
    """Let two runs go on by turns."""
    breakpoints = [_NEVER[number % 4].format(number + 10) for number in range(COUNT)]
    watches = [*_CHANGING, *(_OTHERS[number % 4].format(number) for number in range(COUNT - 4))]
    with work_folder() as without, work_folder() as folder:
        debugged = Loop(folder)
        debugged.keep(*(f"--add={each}" for each in breakpoints), *(f"--watch={each}" for each in watches))
        paces = _paces(Loop(without), debugged)
    ratio, took = paces.ratio("debugged", "bare"), paces.median("debugged")
    what = f"a step in the app, {COUNT} breakpoints and {COUNT} watches beside none"
    return [Line(what, took, "s", GOAL * took / ratio, ratio)]


def _paces(without: Loop, debugged: Loop) -> Rounds:
    """Measure a step of both, the tab of watches in view."""
    loops = {"bare": without, "debugged": debugged}
    terminals = {}
    try:
        for name, loop in loops.items():
            terminals[name] = loop.in_the_app(_WATCHES_IN_VIEW)
            terminals[name].freeze(True)
        return take_paces({name: (terminal, loops[name].steps) for name, terminal in terminals.items()})
    finally:
        for terminal in terminals.values():
            terminal.close()
