"""The module of a graph in Python: imported by the stepping thread, and followed on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.values import GraphFileError, StepgraphError
from stepgraph_tui.widgets.node.visit import failed_at

from ...worker import GraphLoaded, Load, WorkFailed
from .file_controller import ask_for_another, ask_for_copy

if TYPE_CHECKING:
    from ...documents import DiskState, PythonGraph
    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


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
        self.on_disk: DiskState = "same"
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
            said = self._runs.shown.outdated
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
        on_disk = self._file.disk()
        if on_disk == "changed":
            self.load()
        elif on_disk != self.on_disk:
            self._surface.show()
        self.on_disk = on_disk if on_disk != "changed" else "same"

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
