"""The beginning of a run: the graph is compiled, and a person is asked for inputs and for trust."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.runs.masks import Mask
from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import GraphError, GraphFileError, StepgraphError, StoreError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.system import command
from stepgraph_tui.worker import Load, Start, Try, Work

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.modes import RunMode
    from stepgraph.values.json_values import Json
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.questions import TrustAnswer
    from stepgraph_tui.dialogs.run_form import RunInputs
    from stepgraph_tui.documents import OpenedGraph
    from stepgraph_tui.run_view import RunView

    from .surface import Surface


class RunStarter:
    """Starts runs of a file; of the graph of the run that is shown where there is no file.

    Args:
        context: What the app shares.
        file: The graph file.
        surface: The screen.
        submit: Gives the stepping thread work.
        shown: Gives the run that is shown.
        agreed: Begins a run, in a mode, once a person has agreed to the models that it may ask.
    """

    def __init__(
        self,
        context: AppContext,
        file: OpenedGraph,
        surface: Surface,
        submit: Callable[[Work], bool],
        shown: Callable[[], RunView | None],
        agreed: Callable[[CompiledGraph, Callable[[RunMode], None]], None],
    ) -> None:
        self._context = context
        self._file = file
        self._surface = surface
        self._submit = submit
        self._shown = shown
        self._agreed = agreed

    def ask(self, title: str | None = None, then: Callable[[], None] | None = None) -> None:
        """Ask for the inputs of a run, start it, and go on with something."""
        app = self.compiled()
        if app is None:
            return
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import RunForm

        shown = self._shown()
        given = shown.inputs if shown is not None else {}

        def answered(inputs: RunInputs | None) -> None:
            if inputs is not None:
                self.start(inputs.values, inputs.run_id, then)

        self._surface.ask(FormDialog(RunForm(app, given, title)), answered)

    def start(
        self,
        values: Mapping[str, Json],
        run_id: str | None = None,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Create a run of the file as it is now, and go on with something; where it cannot begin, say so."""
        app = self.compiled()
        if app is None:
            return

        def begin(mode: RunMode) -> None:
            if not self._submit(Start(app, values, run_id, self._context.settings.name, mode)):
                return
            path, mask = app.source or Path(), Mask(app, values)
            self._surface.note(
                cli_equivalents.start(path, values, run_id, self._context.address, mask, mode=mode)
            )
            if then is not None:
                then()

        self._agreed(app, begin)

    def compiled(self) -> CompiledGraph | None:
        """Compile the graph of a new run: the file as it is now, or without one that of the run shown.

        None when it cannot run; its problems are then on the screen.
        """
        try:
            is_there = self._file.path is not None or self._file.checked.graph is not None
            app = self._file.compiled() if is_there else self._from_store()
        except (GraphError, GraphFileError, StoreError) as error:
            self._surface.say(error.message, "error")
            app = None
        self._surface.show()
        if self._file.checked.errors:
            self._surface.show_pane("problems")
        return app

    def _from_store(self) -> CompiledGraph:
        shown = self._shown()
        if shown is None:
            raise GraphFileError("there is no graph to start a run of")
        from stepgraph.runs.views import runnable_plan

        return runnable_plan(self._context.store, self._context.store.load(shown.run.id))

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
        shown = self._shown()
        return to_be_trusted(shown.plan) if shown is not None else None

    def ask_for_trust(self, work: Work, then: Callable[[], None] | None = None) -> None:
        """Ask about the very files that are there now, and go on; what changes meanwhile is not agreed to."""
        try:
            app = self._asked_about(work)
        except GraphFileError as error:  # it has been taken away since
            self._surface.tell_error(error)
            return
        if app is None:
            return
        from stepgraph.files import grant, trust_folder, trust_question
        from stepgraph_tui.dialogs.questions import TrustDialog

        question = trust_question(app)
        elsewhere = self._asks_elsewhere(work) if self._context.in_browser else ""

        def answered(trusted: TrustAnswer | None) -> None:
            if not trusted:
                self._surface.say("not trusted: nothing ran", "warning")
                return
            try:
                if trusted == "folder":
                    trust_folder(app, question)
                else:
                    grant(app, question)
            except StepgraphError as error:
                self._surface.tell_error(error)
                return
            if self._submit(work) and then is not None:
                then()

        user = self._context.connections
        servers = user.tools.sources if user else ()
        self._surface.ask(TrustDialog(app.name, question, servers, elsewhere=elsewhere), answered)

    def _asks_elsewhere(self, work: Work) -> str:
        """Spell the command that asks about the same at a terminal."""
        address, shown = self._context.address, self._shown()
        source = work.app.source if isinstance(work, Start | Try) else getattr(work, "ref", None)
        if source is None and shown is not None:
            verb = "retry" if shown.run.status is RunStatus.FAILED else "step"
            return command(verb, shown.run.id, store=address)
        return command("run", str(source), store=address)
