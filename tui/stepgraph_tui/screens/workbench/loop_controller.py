"""The loop doctor of a workbench: what the run goes round, and more steps for one at its step limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome
from stepgraph.values.errors import StepgraphError

if TYPE_CHECKING:
    from .run_controller import RunController
    from .step_controller import StepController
    from .surface import Surface

_NO_RUN = "there is no run yet: {debug.go} starts one"


class LoopController:
    """Shows why a run goes round and round, at any moment of it.

    Args:
        surface: The screen.
        runs: The run.
        steps: Allows it more steps.
    """

    def __init__(self, surface: Surface, runs: RunController, steps: StepController) -> None:
        self._surface = surface
        self._runs, self._steps = runs, steps

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether there is anything to look at: a node that came back."""
        view = self._runs.shown.view
        if view is None:
            return self._surface.hints(_NO_RUN)
        came_back = len(view.steps) > len(view.plan.nodes) or any(n > 1 for n in view.run.visits.values())
        return came_back or "no node has come back yet: there is no loop"

    def action_show(self) -> None:
        """Show what the run goes round."""
        from stepgraph_tui.dialogs.loop import LoopPage
        from stepgraph_tui.text.loops import NOTHING
        from stepgraph_tui.view.loops import loop_of

        view = self._runs.shown.view
        if view is None:
            return
        run = view.run
        try:
            loop = loop_of(run, view.mask, view.steps)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        if loop is None:
            self._surface.say(NOTHING)
            return
        is_capped = run.outcome is Outcome.MAX_STEPS and not self._runs.busy
        more = run.plan.settings.max_steps if is_capped else 0
        self._surface.ask(LoopPage(loop, self._surface.copy, more, self._steps.extend))
