"""Where a person decides: the comment, and the field in which is written or confirmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ...commands import bindings
from ...commands.live import live_keys
from ...text.characters import visible
from ...text.plain import age
from ...widgets.chrome.find_bar import LineField
from ...widgets.chrome.status_lines import between
from ..forms.editors import TextField
from .drafts import Writes
from .onward import Onward
from .view import FRAME, FrameLine

if TYPE_CHECKING:
    from textual.geometry import Size

    from stepgraph.reviews import Decision

    from ...commands.hints import Hints
    from .drafts import ReviewDraft
    from .edit_form import EditForm
    from .view import ReviewView


Counts = Callable[[events.Key], bool]
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
        """Show nothing: the words stand above."""
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
    """Shows the comment and what is said, and has the fields.

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
        """Show the comment, what is said, and the three fields, of which at most one is shown."""
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
    def asks(self) -> bool:
        """Whether what is open is the question that decides."""
        return self.decision is not None

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
        """How many rows it needs: the comment, what is said, the open field."""
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
        """Ask whether the decision is meant; what was said of an answer stays until the question changes."""
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


_EDGES, _PANEL = 3, 5  # rows of the frame; rows of the panel where there is room for what comes to be asked
_LOW = 16  # rows; on a lower screen the frame has no bottom
_LOWEST = 12  # rows; on a lower screen only one thing is shown at a time
_WIDE, _BESIDE = 100, 20  # cells; of wider screens, these are left beside the box
_CLOCK, _CLOCK_FROM = 20, 56  # cells of the clock, and of the narrowest screen that has it
_COUNTDOWN, _COUNTDOWN_FROM = 34, 72  # the same of what counts down to a deadline


def _width_on(screen: Size) -> int:
    return min(screen.width, max(_WIDE, screen.width - _BESIDE))


class ReviewBox(Vertical):
    """Arranges what a review is read on and what is written into, and knows which field is open.

    Args:
        view: The page that is read.
        form: The fields of an edit, shown in place of the page.
        panel: The comment, and the field of a text, of a name or of a confirmation.
    """

    def __init__(self, view: ReviewView, form: EditForm, panel: DecisionPanel) -> None:
        self._title, self._clock, self._risk = (
            FrameLine(("┏", "━"), "━"),
            FrameLine(("━", "━"), "━"),
            FrameLine(("━", "━━━┓"), "━"),
        )
        self._middle, self._bottom = FrameLine(("┠", "┨"), "─"), FrameLine(("┗", "┛"), "━")
        self._view, self._form, self._panel = view, form, panel
        self._clock.styles.width = _CLOCK
        top = Horizontal(self._title, self._clock, self._risk)
        super().__init__(top, view, form, self._middle, panel, self._bottom)

    def title(self, place: str, risk: str = "", what: str = "APPROVAL") -> None:
        """Return the title of the review for the frame."""
        self._title.say(f"{what} {place}".rstrip())
        self._risk.say("", f"RISK {risk.upper()}" if risk else "")
        self._risk.styles.width = len(risk) + 13

    def tell_time(self, waits: float | None, countdown: str) -> None:
        """Show how long the review has waited, or what happens when it times out; nothing once it is over.

        The clock is a widget of its own, so that it repaints no other cells than its own.

        Args:
            waits: For how many seconds it has waited; None where it does not wait any more.
            countdown: What it does by itself and when; empty where that is nothing.
        """
        told = countdown or ("" if waits is None else f"waiting {age(waits)}")
        self._clock.styles.width = _COUNTDOWN if countdown else _CLOCK
        self._clock.display = self.screen.size.width >= (_COUNTDOWN_FROM if countdown else _CLOCK_FROM)
        self._clock.say("", told, strong=bool(countdown))

    def say_outside(self, gate: str) -> None:
        """Show in the frame how much lies above and below, or what must be read first."""
        below, above = ("", "") if self._form.display else self._view.outside
        gate = gate if self.idle else ""
        self._middle.say(gate or below, "" if gate else above, strong=bool(gate))

    @property
    def row_width(self) -> int:
        """How many cells a row of a page has."""
        return max(1, _width_on(self.screen.size) - FRAME)

    @property
    def idle(self) -> bool:
        """Whether keys are verbs: no field is open."""
        return not self._form.display and self._panel.idle

    @property
    def field(self) -> Widget | None:
        """The field that is open, or the first of the form."""
        return self._form.first if self._form.display else self._panel.field

    @property
    def asks(self) -> bool:
        """Whether what is open is a question that decides."""
        return self._panel.asks

    @property
    def writing(self) -> bool:
        """Whether a text or the form is open, in which keys need not be waited for."""
        return self._form.display or self._panel.writes is not None

    @property
    def scrolled(self) -> Widget:
        """What the keys scroll."""
        return self._form if self._form.display else self._view

    @property
    def leaving(self) -> str:
        """The key that leaves what is open: in a field it cannot be a letter."""
        return next(iter(live_keys(self.screen).get("approval.later", ())), "")

    def keys(self, hints: Hints) -> list[tuple[str, str]]:
        """Name what the keys do in what is open; none while nothing is."""
        if self._form.display:
            return self._form.keys(hints)
        return self._panel.keys(hints.key("form.accept"), self.leaving) if not self.idle else []

    def close_fields(self, draft: ReviewDraft) -> None:
        """Close whatever is written into; what was written is kept in the draft."""
        if self._panel.writes is not None:
            draft.keep(self._panel.writes, self._panel.text)
        if self._form.display:
            draft.edits = self._form.edits
        self._panel.close()
        self._form.display = False
        self.screen.set_focus(None)

    def fit(self, size: Size) -> None:
        """Be as high as the content, or as the screen; leave out what a low screen cannot hold.

        Where there is room, some is kept for what comes to be asked, so that nothing moves then.
        """
        low, asking = size.height < _LOW, self._panel.field is not None
        alone = asking and size.height < _LOWEST
        room = size.height - (1 if low else 2)
        rows = len(self._view.rows) + _EDGES
        kept = max(self._panel.rows, min(_PANEL, room - rows))
        self.set_class(low, "-low")
        self.styles.width = _width_on(size)
        self.styles.height = room if self._form.display or low else min(room, rows + kept)
        self._view.display = not self._form.display and not alone
        self._middle.display = self._view.display or not low
        self._panel.display = not (low and self._form.display)
        self._panel.styles.min_height = 0 if low else kept
        self._bottom.display = not low
        self._panel.set_class(alone, "-alone")
        self._panel.set_class(low and asking, "-asks")
