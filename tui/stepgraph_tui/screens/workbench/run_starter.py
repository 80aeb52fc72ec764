"""The beginning of a run: the graph is compiled, and a person is asked for inputs and for trust."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.graphs import END
from stepgraph.runs import Mask, origin_text, parent_of
from stepgraph.stores import RunStatus
from stepgraph.values import GraphError, GraphFileError, StepgraphError, StoreError
from stepgraph_tui.widgets.node.visit import failed_at

from ...cli_equivalents import Equivalents
from ...text.system import command
from ...worker import Fork, GraphLoaded, Load, Start, Try, Work, WorkFailed
from .file_controller import ask_for_another, ask_for_copy
from .step_controller import refused_fork

if TYPE_CHECKING:
    from stepgraph.expressions import Changes
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.values import Json

    from ...context import AppContext
    from ...documents import OpenedGraph, PythonGraph, Standing
    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


class RunStarter:
    """Starts runs of a file; of the graph of the run that is shown where there is no file.

    Args:
        context: What the app shares.
        file: The graph file.
        surface: The screen.
        runs: Has the run that is shown, the thread, and the models that may be asked.
    """

    def __init__(self, context: AppContext, file: OpenedGraph, surface: Surface, runs: RunController) -> None:
        self._context, self._file, self._surface, self._runs = context, file, surface, runs

    async def ask(self, title: str | None = None) -> bool:
        """Ask for the inputs of a run, and start it; False where none was started."""
        app = self.compiled()
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
        app = self.compiled()
        if app is None:
            return False
        limits = await self._runs.live.agree_to_start(app)
        mode = self._runs.live.next_mode
        if limits is None or not self._runs.submit(
            Start(app, values, run_id, self._context.settings.name, mode, limits)
        ):
            return False
        path, mask = app.source or Path(), Mask(app, values)
        self._surface.note(
            Equivalents(self._context.address, mask).start(path, values, run_id, mode=mode, limits=limits)
        )
        return True

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
        shown = self._runs.shown.view
        if shown is None:
            raise GraphFileError("there is no graph to start a run of")
        from stepgraph.runs import runnable_plan

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

    def made(self, work: Fork) -> None:
        """Show which run is shown now, and where it came from."""
        run = self._runs.shown.run
        if run is not None and parent_of(run.head) == work.run_id:
            comes = run.current or END
            self._surface.say(f"run {run.id} forks {origin_text(run.head)}: {comes} comes next")


class ModuleController:
    """Has the graph imported by the stepping thread, and follows its module on disk.

    Args:
        file: The graph.
        surface: The screen.
        design: Shows what was loaded.
        runs: Has the thread.
    """

    def __init__(
        self, file: PythonGraph, surface: Surface, design: DesignController, runs: RunController
    ) -> None:
        self.on_disk: Standing = "same"
        """How the module stood at the last look."""
        self._file, self._surface, self._design, self._runs = file, surface, design, runs
        self._is_new = False  # whether what was imported last took the place of another graph

    def begin(self) -> None:
        """Import the module; where nobody trusts it yet, ask first."""
        if self._file.to_import is not None:
            self.load()

    async def may_leave(self) -> bool:
        """Check that no edits could be lost: there are none here."""
        return True

    # Importing

    def load(self) -> None:
        """Import the module in the thread as it is now."""
        ref = self._file.ref
        if ref is None:
            return
        try:
            self._file.expect()
        except GraphFileError as error:
            self._file.take_failure(error.problems)
            self._tell_failure(error)
        else:
            self._runs.submit(Load(ref))

    def take(self, message: GraphLoaded | WorkFailed) -> None:
        """Handle the result of an import, for the screen or for a run; a question about trust is none."""
        if isinstance(message, GraphLoaded):
            self._is_new = self._file.checked.graph is not None
            self._file.take_loaded(message.loaded)
            self._design.show_file()
        elif isinstance(message.error, GraphFileError):
            self._file.take_failure(message.error.problems)

    def tell(self, message: GraphLoaded | WorkFailed) -> None:
        """Show the result of an import, in place of its progress."""
        if isinstance(message, WorkFailed):
            if isinstance(message.error, GraphFileError):
                self._tell_failure(message.error)
            return
        if self._file.checked.errors:
            self._surface.show_pane("problems", focus=False)
        if self._is_new:
            said = self._runs.definition.told
            new = "the module was imported again: this is the new version"
            self._surface.say(f"the module changed; {said}" if said is not None else new)

    def _tell_failure(self, error: GraphFileError) -> None:
        """Show what is wrong with the module; the last good graph stays."""
        self._surface.show_pane("problems", focus=False)
        self._surface.show()
        first = error.problems[0].message if error.problems else error.message
        if self._file.ref is not None:
            first = f"{self._file.ref.file.name}: {first}"
        old = "; this is the graph as it was" if self._file.checked.graph is not None else ""
        does = self._surface.hints("{workbench.editor} opens your editor there")
        self._surface.say(f"{first} ({does}{old})", "error")

    def look_at_disk(self) -> None:
        """Import the module again when it has changed on disk, once no node runs and no dialog is open."""
        if self._file.ref is None or not self._surface.is_on_top or self._runs.busy:
            return
        standing = self._file.disk()
        if standing == "changed":
            self.load()
        elif standing != self.on_disk:
            self._surface.show()
        self.on_disk = standing if standing != "changed" else "same"

    # What the keys do

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, else why it does not."""
        if verb == "save_copy":
            return (
                self._file.can_be_filed
                or "parts of this graph are Python objects: no graph file can hold them"
            )
        return self._file.refusal if verb == "save" else True

    async def action_save_copy(self) -> None:
        """Ask for the path of a graph file, write the graph to it, and open that above this one."""
        title = "Make a graph file of it"
        await ask_for_copy(self._surface, title, self._file.copy_to, "saved as a graph file")

    async def action_open(self) -> None:
        """Ask for another graph; this one stays open below it."""
        await ask_for_another(self._surface, self._file.path)

    def action_editor(self) -> None:
        """Open $EDITOR at what is selected, where it failed if it did; import what was saved."""
        file, line = self._asked_at() or self._failed_at() or self._file.place_of(self._surface.selected_path)
        if file is None:
            self._surface.say("no file has the code of this graph", "warning")
        elif self._runs.busy and not self._runs.is_importing:
            self._surface.say(f"{self._runs.still}; the file is {file}", "warning")
        else:
            try:
                self._surface.edit_file(file, line)
            except StepgraphError as error:
                self._surface.tell_error(error)
            self.look_at_disk()

    def _asked_at(self) -> tuple[Path, int] | None:
        """Find the predicate of the edge that the Why pane points at."""
        edge, view = self._surface.asked_edge, self._runs.shown.view
        if edge is None or view is None or view.definition != self._file.checked.definition:
            return None
        lines = self._file.sources.get(edge.index)
        return (lines.file, lines.first) if lines is not None else None

    def _failed_at(self) -> tuple[Path, int] | None:
        """Find the line in which the selected node has failed, where it has."""
        moment, node = self._runs.shown.moment, self._surface.selected
        is_edge = self._surface.selected_edge is not None
        if moment is None or node is None or is_edge or not self._file.readable:
            return None
        return failed_at(moment, node)
