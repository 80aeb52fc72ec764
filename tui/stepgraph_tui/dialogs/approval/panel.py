"""Where a person decides: the comment, and the field in which is written or confirmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ...commands import bindings
from ...text.characters import visible
from ...widgets.chrome.find_bar import LineField
from ...widgets.chrome.status_lines import between
from ..forms.editors import TextField
from .drafts import Writes
from .onward import Onward

if TYPE_CHECKING:
    from stepgraph.reviews import Decision


Counts = Callable[[events.Event], bool]
"""Whether a key was pressed long enough after the last thing that could have been meant by it."""
_ASKED: dict[Writes, str] = {
    "comment": "The comment that goes with the decision:",
    "reason": "Why is it rejected? The comment goes with the decision.",
    "answer": "Your answer. The run continues with it; it is not a rejection.",
}


ONLY = "ctrl+j"
"""The key that decides, and leaves the run as it is."""
CONFIRMING = ("enter", ONLY)
"""The keys that decide."""


class EnterLine(Widget, can_focus=True, inherit_bindings=False):
    """Waits for Enter, and for nothing else.

    Args:
        counts: Tells whether a key counts.
    """

    ALLOW_SELECT = False
    FOCUS_ON_CLICK = False

    @dataclass
    class Pressed(Message):
        """Enter or ctrl+j was pressed, and it counts."""

        only: bool
        """Whether it was ctrl+j."""

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        self._counts = counts

    def render(self) -> str:
        """Show nothing: the words are above."""
        return ""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep all letters from the verbs."""
        return character is not None and character.isprintable()

    def on_key(self, event: events.Key) -> None:
        """Take Enter and ctrl+j; let no other printable key be more than a sound."""
        if event.key in CONFIRMING:
            event.stop()
            if self._counts(event):
                self.post_message(self.Pressed(event.key == ONLY))
        elif event.is_printable:
            event.stop()
            self.app.bell()


class NameField(LineField):
    """Takes the node's name, key by key as they count.

    Args:
        counts: Tells whether a key counts.
    """

    class SubmittedOnly(Message):
        """ctrl+j was pressed."""

    def __init__(self, counts: Counts) -> None:
        super().__init__(compact=True)
        self._counts = counts

    def on_key(self, event: events.Key) -> None:
        """Drop keys that come too early."""
        if event.key not in ("escape", "ctrl+c") and not self._counts(event):
            event.stop()
            event.prevent_default()
        elif event.key == ONLY:
            event.stop()
            event.prevent_default()
            self.post_message(self.SubmittedOnly())


