"""Going on from the viewed step as a new run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph.runs.fork_tree import origin_text, parent_of
from stepgraph.values.errors import StepgraphError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible
from stepgraph_tui.worker import Fork

from .availability import refused_fork

if TYPE_CHECKING:
    from stepgraph.expressions.paths import Changes
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.fork_form import ForkWanted

    from .run_controller import RunController
    from .surface import Surface


class ForkController:
    """Forks the run that is shown from the step that is viewed, and has the fork shown in its place.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: The run, and the thread that makes the fork.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context = context
        self._surface = surface
        self._runs = runs

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether the key works; where it does not, why."""
        why = refused_fork(self._runs.shown.moment, busy=self._runs.busy, hints=self._surface.hints)
        return True if why is None else why

    def action_ask(self) -> None:
        """Say what will run again, ask for the state of the fork, and make it."""
        moment, surface = self._runs.shown.moment, self._surface
        if moment is None:
            return
        from stepgraph_tui.dialogs.fork_form import ForkForm
        from stepgraph_tui.dialogs.forms import FormDialog

        view = moment.view
        try:
            form = ForkForm(view, None if moment.live else moment.step)
        except StepgraphError as error:
            surface.tell_error(error)
            return

        def answered(wanted: ForkWanted | None) -> None:
            if wanted is None:
                return
            by = self._context.settings.name
            if self._runs.submit(Fork(view.run_id, wanted.at, wanted.values, by, wanted.run_id)):
                changes: Changes = {(name,): value for name, value in wanted.values.items()}
                surface.note(
                    cli_equivalents.fork(
                        view.run_id, wanted.at, changes, wanted.run_id, self._context.address, view.mask
                    )
                )

        surface.ask(FormDialog(form, surface.edit_text), answered)

    def made(self, work: Fork) -> None:
        """Say which run is shown now, and where it came from."""
        run = self._runs.shown.run
        if run is not None and parent_of(run.head) == work.run_id:
            comes = visible(run.current or END)
            self._surface.say(
                f"run {visible(run.id)} forks {visible(origin_text(run.head))}: {comes} comes next"
            )
