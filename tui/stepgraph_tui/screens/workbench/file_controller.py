"""The file of a workbench: saving, drafts, changes from elsewhere, and the user's own editor.

Dialogs are imported where they are asked for: the first frame of a graph needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.values import GraphFileError, StepgraphError
from stepgraph_tui.dialogs.pages import DifferencePage
from stepgraph_tui.remembered import RememberedPlace

from ...text.characters import visible
from .step_controller import STILL_RUNS, refused_save

if TYPE_CHECKING:
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import Buffer, GraphDraft, Standing

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
        self.on_disk: Standing = "same"
        """How the file on disk stood at the last look."""
        self._context = context
        self._file = file
        self._surface = surface
        self._design = design
        self._runs = runs

    def begin(self) -> None:
        """Ask about edits that were left unsaved."""
        draft = self._file.draft.left(self._file.path)
        if draft is not None:
            self._ask_about(draft)

    def _ask_about(self, draft: GraphDraft) -> None:
        from stepgraph_tui.dialogs.questions import RestoreDraft

        def answered(answer: str | None) -> None:
            if answer == "restore":
                said = self._surface.hints("restored the unsaved edits; {design.undo} removes them again")
                self._try(lambda: self._file.restore(draft), said)
                if not self._design.is_on:
                    self._design.action_mode()
            elif answer == "discard":
                self._file.draft.discard(draft)
            elif answer == "difference":
                found = self._file.difference(draft)
                page = DifferencePage("On disk, and in the draft", found, self._surface.copy)
                self._surface.ask(page, lambda _: self._ask_about(draft))

        self._surface.ask(RestoreDraft(draft, self._context.clock.time()), answered)

    def _try(self, work: Callable[[], object], said: str) -> None:
        """Call a function on the file, and show the result or the error."""
        try:
            work()
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self.on_disk = self._file.disk()
        self._design.show_file()
        self._surface.say(said)

    # Saving

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works, else why it does not."""
        if verb == "save_copy":
            return self._file.path is not None or "this run has no graph file"
        if verb != "save":
            return True
        return refused_save(self._file, is_same=self.on_disk == "same") or True

    def action_save(self) -> None:
        """Write the file; ask first where comments would be lost or somebody else has written it."""
        self.save()

    def save(self, then: Callable[[], object] = lambda: None) -> None:
        """Write the file, and go on with something when it is written."""
        from stepgraph_tui.dialogs.questions import Confirm

        losses = self._file.losses()
        if not losses:
            self._save(then)
            return
        told = [f"  {loss}" for loss in losses[:_TOLD]]
        if len(losses) > _TOLD:
            told.append(f"  and {len(losses) - _TOLD} more")
        question = "\n".join(
            ["Some comments cannot be kept:", *told, "The current file is kept beside it as .bak."]
        )
        self._surface.ask(Confirm(question, "Save"), lambda yes: self._save(then) if yes else None)

    def _save(self, then: Callable[[], object], *, force: bool = False) -> None:
        try:
            saved = self._file.save(force=force)
        except GraphFileError as error:
            if self._file.disk() == "changed" and not force:
                self._ask_about_disk(then)
            else:
                self._surface.tell_error(error)
            return
        self.on_disk = self._file.disk()
        self._design.show_file()
        kept = f"; the old version is in {saved.backup.name}" if saved.backup is not None else ""
        self._surface.say(f"saved {saved.path.name}{kept}")
        then()

    def _ask_about_disk(self, then: Callable[[], object]) -> None:
        from stepgraph_tui.dialogs.questions import DiskChanged

        path = self._file.path
        if path is None:
            return
        self.on_disk = "changed"  # so that it is not told once more
        self._surface.show()

        def answered(answer: str | None) -> None:
            if answer == "reload":
                said = self._surface.hints("reloaded from disk; {design.undo} brings your edits back")
                self._try(self._file.reload, said)
            elif answer == "overwrite":
                self._save(then, force=True)
            elif answer == "difference":
                found = self._file.difference()
                page = DifferencePage("On disk, and here", found, self._surface.copy)
                self._surface.ask(page, lambda _: self._ask_about_disk(then))

        self._surface.ask(DiskChanged(path), answered)

    def action_save_copy(self) -> None:
        """Ask for the path of a copy, write it, and open it above this file, which stays as it is."""
        own = self._file.path
        if own is None:
            return

        def write(path: Path) -> None:
            self._file.copy_to(path)
            self._take_along(own, path)

        title = f"Save a copy of {own.name}"
        ask_for_copy(self._surface, title, write, "a copy is saved")

    def _take_along(self, own: Path, path: Path) -> None:
        """Keep for a copy what is kept for this file, unless that was known before.

        Raises:
            StepgraphError: The breakpoints cannot be read or written.
        """
        from stepgraph.runs.debug import KeptDebugging

        remembered = self._context.remembered
        if remembered.place(path) == RememberedPlace():
            marks = tuple(sorted(self._runs.pauses.nodes))
            remembered.keep(path, replace(remembered.place(own), run=None, pause_after=marks))
        KeptDebugging(own).copy_to(path)

    def leave(self, then: Callable[[], object]) -> None:
        """Continue with something once there are no unsaved edits, or they are not wanted."""
        from stepgraph_tui.dialogs.questions import Unsaved

        if not self._file.is_dirty or self._file.path is None:
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == "save":
                self.save(then)
            elif answer == "discard":
                self._file.draft.drop()
                then()

        self._surface.ask(Unsaved(self._file.path), answered)

    def action_open(self) -> None:
        """Ask for another graph file; this one stays open below it, with its edits."""
        ask_for_another(self._surface, self._file.path)

    # Changes from elsewhere

    def look_at_disk(self) -> None:
        """Load what changed on disk, unless there are edits, or a form is open that may make one."""
        if self._file.path is None or not self._surface.is_on_top:
            return
        followed = self._file.follow()
        standing = self._file.disk()
        if followed:
            self._design.show_file()
            if self._file.readable:
                said = self._runs.definition.told
                new = "the file changed on disk: this is the new version"
                self._surface.say(f"the file changed on disk; {said}" if said is not None else new)
            else:
                self._surface.show_pane("problems", focus=False)
                self._surface.say(
                    "the file changed on disk and cannot be read: this is the old version", "warning"
                )
        if standing == self.on_disk:
            return
        self.on_disk = standing
        self._surface.show()
        if standing == "changed":
            said = self._surface.hints(
                "the file changed on disk, and has edits here: {workbench.save} shows both"
            )
            self._surface.say(said, "warning")

    # The user's own editor

    def action_editor(self) -> None:
        """Open the file in $EDITOR at what is selected, and read it again afterwards."""
        from stepgraph_tui.dialogs.questions import Confirm

        path = self._file.path
        if path is None:
            self._surface.say("this run has no graph file", "warning")
        elif self._runs.busy:
            self._surface.say(f"{self._surface.hints(STILL_RUNS)}; the file is {path}", "warning")
        elif self._file.is_dirty:
            self._surface.ask(
                Confirm(f"{visible(path.name)} has unsaved edits. Save them and open it?", "Save and open"),
                lambda yes: self.save(lambda: self._open_editor(path)) if yes else None,
            )
        else:
            self._open_editor(path)

    def _open_editor(self, path: Path) -> None:
        try:
            self._surface.edit_file(path, self._file.place_of(self._surface.selected_path)[1])
        except StepgraphError as error:
            self._surface.tell_error(error)
        self.look_at_disk()


def ask_for_another(surface: Surface, own: Path | None) -> None:
    """Ask for another graph, and have it opened above this one.

    Args:
        surface: The screen.
        own: Where this graph is.
    """
    from stepgraph_tui.dialogs.open_path import OpenPath

    def opened(path: Path | None) -> None:
        if path is None:
            return
        if own is not None and path.resolve() == own.resolve():
            surface.say("that is this graph")
        else:
            surface.post_message(AnotherFileChosen(path))

    surface.ask(OpenPath(), opened)


def ask_for_copy(surface: Surface, title: str, write: Callable[[Path], object], said: str) -> None:
    """Ask for a path, write a graph file there, and have it opened above this one.

    Args:
        surface: The screen.
        title: What is asked.
        write: Writes the file; a StepgraphError is told.
        said: What is said when it is written.
    """
    from stepgraph_tui.dialogs.open_path import OpenPath, new_refusal

    def answered(path: Path | None) -> None:
        if path is None:
            return
        try:
            write(path)
        except StepgraphError as error:
            surface.tell_error(error)
        else:
            surface.say(f"{said}: {path}")
            surface.post_message(AnotherFileChosen(path))

    surface.ask(OpenPath(title, "Save", new_refusal), answered)
