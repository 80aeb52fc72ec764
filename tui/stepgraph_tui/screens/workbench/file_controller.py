"""The file of a workbench, a graph file or a Python module: saving, drafts, changes on disk, the editor.

Dialogs are imported where they are asked for: the first frame of a graph needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.values import GraphFileError, StepgraphError

from ...dialogs.pages import DifferencePage
from ...remembered import RememberedPlace
from ...text.characters import visible
from ...widgets.node.visit import failed_at
from ...worker import GraphLoaded, Load, WorkFailed
from .refusals import STILL_RUNS, refused_save

if TYPE_CHECKING:
    from ...context import AppContext
    from ...documents import Buffer, DiskState, GraphDraft, PythonGraph
    from .design_controller import DesignController
    from .run_controller import RunController
    from .surface import Surface


_TOLD = 5  # comments that cannot be kept; of more, only how many


@dataclass
class AnotherFileChosen(Message):
    """Another graph file is to be opened, above this one."""

    path: Path


class FileController:
    """Saves the graph, and never over what others wrote without asking.

    Args:
        context: What the app shares.
        file: The graph file.
        surface: The screen.
        design: Shows what was read.
        runs: Has the file while a node runs.
    """

    def __init__(
        self,
        context: AppContext,
        file: Buffer,
        surface: Surface,
        design: DesignController,
        runs: RunController,
    ) -> None:
        self.on_disk: DiskState = "same"
        """How the file on disk stood at the last look."""
        self._context = context
        self._file = file
        self._surface = surface
        self._design = design
        self._runs = runs

    def begin(self) -> None:
        """Ask about edits that were left unsaved."""
        draft = self._file.draft.find(self._file.path)
        if draft is not None:
            self._surface.begin(self._ask_about(draft))

    async def _ask_about(self, draft: GraphDraft) -> None:
        from stepgraph_tui.dialogs.questions import RestoreDraft

        while True:
            answer = await self._surface.ask(RestoreDraft(draft, self._context.clock.time()))
            if answer != "difference":
                break
            found = self._file.difference(draft)
            await self._surface.ask(DifferencePage("On disk, and in the draft", found, self._surface.copy))
        if answer == "restore":
            message = self._surface.hints("restored the unsaved edits; {design.undo} removes them again")
            self._try(partial(self._file.restore, draft), message)
            if not self._design.is_on:
                self._design.action_mode()
        elif answer == "discard":
            self._file.draft.discard(draft)

    def _try(self, work: Callable[[], object], message: str) -> None:
        """Call a function on the file, and show the result or the error."""
        try:
            work()
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self.on_disk = self._file.disk()
        self._design.show_file()
        self._surface.say(message)

    # Saving

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, else why it does not."""
        if verb == "save_copy":
            return self._file.path is not None or "this run has no graph file"
        if verb != "save":
            return True
        return refused_save(self._file, is_same=self.on_disk == "same") or True

    async def action_save(self) -> None:
        """Write the file; ask first where comments would be lost or somebody else has written it."""
        await self._save()

    async def _save(self) -> bool:
        """Write the file; False where it was not written."""
        losses = self._file.losses()
        return (not losses or await self._may_lose(losses)) and await self._write()

    async def _may_lose(self, losses: Sequence[str]) -> bool:
        from stepgraph_tui.dialogs.questions import Confirm

        lines = [f"  {loss}" for loss in losses[:_TOLD]]
        if len(losses) > _TOLD:
            lines.append(f"  and {len(losses) - _TOLD} more")
        question = "\n".join(
            ["Some comments cannot be kept:", *lines, "The current file is kept beside it as .bak."]
        )
        yes = await self._surface.ask(Confirm(question, "Save"))
        return bool(yes)

    async def _write(self, *, force: bool = False) -> bool:
        try:
            saved = self._file.save(force=force)
        except GraphFileError as error:
            if self._file.disk() == "changed" and not force:
                return await self._ask_about_disk()
            self._surface.tell_error(error)
            return False
        self.on_disk = self._file.disk()
        self._design.show_file()
        kept = f"; the old version is in {saved.backup.name}" if saved.backup is not None else ""
        self._surface.say(f"saved {saved.path.name}{kept}")
        return True

    async def _ask_about_disk(self) -> bool:
        """Ask which of the two versions is to stay; True where this one was written."""
        from stepgraph_tui.dialogs.questions import DiskChanged

        path = self._file.path
        if path is None:
            return False
        self.on_disk = "changed"  # so that it is not told once more
        self._surface.show()
        while (answer := await self._surface.ask(DiskChanged(path))) == "difference":
            found = self._file.difference()
            await self._surface.ask(DifferencePage("On disk, and here", found, self._surface.copy))
        if answer == "reload":
            message = self._surface.hints("reloaded from disk; {design.undo} brings your edits back")
            self._try(self._file.reload, message)
        return answer == "overwrite" and await self._write(force=True)

    async def action_save_copy(self) -> None:
        """Ask for the path of a copy, write it, and open it above this file, which stays as it is."""
        own = self._file.path
        if own is None:
            return

        def write(path: Path) -> None:
            self._file.copy_to(path)
            self._take_along(own, path)

        title = f"Save a copy of {own.name}"
        await ask_for_copy(self._surface, title, write, "a copy is saved")

    def _take_along(self, own: Path, path: Path) -> None:
        """Keep for a copy what is kept for this file, unless that was known before.

        Raises:
            StepgraphError: The breakpoints cannot be read or written.
        """
        from stepgraph.runs.debug import KeptDebugging

        remembered = self._context.remembered
        if remembered.place(path) == RememberedPlace():
            marks = tuple(sorted(self._runs.thread.pause_after))
            remembered.keep(path, replace(remembered.place(own), run=None, pause_after=marks))
        KeptDebugging(own).copy_to(path)

    async def may_leave(self) -> bool:
        """Check that there are no unsaved edits; else ask whether to save them."""
        from stepgraph_tui.dialogs.questions import Unsaved

        if not self._file.is_dirty or self._file.path is None:
            return True
        answer = await self._surface.ask(Unsaved(self._file.path))
        if answer == "save":
            return await self._save()
        if answer == "discard":
            self._file.draft.drop()
        return answer == "discard"

    async def action_open(self) -> None:
        """Ask for another graph file; this one stays open below it, with its edits."""
        await ask_for_another(self._surface, self._file.path)

    # Changes from elsewhere

    def look_at_disk(self) -> None:
        """Load what changed on disk, unless there are edits, or a form is open that may make one."""
        if self._file.path is None or not self._surface.is_on_top:
            return
        followed = self._file.follow()
        disk = self._file.disk()
        if followed:
            self._design.show_file()
            if self._file.readable:
                outdated = self._runs.shown.outdated
                new = "the file changed on disk: this is the new version"
                self._surface.say(f"the file changed on disk; {outdated}" if outdated is not None else new)
            else:
                self._surface.show_pane("problems", focus=False)
                self._surface.say(
                    "the file changed on disk and cannot be read: this is the old version", "warning"
                )
        if disk == self.on_disk:
            return
        self.on_disk = disk
        self._surface.show()
        if disk == "changed":
            outdated = self._surface.hints(
                "the file changed on disk, and has edits here: {workbench.save} shows both"
            )
            self._surface.say(outdated, "warning")

    # The user's own editor

    async def action_editor(self) -> None:
        """Open the file in $EDITOR at what is selected, and read it again afterwards."""
        from stepgraph_tui.dialogs.questions import Confirm

        path = self._file.path
        if path is None:
            self._surface.say("this run has no graph file", "warning")
        elif self._runs.busy:
            self._surface.say(f"{self._surface.hints(STILL_RUNS)}; the file is {path}", "warning")
        elif self._file.is_dirty:
            question = f"{visible(path.name)} has unsaved edits. Save them and open it?"
            if await self._surface.ask(Confirm(question, "Save and open")) and await self._save():
                self._open_editor(path)
        else:
            self._open_editor(path)

    def _open_editor(self, path: Path) -> None:
        try:
            self._surface.edit_file(path, self._file.place_of(self._surface.selected_path)[1])
        except StepgraphError as error:
            self._surface.tell_error(error)
        self.look_at_disk()


