"""The file of a workbench: saving, drafts, changes from elsewhere, and the user's own editor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from stepgraph.errors import GraphFileError, StepgraphError
from stepgraph_tui.designing import Watcher, watch
from stepgraph_tui.dialogs.difference import DifferencePage
from stepgraph_tui.dialogs.questions import Confirm, DiskChanged, RestoreDraft, Unsaved

from .designing import WorkbenchDesign

if TYPE_CHECKING:
    from stepgraph.problems import KeyPath
    from stepgraph_tui.designing import Draft

_TOLD = 5  # comments that cannot be kept; of more, only how many


class WorkbenchFile(WorkbenchDesign):
    """A workbench that saves its graph, and never over what others wrote without asking."""

    class DiskStirred(Message):
        """Something happened to the file on disk."""

    _watcher: Watcher | None = None

    def begin_filing(self) -> None:
        """Watch the file, and ask about edits that were left unsaved."""
        path = self.file.path
        if path is None:
            return
        self._watcher = watch(path, self._stirred)
        draft = self.file.draft()
        if draft is not None:
            self._ask_about(draft)

    def _stirred(self) -> None:
        """Called in the watching thread."""
        self.post_message(self.DiskStirred())

    def end_filing(self) -> None:
        """Watch no more."""
        if self._watcher is not None:
            self._watcher.stop()

    def _ask_about(self, draft: Draft) -> None:
        def answered(answer: str | None) -> None:
            if answer == "restore":
                self._try(
                    lambda: self.file.restore(draft), "restored what was not saved; u takes it away again"
                )
                if not self.designing:
                    self.action_mode()
            elif answer == "discard":
                self.file.discard(draft)
            elif answer == "difference":
                page = DifferencePage(
                    "On disk, and in the draft", self.file.difference_of(draft), self.copy_text
                )
                self.app.push_screen(page, lambda _: self._ask_about(draft))

        self.app.push_screen(RestoreDraft(draft, self.desk.clock.time()), answered)

    def _try(self, work: Callable[[], object], said: str) -> bool:
        """Do something with the file, and show it; what goes wrong is said."""
        try:
            work()
        except StepgraphError as error:
            self.tell_error(error)
            return False
        self.on_disk = self.file.disk()
        self.show_file()
        self.say(said)
        return True

    # Saving

    def action_save(self) -> None:
        """Write the file; ask first where comments would be lost or somebody else has written it."""
        self.save()

    def save(self, then: Callable[[], object] = lambda: None) -> None:
        """Write the file, and go on with something when it is written."""
        losses = self.file.losses()
        if not losses:
            self._save(then)
            return
        told = [f"  {loss}" for loss in losses[:_TOLD]]
        if len(losses) > _TOLD:
            told.append(f"  and {len(losses) - _TOLD} more")
        question = "\n".join(
            ["Some comments cannot be kept:", *told, "The file as it is stays beside it as .bak."]
        )
        self.app.push_screen(Confirm(question, "Save"), lambda yes: self._save(then) if yes else None)

    def _save(self, then: Callable[[], object], *, force: bool = False) -> None:
        try:
            saved = self.file.save(force=force)
        except GraphFileError as error:
            if self.file.disk() == "changed" and not force:
                self._ask_about_disk(then)
            else:
                self.tell_error(error)
            return
        self.on_disk = self.file.disk()
        self.show_file()
        kept = f"; as it was before it is in {saved.backup.name}" if saved.backup is not None else ""
        self.say(f"saved {saved.path.name}{kept}")
        then()

    def _ask_about_disk(self, then: Callable[[], object]) -> None:
        path = self.file.path
        if path is None:
            return
        self.on_disk = "changed"  # so that it is not told once more
        self.say_standing()

        def answered(answer: str | None) -> None:
            if answer == "reload":
                self._try(self.file.reload, "reloaded from disk; u brings your edits back")
            elif answer == "overwrite":
                self._save(then, force=True)
            elif answer == "difference":
                page = DifferencePage("On disk, and as it is here", self.file.difference(), self.copy_text)
                self.app.push_screen(page, lambda _: self._ask_about_disk(then))

        self.app.push_screen(DiskChanged(path), answered)

    def leave(self, then: Callable[[], object]) -> None:
        """Go on with something once there are no unsaved edits, or they are not wanted."""
        if not self.file.is_dirty or self.file.path is None:
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == "save":
                self.save(then)
            elif answer == "discard":
                self.file.drop_draft()
                then()

        self.app.push_screen(Unsaved(self.file.path), answered)

    # Changes from elsewhere

    @on(DiskStirred)
    def look_at_disk(self) -> None:
        """Take what changed on disk, unless there are edits, or a form is open that may make one."""
        if self.file.path is None or not self.is_active:
            return
        followed = self.file.follow()
        standing = self.file.disk()
        if followed:
            self.show_file()
            if self.file.readable:
                self.say("the file changed on disk: shown as it is now")
            else:
                self.show_pane("problems", focus=False)
                self.say("the file changed on disk, and cannot be read: shown as it was", "warning")
        if standing == self.on_disk:
            return
        self.on_disk = standing
        self.say_standing()
        if standing == "changed":
            self.say("the file changed on disk, and has edits here: saving asks what to do", "warning")

    # The user's own editor

    def edit_text(self, text: str, suffix: str) -> str | None:
        """Let a person edit a text in $EDITOR."""
        return self.desk.editor(self.app).edit_text(text, suffix)

    def action_editor(self) -> None:
        """Open the file in $EDITOR at what is selected, and read it again afterwards."""
        path = self.file.path
        if path is None:
            self.say("this run has no graph file", "warning")
        elif self.busy:
            self.say(f"a node still runs: X stops after it; the file is {path}", "warning")
        elif self.file.is_dirty:
            self.app.push_screen(
                Confirm(f"{path.name} has edits that are not saved. Save them and open it?", "Save and open"),
                lambda yes: self.save(lambda: self._open_editor(path)) if yes else None,
            )
        else:
            self._open_editor(path)

    def _open_editor(self, path: Path) -> None:
        try:
            self.desk.editor(self.app).edit(path, self.file.line_of(self._selected_path()))
        except StepgraphError as error:
            self.tell_error(error)
        self.look_at_disk()

    def _selected_path(self) -> KeyPath:
        """Where what is selected stands in the document."""
        edge, node = self.graph_view.selected_edge, self.graph_view.selected
        if edge is not None:
            return ("edges", edge)
        return ("nodes", node) if node is not None else ()
