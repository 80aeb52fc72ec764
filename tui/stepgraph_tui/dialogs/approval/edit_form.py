"""The form in which a person changes what the node offers to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events, on
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input, TextArea

from stepgraph.reviews.model import Decision
from stepgraph.values.errors import StepgraphError
from stepgraph.values.state import StateKey
from stepgraph_tui.commands import FORM, bindings
from stepgraph_tui.dialogs.field_of_form import FieldEntered, go_on
from stepgraph_tui.dialogs.run_form.field import Field
from stepgraph_tui.dialogs.run_form.questions import KeyQuestion

if TYPE_CHECKING:
    from textual.widget import Widget

    from stepgraph.values.json_values import Json
    from stepgraph.values.state import ValueType
    from stepgraph_tui.commands.hints import Hints

    from .drafts import ReviewDraft
    from .watching import Subject


class EditQuestion(KeyQuestion):
    """Asks for another value of an editable path. A field that stays as it was changes nothing.

    A value that is secret, or quotes a secret, is not written into its field: there it would be seen, and
    with the secret hidden it would be another value.

    Args:
        subject: What is decided.
        path: Where the value belongs.
        type_: What it must be.
    """

    def __init__(self, subject: Subject, path: str, type_: ValueType) -> None:
        value = subject.review.values.get(path)
        hidden = value != subject.mask.value(path, value)
        note = "secret: leave it empty to keep it as it is" if hidden else ""
        note = note if path in subject.review.values else "not there yet: leave it empty to keep it so"
        super().__init__(StateKey(path, type=type_, note=note, secret=hidden), None if hidden else value)
        self._review = subject.review

    def check(self, text: str) -> str | None:
        """Say what is wrong with a text; None when nothing is."""
        if text == self.text:
            return None
        if not text.strip() and self.key.type != "text":
            return f"takes a {self.key.type}"
        try:
            self._review.checked(Decision("edit", {self.name: self.read(text)}))
        except StepgraphError as error:
            return f"takes a {self.key.type}" if self.secret else error.message
        return None

    def read(self, text: str) -> Json:
        """Read the value that a text stands for; an empty text is a text, too.

        Raises:
            StateError: It does not suit.
        """
        return "" if not text and self.key.type == "text" and self.text else super().read(text)


class EditForm(VerticalScroll, can_focus=False, inherit_bindings=False):
    """A field for each value that can be changed."""

    BINDINGS = bindings(FORM)

    class Typed(Message):
        """What stands in the fields has changed."""

    @dataclass
    class Sent(Message):
        """The form is filled in."""

        values: dict[str, Json]
        """The changed ones alone, by path."""

    class Left(Message):
        """The form is left."""

    def __init__(self) -> None:
        super().__init__()
        self._questions: dict[str, EditQuestion] = {}

    async def open(self, subject: Subject, draft: ReviewDraft) -> None:
        """Show the fields of a review, with what was written before."""
        editable = subject.review.request.editable
        self._questions = {path: EditQuestion(subject, path, type_) for path, type_ in editable.items()}
        await self.remove_children()
        await self.mount_all(map(Field, self._questions.values()))
        for field in self._fields:
            _write(field, draft.edits.get(field.question.name))
        self.display = True
        if self.first is not None:
            self.first.focus()

    @property
    def first(self) -> Widget | None:
        """Where typing begins; None where nothing is short enough to be edited here."""
        return next((field.editor for field in self._fields if field.editor is not None), None)

    @property
    def _fields(self) -> list[Field]:
        return list(self.query_children(Field))

    @property
    def edits(self) -> dict[str, str]:
        """What stands in the changed fields, by path."""
        return {field.question.name: field.text for field in self._fields if field.changed}

    def keys(self, hints: Hints) -> list[tuple[str, str]]:
        """Name what the keys do in the focused field."""
        focused = next((field for field in self._fields if field.has_focus_within), None)
        last = focused is not None and focused is self._fields[-1]
        enter = "Go on" if last else "Next field"
        enter = "New line" if focused is not None and focused.breaks_lines else enter
        send = [] if enter == "Go on" else [(hints.key("form.accept"), "Go on")]
        return [("Enter", enter), *send, (hints.key("form.next"), "Next"), (hints.key("form.cancel"), "Back")]

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _tell(self) -> None:
        if self.display:
            self.post_message(self.Typed())

    @on(events.DescendantFocus)
    def _show_focused(self) -> None:
        self.post_message(self.Typed())

    @on(FieldEntered)
    def _leave_field(self, message: FieldEntered[Field]) -> None:
        message.stop()
        if not go_on([field for field in self._fields if field.can_be_edited], message.field):
            self.action_accept()

    def action_next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.screen.focus_previous()

    def action_accept(self) -> None:
        """Hand over what was changed, unless something is wrong with it."""
        wrong = [field for field in self._fields if field.changed and not field.check()]
        if wrong:
            wrong[0].focus_editor()
            self.app.bell()
            return
        values = {path: self._questions[path].read(text) for path, text in self.edits.items()}
        self.post_message(self.Sent(values))

    def action_cancel(self) -> None:
        """Leave the form; what was typed is kept."""
        self.post_message(self.Left())


def _write(field: Field, text: str | None) -> None:
    """Fill a field with a draft, or hide its empty error line."""
    field.tell("")
    if text is not None:
        field.put(text)
