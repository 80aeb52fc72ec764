"""The form in which a person changes what the node offers to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.message import Message

from stepgraph.reviews import Decision
from stepgraph.values import UNSET, StateKey, StepgraphError
from stepgraph_tui.commands import bindings
from stepgraph_tui.dialogs.forms.field import Answers, EmptyField, Field
from stepgraph_tui.dialogs.forms.field_view import FieldView
from stepgraph_tui.dialogs.forms.fields import changes, state_field
from stepgraph_tui.dialogs.forms.form import Form, FormContents
from stepgraph_tui.dialogs.forms.formats import Misfit

if TYPE_CHECKING:
    from textual.widget import Widget

    from stepgraph.values import Json, ValueType
    from stepgraph_tui.commands.hints import Hints

    from .drafts import ReviewDraft
    from .subject import Subject


def edit_field(subject: Subject, path: str, type_: ValueType) -> Field:
    """Build the field of an editable path. One that stays as it was changes nothing.

    A value that is secret, or quotes a secret, is not written into its field: there it would be seen, and
    with the secret hidden it would be another value.

    Args:
        subject: What is decided.
        path: Where the value belongs.
        type_: What it must be.
    """
    review = subject.review
    value = review.proposed.get(path)
    hidden = value != subject.mask.value(path, value)
    note = "secret: leave it empty to keep it unchanged" if hidden else ""
    note = note if path in review.proposed else "not set yet: leave it empty to keep it unset"

    def accept(value: Any) -> Any:
        if value is UNSET:
            raise EmptyField(f"takes a {type_}")
        try:
            review.checked(Decision("edit", {path: value}))
        except StepgraphError as error:
            raise Misfit(f"takes a {type_}" if hidden else error.message) from None
        return value

    key = StateKey(path, type=type_, note=note, secret=hidden)
    keeps_empty = type_ == "text" and not hidden and value is not None
    return state_field(key, None if hidden else value, accept=accept, keeps_empty=keeps_empty)


class EditForm(Form, inherit_bindings=False):
    """Shows a field for each value that can be changed."""

    BINDINGS = bindings("form")

    @dataclass
    class Typed(Message):
        """What is in the fields has changed."""

    @dataclass
    class Sent(Message):
        """The form is filled in."""

        values: dict[str, Json]
        """The changed ones alone, by path."""

    @dataclass
    class Left(Message):
        """The form is left."""

    def __init__(self) -> None:
        super().__init__(style="question")
        self._asked = False  # whether what is missing counts

    async def open(self, subject: Subject, draft: ReviewDraft) -> None:
        """Show the fields of a review, with what was written before."""
        editable = subject.review.request.editable
        fields = [edit_field(subject, path, type_) for path, type_ in editable.items()]
        self._asked = False
        await self.refill(FormContents(fields))
        self.set_texts({field: draft.edits[field.name] for field in fields if field.name in draft.edits})
        self.display = True
        if self.first is not None:
            self.first.focus()

    @property
    def first(self) -> Widget | None:
        """Where typing begins; None where nothing is short enough to be edited here."""
        return next((view.place_of_focus for view in self.in_reach), None)

    @property
    def _answers(self) -> Answers:
        texts = self.texts
        return Answers(texts, texts)

    @property
    def edits(self) -> dict[str, str]:
        """What is in the changed fields, by path."""
        answers = self._answers
        return {field.name: answers.text(field) for field in answers.changed}

    def keys(self, hints: Hints) -> list[tuple[str, str]]:
        """Name what the keys do in the focused field."""
        focused = self.focused_view
        last = focused is not None and focused is self.views[-1]
        enter = "Go on" if last else "Next field"
        enter = "New line" if focused is not None and focused.breaks_lines else enter
        send = [] if enter == "Go on" else [(hints.key("form.accept"), "Go on")]
        return [("Enter", enter), *send, (hints.key("form.next"), "Next"), (hints.key("form.cancel"), "Back")]

    @on(FieldView.Changed)
    def _look_again(self) -> None:
        answers = self._answers
        self.tell(answers.problems(answers.misfits(), asked=self._asked))
        if self.display:
            self.post_message(self.Typed())

    @on(events.DescendantFocus)
    def _show_focused(self) -> None:
        self.post_message(self.Typed())

    def action_next_field(self) -> None:
        """Move to the next field."""
        self.screen.focus_next()

    def action_previous_field(self) -> None:
        """Move to the field before."""
        self.screen.focus_previous()

    @on(Form.Finished)
    def action_accept(self) -> None:
        """Submit what was changed, unless something is wrong with it."""
        answers = self._answers
        misfits = answers.misfits()
        if misfits:
            self._asked = True
            self.tell(answers.problems(misfits, asked=True))
            self.go_to(next(iter(misfits)))
            self.app.bell()
            return
        self.post_message(self.Sent(changes(answers, answers.fields)))

    def action_cancel(self) -> None:
        """Leave the form; what was typed is kept."""
        self.post_message(self.Left())
