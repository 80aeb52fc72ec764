"""The beginning of a run: the graph is compiled, and a person is asked for inputs and for trust."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.graphs import END
from stepgraph.runs import Mask, origin_text, parent_of
from stepgraph.stores import RunStatus
from stepgraph.values import GraphFileError, StepgraphError

from ...cli_equivalents import Equivalents
from ...text.system import command
from ...worker import Fork, Load, Start, Try, Work
from .refusals import STILL_RUNS, refused_fork

if TYPE_CHECKING:
    from stepgraph.expressions import Changes
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.values import Json

    from ...context import AppContext
    from .live_controller import LiveController
    from .run_controller import RunController
    from .surface import Surface


class RunStarter:
    """Starts runs of a file; of the graph of the run that is shown where there is no file.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: Has the run that is shown, and the thread.
        live: Asks before models are called.
    """

    def __init__(
        self, context: AppContext, surface: Surface, runs: RunController, live: LiveController
    ) -> None:
        self.live = live
        """Asks before models are called."""
        self._context, self._surface, self._runs = context, surface, runs

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a run can be started as another one was."""
        if self._runs.shown.view is None:
            return "there is no run to replay"
        return self._surface.hints(STILL_RUNS) if self._runs.busy else True

    async def action_replay(self) -> None:
        """Start a run that is answered by what this one recorded, or by what this one is a replay of."""
        view = self._runs.shown.view
        if view is None or self._runs.compiled() is None:
            return
        self.live.replay(view.mode.replay or view.run_id)
        await self.start(dict(view.inputs))

    async def ask(self, title: str | None = None) -> bool:
        """Ask for the inputs of a run, and start it; False where none was started."""
        app = self._runs.compiled()
        if app is None:
            return False
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import RunForm

        shown = self._runs.shown.view
        given = shown.inputs if shown is not None else {}
        inputs = await self._surface.ask(FormDialog(RunForm(app, given, title)))
        return inputs is not None and await self.start(inputs.values, inputs.run_id)

    async def start(self, values: Mapping[str, Json], run_id: str | None = None) -> bool:
        """Create a run of the file as it is now; False, and a word why, where it cannot begin."""
        app = self._runs.compiled()
        if app is None:
            return False
        mode = self.live.next_mode
        limits = await self.live.agree_to_start(app)
        if limits is None or not self._runs.submit(
            Start(app, values, run_id, self._context.settings.name, mode, limits)
        ):
            return False
        path, mask = app.source or Path(), Mask(app, values)
        self._surface.note(
            Equivalents(self._context.address, mask).start(path, values, run_id, mode=mode, limits=limits)
        )
        return True

    def _asked_about(self, work: Work) -> StateGraph | CompiledGraph | None:
        """Find what is to be trusted for a piece of work.

        Raises:
            GraphFileError: It is a module that cannot be read.
        """
        from stepgraph.files import to_be_trusted, unopened

        if isinstance(work, Load):
            return unopened(work.ref)
        if isinstance(work, Start | Try):
            return work.app
        shown = self._runs.shown.view
        return to_be_trusted(shown.plan) if shown is not None else None

    async def ask_for_trust(self, work: Work) -> bool:
        """Ask about the very files that are there now, and work; what changes meanwhile is not agreed to.

        Returns:
            Whether a person trusts them, and the work was begun.
        """
        try:
            app = self._asked_about(work)
        except GraphFileError as error:  # it has been taken away since
            self._surface.tell_error(error)
            return False
        if app is None:
            return False
        from stepgraph.files import grant, trust_folder, trust_question
        from stepgraph_tui.dialogs.questions import TrustDialog

        question = trust_question(app)
        elsewhere = self._asks_elsewhere(work) if self._context.in_browser else ""
        user = self._context.connections
        servers = user.tools.sources if user else ()
        trusted = await self._surface.ask(TrustDialog(app.name, question, servers, elsewhere=elsewhere))
        if not trusted:
            self._surface.say("not trusted: nothing ran", "warning")
            return False
        try:
            if trusted == "folder":
                trust_folder(app, question)
            else:
                grant(app, question)
        except StepgraphError as error:
            self._surface.tell_error(error)
            return False
        return self._runs.submit(work)

    def _asks_elsewhere(self, work: Work) -> str:
        """Spell the command that asks about the same at a terminal."""
        address, shown = self._context.address, self._runs.shown.view
        source = work.app.source if isinstance(work, Start | Try) else getattr(work, "ref", None)
        if source is None and shown is not None:
            verb = "retry" if shown.run.status is RunStatus.FAILED else "step"
            return command(verb, shown.run.id, store=address)
        return command("run", str(source), store=address)


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
        """Check whether the key works; where it does not, why."""
        why = refused_fork(self._runs.shown.moment, busy=self._runs.busy, hints=self._surface.hints)
        return True if why is None else why

    async def action_ask(self) -> None:
        """Show what will run again, ask for the state of the fork, and create it."""
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
        wanted = await surface.ask(FormDialog(form, surface.edit_text))
        if wanted is None:
            return
        by = self._context.settings.name
        if self._runs.submit(Fork(view.run_id, wanted.at, wanted.values, by, wanted.run_id)):
            changes: Changes = {(name,): value for name, value in wanted.values.items()}
            equivalents = Equivalents(self._context.address, view.mask)
            surface.note(equivalents.fork(view.run_id, wanted.at, changes, wanted.run_id))

    def show_fork(self, work: Fork) -> None:
        """Show which run is shown now, and where it came from."""
        run = self._runs.shown.run
        if run is not None and parent_of(run.head) == work.run_id:
            comes = run.current or END
            self._surface.say(f"run {run.id} forks {origin_text(run.head)}: {comes} comes next")
