"""Editing the state of the run that is shown: by a form, or whole in $EDITOR; nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.values.errors import Conflict, StateError, StepgraphError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.runs import after_step
from stepgraph_tui.worker import EditState

from .availability import refused_state_edit

if TYPE_CHECKING:
    from stepgraph.expressions.paths import Changes, Path
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.dialogs.state_edit import StateEdit, StateEditForm
    from stepgraph_tui.run_view import RunView
    from stepgraph_tui.text.state_text import StateText
    from stepgraph_tui.worker import WorkFailed

    from .run_controller import RunController
    from .surface import Surface


class StateController:
    """Changes the state of a run between two steps.

    An edit says which version of the run the person looked at. Where another process was faster, it is shown
    again, as a difference to what the state is now, and asked about anew.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: The run, and the thread that makes the edit.
    """

    def __init__(self, context: AppContext, surface: Surface, runs: RunController) -> None:
        self._context = context
        self._surface = surface
        self._runs = runs
        self._kept: tuple[str, StateText, str] | None = None  # of a run: what was edited, and to what

    def ask(self, path: Path | None) -> None:
        """Ask for another value; for the whole state in $EDITOR where no path is given."""
        view = self._editable()
        if view is None:
            return
        if path is None:
            self._edit_whole(view)
            return
        from stepgraph_tui.dialogs.state_edit import StateEditForm as Form

        self._ask_by(Form(view, path))

    def _editable(self) -> RunView | None:
        """Give the run, where it is to be seen as it stands; else say why nothing can be edited."""
        runs = self._runs
        if not runs.busy and runs.shown.look():
            runs.shown.go_live()
        why = refused_state_edit(runs.shown.moment, busy=runs.busy, hints=self._surface.hints)
        if why is not None:
            self._surface.say(why, "warning")
        return runs.shown.view if why is None else None

    def _ask_by(self, form: StateEditForm) -> None:
        from stepgraph_tui.dialogs.forms import FormDialog

        def answered(edit: StateEdit | None) -> None:
            if edit is not None:
                self._make(edit.changes, edit.comment)
            elif self._kept is not None:
                self._surface.say(
                    self._surface.hints("nothing was edited: {state.edit_whole} opens your text")
                )

        self._surface.ask(FormDialog(form, self._surface.edit_text), answered)

    # In $EDITOR

    def _edit_whole(self, view: RunView) -> None:
        from stepgraph_tui.text.state_text import StateText

        heading = f"the state of run {view.run_id} {after_step(view.run.step)}"
        made = StateText(view.run.values, view.mask, visible(heading))
        if self._kept is not None and self._kept[0] == view.run_id:
            _, made, text = self._kept
        else:
            text = made.text
        try:
            text = self._surface.edit_text(text, ".toml") or text
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        if text == made.text:
            self._kept = None
            self._surface.say("the text was left as it was: nothing is edited")
        else:
            self._kept = view.run_id, made, text
            self._take(view, made, text)

    def _take(self, view: RunView, made: StateText, text: str) -> None:
        """Show what a text changes; where it is wrong, offer to open it again."""
        from stepgraph_tui.dialogs.state_edit import StateEditForm as Form

        try:
            changes = made.changes(text)
            form = Form(view, changes=changes)
        except StateError as error:
            self._offer_again(error)
            return
        if changes:
            self._ask_by(form)
        else:
            self._kept = None
            self._surface.say("the text means the same state: nothing is edited")

    def _offer_again(self, error: StateError) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        hint = f"\n{visible(error.hint)}" if error.hint else ""
        question = f"The text is not a state of this run:\n\n{visible(error.message)}{hint}"

        def answered(yes: bool | None) -> None:
            if yes:
                self.ask(None)
            else:
                said = "nothing was edited; your text is kept: {state.edit_whole} opens it"
                self._surface.say(self._surface.hints(said))

        self._surface.ask(Confirm(f"{question}\n\nOpen it again?", "Open"), answered)

    # What becomes of it

    def _make(self, changes: Changes, comment: str, *, noted: bool = False) -> None:
        """Let the thread make an edit; its command is noted, unless that was done before it was overtaken."""
        view = self._runs.shown.view
        if view is None:
            return
        by = self._context.settings.name
        if self._runs.submit(EditState(view.run_id, view.version, changes, by, comment)) and not noted:
            self._surface.note(
                cli_equivalents.edit(view.run_id, changes, comment, self._context.address, view.mask)
            )

    def made(self) -> None:
        """Keep the text no longer: its edit is recorded."""
        self._kept = None
        self._surface.say("State edited (recorded in the run's history)")

    def refused(self, message: WorkFailed) -> None:
        """Show an edit again that another process has overtaken; of another refusal, what is kept is said."""
        work, view = message.work, self._runs.shown.view
        if not isinstance(work, EditState) or not isinstance(message.error, Conflict) or view is None:
            return
        from stepgraph_tui.dialogs.questions import Confirm
        from stepgraph_tui.dialogs.state_edit import checked, edit_question
        from stepgraph_tui.text.edits import change_lines
        from stepgraph_tui.view.runs import StateChanges

        run = view.run
        why = refused_state_edit(self._runs.shown.moment, busy=False, hints=self._surface.hints)
        try:
            updates = checked(run.plan, run.values, work.changes)
            lines = change_lines(StateChanges.of(run.values, updates, view.mask), "→")
        except StateError as error:
            why = error.message
        if why is not None:
            kept = self._surface.hints("{app.log} keeps your edit as a command")
            self._surface.say(
                visible(f"another process moved the run on, and nothing was edited: {why}; {kept}"), "error"
            )
            return
        if not lines:
            self.made()
            self._surface.say("another process moved the run on: its state is already as you want it")
            return
        moved = f"Another process moved the run on: it is {after_step(run.step)} now. Nothing is edited yet."

        def answered(yes: bool | None) -> None:
            if yes:
                self._make(work.changes, work.comment, noted=True)
            else:
                self._surface.say("nothing was edited")

        self._surface.ask(Confirm(*edit_question(run, lines, moved)), answered)
