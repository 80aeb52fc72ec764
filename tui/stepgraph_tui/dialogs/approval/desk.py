"""The lower part of the dialog: the comment, and the line in which a person writes or confirms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from stepgraph_tui.dialogs.forms.editors import LineField, TextField

Counts = Callable[[events.Key], bool]
"""Whether a key was pressed long enough after the last thing that could have been meant by it."""
Writes = Literal["comment", "reason", "answer"]
"""What a text is for: the comment as such, the comment that a rejection wants, the answer to the question."""


class EnterLine(Widget, can_focus=True, inherit_bindings=False):
    """Waits for Enter, and for nothing else.

    Args:
        counts: Tells whether a key counts.
    """

    ALLOW_SELECT = False
    FOCUS_ON_CLICK = False

    class Pressed(Message):
        """Enter was pressed, and it counts."""

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        self._counts = counts

    def render(self) -> str:
        """Nothing: the words stand above."""
        return ""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep all letters from the verbs."""
        return character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        """Take Enter; let no other printable key be more than a sound."""
        if event.key == "enter":
            event.stop()
            if self._counts(event):
                self.post_message(self.Pressed())
        elif event.is_printable:
            event.stop()
            self.app.bell()


class NameField(LineField):
    """Takes the node's name, key by key as they count.

    Args:
        counts: Tells whether a key counts.
    """

    def __init__(self, counts: Counts) -> None:
        super().__init__(compact=True)
        self._counts = counts

    def on_key(self, event: events.Key) -> None:
        """Drop keys that come too early."""
        if event.key not in ("escape", "ctrl+c") and not self._counts(event):
            event.stop()
            event.prevent_default()


class Desk(Vertical):
    """Shows the comment and what is said, and has the fields.

    Args:
        counts: Tells whether a key counts.
    """

    class Typed(Message):
        """A text has changed while it is written."""

        def __init__(self, what: Writes, text: str) -> None:
            super().__init__()
            self.what: Writes = what
            self.text = text

    class Written(Message):
        """A text is finished."""

        def __init__(self, what: Writes, text: str) -> None:
            super().__init__()
            self.what: Writes = what
            self.text = text

    class Confirmed(Message):
        """The question was answered with Enter, and with the node's name where that was asked for."""

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        self._comment, self._said = Static(classes="comment"), Static()
        self._text = TextField(compact=True, highlight_cursor_line=False)
        self._name_field, self._enter = NameField(counts), EnterLine(counts)
        self._wanted: str | None = None
        self._writes: Writes | None = None
        self._asked: Sequence[Text] = ()
        self._lines = 0

    def compose(self) -> ComposeResult:
        """The comment, what is said, and the three fields, of which at most one is shown."""
        yield self._comment
        yield self._said
        for field in self._fields:
            field.display = False
            yield field

    @property
    def _fields(self) -> tuple[Widget, ...]:
        return self._text, self._name_field, self._enter

    @property
    def field(self) -> Widget | None:
        """The field that is open."""
        return next((field for field in self._fields if field.display), None)

    @property
    def writes(self) -> Writes | None:
        """What the open text is for."""
        return self._writes if self._text.display else None

    @property
    def text(self) -> str:
        """What stands in the field for texts."""
        return self._text.text

    @property
    def rows(self) -> int:
        """About how many rows it needs."""
        return 1 + self._lines + (min(4, self._text.document.line_count) if self.writes else 1)

    @property
    def keys(self) -> list[tuple[str, str]]:
        """What the keys do in the open field."""
        if self.writes is None:
            return [("Enter", "Confirm"), ("Esc", "Back")]
        if self._text.document.line_count > 1:
            return [("ctrl+j", "Done"), ("Enter", "New line"), ("Esc", "Back")]
        return [("Enter", "Done"), ("Esc", "Back")]

    def show_comment(self, line: Text) -> None:
        """Show the comment."""
        self._comment.update(line)

    def say(self, lines: Sequence[Text]) -> None:
        """Say something; it stays until something else is said."""
        self._lines = len(lines)
        self._said.update(Text("\n", no_wrap=True, overflow="ellipsis").join(lines))
        self._said.display = bool(lines)

    def write(self, what: Writes, text: str, lines: Sequence[Text]) -> None:
        """Open the field for a text."""
        self.close()
        self._writes = what
        self._text.load_text(text)
        self._text.move_cursor(self._text.document.end)
        self._open(self._text, lines)

    def confirm(self, lines: Sequence[Text], name: str | None) -> None:
        """Ask for Enter, or for a name that must be typed."""
        self.close()
        self._wanted = name
        self._name_field.value = ""
        self._open(self._enter if name is None else self._name_field, lines)

    def _open(self, field: Widget, lines: Sequence[Text]) -> None:
        self._asked = lines
        self.say(lines)
        field.display = True
        field.focus()

    def close(self) -> None:
        """Close the open field, and say nothing any more."""
        for field in self._fields:
            field.display = False
        self._writes = None
        self.say(())
        if self.screen.focused in self._fields:
            self.screen.set_focus(None)

    def accept(self) -> None:
        """Finish the text."""
        if self.writes is not None:
            self.post_message(self.Written(self.writes, self._text.text))

    @on(TextField.Entered)
    def _accept(self, event: Message) -> None:
        event.stop()
        self.accept()

    @on(TextArea.Changed)
    def _tell(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.writes is not None:
            self.post_message(self.Typed(self.writes, self._text.text))

    @on(Input.Submitted)
    def _compare(self, event: Input.Submitted) -> None:
        event.stop()
        if not self._name_field.display:
            return
        if self._wanted is not None and event.value == self._wanted:
            self.post_message(self.Confirmed())
        else:
            self.app.bell()
            self.say([*self._asked, Text("✗ that is not the node's name: nothing is decided", "bold")])

    @on(EnterLine.Pressed)
    def _confirmed(self, event: Message) -> None:
        event.stop()
        if self._enter.display:
            self.post_message(self.Confirmed())