def _is_same(path: Path, own: Path | None) -> bool:
    return own is not None and path.resolve() == own.resolve()


async def ask_for_another(surface: Surface, own: Path | None) -> None:
    """Ask for another graph, and have it opened above this one.

    Args:
        surface: The screen.
        own: Where this graph is.
    """
    from stepgraph_tui.dialogs.open_path import OpenPath

    path = await surface.ask(OpenPath())
    if path is None:
        return
    if _is_same(path, own):
        surface.say("that is this graph")
    else:
        surface.post_message(AnotherFileChosen(path))


async def ask_for_copy(surface: Surface, title: str, write: Callable[[Path], object], done: str) -> None:
    """Ask for a path, write a graph file there, and have it opened above this one.

    Args:
        surface: The screen.
        title: What is asked.
        write: Writes the file; a StepgraphError is shown.
        done: The message when it is written.
    """
    from stepgraph_tui.dialogs.open_path import OpenPath, new_refusal

    path = await surface.ask(OpenPath(title, "Save", new_refusal))
    if path is None:
        return
    try:
        write(path)
    except StepgraphError as error:
        surface.tell_error(error)
    else:
        surface.say(f"{done}: {path}")
        surface.post_message(AnotherFileChosen(path))


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
            outdated = self._runs.shown.outdated
            new = "the module was imported again: this is the new version"
            self._surface.say(f"the module changed; {outdated}" if outdated is not None else new)

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
