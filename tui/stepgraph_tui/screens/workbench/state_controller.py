"""Editing the state of the run that is shown: by a form, or whole in $EDITOR; nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.values import Conflict, StateError, StepgraphError
from stepgraph_tui.view.runs import StateChanges

from ...cli_equivalents import Equivalents
from ...text.characters import visible
from ...text.run_list import after_step
from ...worker import EditState
from .refusals import refused_state_edit

if TYPE_CHECKING:
    from stepgraph.expressions import Changes, Path

    from ...context import AppContext
    from ...dialogs.state_edit import MessageForm, StateEdit, StateEditForm
    from ...run_view import RunView
    from ...text.state_text import StateText
    from ...widgets.state.chat import ChatPane
    from .run_controller import RunController
    from .surface import Surface


class StateController:
    """Changes the state of a run between two steps.

    An edit says which version of the run the person looked at. Where another process was faster, it is shown
    again, as a difference to what the state is now, and asked about again.

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

    async def ask(self, path: Path | None) -> None:
        """Ask for another value; for the whole state in $EDITOR where no path is given."""
        view = self._editable()
        if view is None:
            return
        if path is None:
            await self._edit_whole(view)
            return
        from stepgraph_tui.dialogs.state_edit import StateEditForm as Form

        await self._ask_by(Form(view, path))

    async def change_messages(self, asked: ChatPane.Asked) -> None:
        """Ask for another message, one more, or whether one is to go."""
        view = self._editable()
        if view is None:
            return
        from stepgraph_tui.dialogs.state_edit import MessageForm, message_form, messages_at, removal

        path, place = asked.path, asked.place
        if place >= len(messages_at(view, path)):
            self._surface.say("this message is not in the run as it stands now", "warning")
        elif asked.verb == "insert":
            await self._ask_by(MessageForm(view, path, place, insert=True))
        elif asked.verb == "edit":
            await self._ask_by(message_form(view, path, place))
        else:
            from stepgraph_tui.dialogs.questions import Confirm

            try:
                changes, question = removal(view, path, place)
            except StateError as error:
                self._surface.tell_error(error)
                return
            if await self._surface.ask(Confirm(*question)):
                self._make(changes, "")

    def _editable(self) -> RunView | None:
        """Return the run, where it is to be seen as it stands; else say why nothing can be edited."""
        runs = self._runs
        if not runs.busy and runs.shown.look():
            runs.shown.go_live()
        why = refused_state_edit(runs.shown.moment, busy=runs.busy, hints=self._surface.hints)
        if why is not None:
            self._surface.say(why, "warning")
        return runs.shown.view if why is None else None

    async def _ask_by(self, form: StateEditForm | MessageForm) -> None:
        from stepgraph_tui.dialogs.forms import FormDialog

        edit: StateEdit | None = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        if edit is not None:
            self._make(edit.changes, edit.comment)
        elif self._kept is not None:
            self._surface.say(self._surface.hints("nothing was edited: {state.edit_whole} opens your text"))

    # In $EDITOR

    async def _edit_whole(self, view: RunView) -> None:
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
            await self._take(view, made, text)

    async def _take(self, view: RunView, made: StateText, text: str) -> None:
        """Show what a text changes; where it is wrong, offer to open it again."""
        from stepgraph_tui.dialogs.state_edit import StateEditForm as Form

        try:
            changes = made.changes(text)
            form = Form(view, changes=changes)
        except StateError as error:
            await self._offer_again(error)
            return
        if changes:
            await self._ask_by(form)
        else:
            self._kept = None
            self._surface.say("the text means the same state: nothing is edited")

    async def _offer_again(self, error: StateError) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        hint = f"\n{visible(error.hint)}" if error.hint else ""
        question = f"The text is not a state of this run:\n\n{visible(error.message)}{hint}"
        if await self._surface.ask(Confirm(f"{question}\n\nOpen it again?", "Open")):
            await self.ask(None)
        else:
            message = "nothing was edited; your text is kept: {state.edit_whole} opens it"
            self._surface.say(self._surface.hints(message))

    # What becomes of it

    def _make(self, changes: Changes, comment: str, *, noted: bool = False) -> None:
        """Queue an edit; note its command, unless that was done before it was overtaken."""
        view = self._runs.shown.view
        if view is None:
            return
        by = self._context.settings.name
        if self._runs.submit(EditState(view.run_id, view.version, changes, by, comment)) and not noted:
            self._surface.note(
                Equivalents(self._context.address, view.mask).edit(view.run_id, changes, comment)
            )

    def forget_text(self) -> None:
        """Keep the text no longer: its edit is recorded."""
        self._kept = None
        self._surface.say("State edited (recorded in the run's history)")

    async def refused(self, work: EditState, error: StepgraphError) -> None:
        """Show an edit again that another process has overtaken; after another refusal, say what is kept."""
        view = self._runs.shown.view
        if not isinstance(error, Conflict) or view is None:
            return
        from stepgraph_tui.dialogs.questions import Confirm
        from stepgraph_tui.dialogs.state_edit import checked, edit_question
        from stepgraph_tui.text.comparison import change_lines

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
                f"another process moved the run on, and nothing was edited: {why}; {kept}", "error"
            )
            return
        if not lines:
            self.forget_text()
            self._surface.say("another process moved the run on: its state is already as you want it")
            return
        moved = f"Another process moved the run on: it is {after_step(run.step)} now. Nothing is edited yet."
        if await self._surface.ask(Confirm(*edit_question(run, lines, moved))):
            self._make(work.changes, work.comment, noted=True)
        else:
            self._surface.say("nothing was edited")
