"""One question of the form with its field, and what is wrong with what stands in it."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static, TextArea

from stepgraph_tui.dialogs.field_of_form import FieldEntered
from stepgraph_tui.words.text import plural, visible

from .editors import LineField, TextField
from .questions import LONGEST, Question


class Field(Vertical):
    """A question with its name, type, note and field; an error stands below the field.

    Args:
        question: What to ask.
    """

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self.editor = _editor(question)
        """What is typed into; None where the text is too long for that."""

    def compose(self) -> ComposeResult:
        """Name and note above, the error below."""
        name, note = visible(self.question.name), visible(self.question.note)
        label = Text.assemble((name, "bold"), f"  {visible(self.question.kind)}")
        yield Static(label, classes="label")
        if note:
            yield Static(Text(note), classes="note")
        yield self.editor or Static(
            Text(f"{plural(len(self.question.text), 'character')}, more than can be edited here; kept as is")
        )
        yield Static(classes="error")

    def on_mount(self) -> None:
        """Nothing is wrong before anything was typed."""
        self.tell("")

    @property
    def text(self) -> str:
        """What stands in the field."""
        if isinstance(self.editor, Input):
            return self.editor.value
        return self.editor.text if self.editor is not None else self.question.text

    @property
    def changed(self) -> bool:
        """Whether somebody changed it."""
        return self.text != self.question.text

    def put(self, text: str) -> None:
        """Let another text stand in the field."""
        if isinstance(self.editor, Input):
            self.editor.value = text
        elif self.editor is not None:
            self.editor.load_text(text)

    @property
    def can_be_edited(self) -> bool:
        """Whether it can have the focus."""
        return self.editor is not None

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line here."""
        return isinstance(self.editor, TextField) and self.editor.breaks_lines

    def focus_editor(self) -> None:
        """Go to the field."""
        if self.editor is not None:
            self.editor.focus()

    def check(self) -> bool:
        """Show what is wrong.

        Returns:
            Whether nothing is.
        """
        wrong = self.question.check(self.text)
        self.tell(wrong or "")
        return wrong is None

    def tell(self, wrong: str) -> None:
        """Show what is wrong; nothing when empty."""
        error = self.query_one(".error", Static)
        error.display = bool(wrong)
        error.update(Text(f"✗ {visible(wrong)}" if wrong else ""))

    @on(Input.Changed)
    @on(TextArea.Changed)
    def look_again(self) -> None:
        """Say at once what is wrong with what was typed; an empty field is not wrong yet."""
        if self.changed and self.text.strip():
            self.check()
        else:
            self.tell("")

    @on(Input.Submitted)
    @on(TextField.Entered)
    def enter(self) -> None:
        """Go on behind this field."""
        self.post_message(FieldEntered(self))


def _editor(question: Question) -> LineField | TextField | None:
    if len(question.text) > LONGEST:
        return None
    if question.one_line or question.secret:
        return LineField(question.text, password=question.secret, compact=True)
    editor = TextField(question.text, compact=True, show_line_numbers=False, highlight_cursor_line=False)
    if editor.document.line_count == 1:
        editor.move_cursor(editor.document.end)
    return editor