class DecisionPanel(Vertical):
    """Shows the comment and messages, and has the fields.

    Args:
        counts: Tells whether a key counts.
    """

    BINDINGS = bindings("form.accept")

    @dataclass
    class Typed(Message):
        """A text has changed while it is written."""

        what: Writes
        text: str

    @dataclass
    class Written(Message):
        """A text is finished."""

        what: Writes
        text: str

    @dataclass
    class Confirmed(Message):
        """The question was answered, with the node's name where that was asked for."""

        goes_on: bool
        """Whether the run is to continue then."""

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        self._comment, self._said = Static(classes="comment"), Static()
        self._text = TextField(compact=True, highlight_cursor_line=False)
        self._name_field, self._enter = NameField(counts), EnterLine(counts)
        self.decision: Decision | None = None
        """What is about to be confirmed; None while nothing is."""
        self.onward = Onward()
        """What follows it."""
        self._wanted: str | None = None
        self._writes: Writes | None = None
        self._asked: Sequence[Text] = ()
        self._lines = 0

    def compose(self) -> ComposeResult:
        """Show the comment, messages, and the three fields, of which at most one is shown."""
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
    def idle(self) -> bool:
        """Whether no field is open: keys are verbs."""
        return self.field is None

    @property
    def writing(self) -> bool:
        """Whether a text is written, in which keys need not be waited for."""
        return self._text.display

    @property
    def asks(self) -> bool:
        """Whether what is open is the question that decides."""
        return self.decision is not None

    @property
    def writes(self) -> Writes | None:
        """What the open text is for."""
        return self._writes if self._text.display else None

    @property
    def text(self) -> str:
        """What is in the field for texts."""
        return self._text.text

    @property
    def rows(self) -> int:
        """How many rows it needs: the comment, messages, the open field."""
        text = min(4, self._text.document.line_count) if self.writes else 0
        return 1 + self._lines + (text or int(self._name_field.display))

    def keys(self, done: str, leave: str) -> list[tuple[str, str]]:
        """Name what the keys do in the open field, of which one ends a text of many lines, and one leaves."""
        if self.writes is None:
            confirm = self.onward.keys(self.decision) if self.decision is not None else []
            return [*confirm, (leave, "Back")]
        if self._text.document.line_count > 1:
            return [(done, "Done"), ("Enter", "New line"), (leave, "Back")]
        return [("Enter", "Done"), (leave, "Back")]

    def show_comment(self, comment: str, *, wanted: bool, write: str, width: int) -> None:
        """Show the comment.

        Args:
            comment: As it is by now.
            wanted: Whether a rejection takes one.
            write: How it can be written; empty where it cannot.
            width: How many cells there are.
        """
        written = visible(comment.replace("\n", " "))
        words = written or ("(none; required to reject)" if wanted else "(none)")
        note = f"draft  {write}" if written else write
        left = Text.assemble(("Comment   ", "bold"), (words, "" if written else "dim"))
        self._comment.update(between(left, Text(f"  {note}", "dim"), width))

    def say(self, lines: Sequence[Text]) -> None:
        """Show a message until the next one."""
        self._lines = len(lines)
        self._said.update(Text("\n", no_wrap=True, overflow="ellipsis").join(lines))
        self._said.display = bool(lines)

    def write(self, what: Writes, text: str) -> None:
        """Open the field for a text."""
        self.close()
        self._writes = what
        self._text.load_text(text)
        self._text.move_cursor(self._text.document.end)
        self.say([Text(_ASKED[what])])
        self._open(self._text)

    def confirm(self, decision: Decision, name: str | None, onward: Onward) -> None:
        """Open the field in which a decision is confirmed: by Enter, or by a name that must be typed."""
        self.close()
        self.decision, self.onward = decision, onward
        self._wanted = name
        self._name_field.value = ""
        self._open(self._enter if name is None else self._name_field)

    def ask(self, lines: Sequence[Text]) -> None:
        """Ask whether the decision is meant; a message about an answer stays until the question changes."""
        if lines != self._asked:
            self._asked = lines
            self.say(lines)

    def _open(self, field: Widget) -> None:
        field.display = True
        field.focus()

    def close(self) -> None:
        """Close the open field, and say nothing any more."""
        for field in self._fields:
            field.display = False
        self._writes, self.decision = None, None
        self._asked = ()
        self.say(())
        if self.screen.focused in self._fields:
            self.screen.set_focus(None)

    def action_accept(self) -> None:
        """Finish the text."""
        if self.writes is not None:
            self.post_message(self.Written(self.writes, self._text.text))

    @on(TextField.Entered)
    def _accept(self, event: Message) -> None:
        event.stop()
        self.action_accept()

    @on(TextArea.Changed)
    def _tell(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.writes is not None:
            self.post_message(self.Typed(self.writes, self._text.text))

    @on(Input.Submitted)
    @on(NameField.SubmittedOnly)
    def _compare(self, event: Message) -> None:
        event.stop()
        if not self._name_field.display:
            return
        if self._wanted is not None and self._name_field.value == self._wanted:
            self._confirm(only=isinstance(event, NameField.SubmittedOnly))
        else:
            self.app.bell()
            self.say([*self._asked, Text("✗ that is not the node's name: nothing was decided", "bold")])

    @on(EnterLine.Pressed)
    def _confirmed(self, event: EnterLine.Pressed) -> None:
        event.stop()
        if self._enter.display:
            self._confirm(only=event.only)

    def _confirm(self, *, only: bool) -> None:
        self.post_message(self.Confirmed(bool(self.onward.does) and not only))
