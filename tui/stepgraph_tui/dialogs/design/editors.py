"""Where texts are typed: on one line, wrapped, in lines; each lets a list of completions have keys first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from stepgraph_tui.dialogs.run_form.editors import LineField, TextField
from stepgraph_tui.dialogs.run_form.questions import LONGEST
from stepgraph_tui.words.text import plural, visible_lines

First: TypeAlias = Callable[[str], bool]
"""Is told a key before the text is, and says whether it used it."""
_LOOKED_BACK = 40  # lines before the cursor


class TooLong(Message):
    """What was pasted is more than a field can edit."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class LineEditor(LineField):
    """A text on one line.

    Args:
        first: Has each key first.
        placeholder: What holds while the field is empty.
        hidden: Whether the text must not be seen.
    """

    def __init__(self, text: str, first: First, placeholder: str = "", *, hidden: bool = False) -> None:
        super().__init__(text, placeholder=placeholder, password=hidden, compact=True, select_on_focus=False)
        self._first = first

    @property
    def text(self) -> str:
        """What stands in it."""
        return self.value

    @text.setter
    def text(self, text: str) -> None:
        self.value = " ".join(text.split("\n"))
        self.cursor_position = len(self.value)

    @property
    def before(self) -> str:
        """What stands before the cursor."""
        return self.value[: self.cursor_position]

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return False

    def put_for(self, typed: str, text: str) -> None:
        """Put a text in the place of the last characters before the cursor."""
        self.replace(text, self.cursor_position - len(typed), self.cursor_position)

    def on_key(self, event: events.Key) -> None:
        """Let the list of completions have the key first."""
        if self._first(event.key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Refuse what is too long to be edited; the rest is taken as ever."""
        if len(event.text) > LONGEST:
            event.stop()
            event.prevent_default()
            self.post_message(TooLong(event.text.split("\n")[0]))


class AreaEditor(TextField):
    """A text that is wrapped. Enter leaves it, unless it has lines.

    Args:
        first: Has each key first.
        placeholder: What holds while the field is empty.
        lines: Whether Enter always breaks the line.
        at_end: Whether the cursor begins at the end of a text of several lines.
    """

    def __init__(
        self, text: str, first: First, placeholder: str = "", *, lines: bool = False, at_end: bool = False
    ) -> None:
        super().__init__(
            text,
            compact=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder=Content(placeholder),  # a text would be read as markup
        )
        self._first = first
        self._lines = lines
        if at_end or self.document.line_count == 1:
            self.move_cursor(self.document.end)

    @property
    def before(self) -> str:
        """What stands before the cursor, as far back as completions look."""
        row, column = self.cursor_location
        return self.get_text_range((max(0, row - _LOOKED_BACK), 0), (row, column))

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return self._lines or super().breaks_lines

    def put_for(self, typed: str, text: str) -> None:
        """Put a text in the place of the last characters before the cursor, which are on its line."""
        row, column = self.cursor_location
        self.replace(text, (row, column - len(typed)), (row, column))

    def on_key(self, event: events.Key) -> None:
        """Let the list of completions have the key first."""
        if self._first(event.key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Take all lines, control characters as escapes; refuse what is too long to be edited."""
        event.stop()
        event.prevent_default()
        text = safe(event.text)
        start, end = sorted(self.selection)
        if len(self.text) + len(text) > LONGEST:
            before, after = self.get_text_range((0, 0), start), self.get_text_range(end, self.document.end)
            self.post_message(TooLong(f"{before}{text}{after}"))
        else:
            self.replace(text, start, end, maintain_selection_offset=False)


def safe(text: str) -> str:
    """A text in which nothing moves the cursor: tabs as blanks, control characters as escapes."""
    return "\n".join(visible_lines(text.replace("\r\n", "\n").replace("\r", "\n")))


class LongText(Widget, can_focus=True):
    """Stands for a text that is too long to be edited here."""

    class Entered(Message):
        """Enter was pressed: the text stays as it is."""

    class Emptied(Message):
        """The text is not wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.display = False

    def show(self, text: str) -> None:
        """Stand for another text."""
        self.text = text
        self.refresh(layout=True)

    def render(self) -> Text:
        """How long it is."""
        count = plural(len(self.text), "character")
        return Text(f"{count}, more than can be edited here; kept as is, Del empties it")

    def on_key(self, event: events.Key) -> None:
        """Leave it, or empty it."""
        messages = {"enter": self.Entered, "delete": self.Emptied, "backspace": self.Emptied}
        if event.key in messages:
            event.stop()
            self.post_message(messages[event.key]())
