"""Where texts are typed: on one line, wrapped, in lines; nothing that is pasted can move the cursor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import TextArea

from ...text.cells import cut, padded
from ...text.plain import plural, visible_lines
from ...widgets.chrome.find_bar import LineField
from ...widgets.lines import LOOKS
from ...widgets.part_styles import PartStyles
from .completing import Offer

First: TypeAlias = Callable[[str], bool]
"""Takes a key before the text does, and returns whether it used it."""
_LOOKED_BACK = 40  # lines before the cursor


@dataclass
class TooLong(Message):
    """What was pasted is more than a field can edit."""

    text: str


class TextField(TextArea):
    """A field that grows with its text. Enter breaks the line only where the text has lines already."""

    cursor_blink = reactive(False, init=False)

    @dataclass
    class Entered(Message):
        """Enter was pressed where it does not break the line."""

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return self.document.line_count > 1

    def on_key(self, event: events.Key) -> None:
        """Keep Enter out of a text of one line."""
        if event.key == "enter" and not self.breaks_lines:
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered())

    def on_paste(self, event: events.Paste) -> None:
        """Take all lines, with other control characters as escapes."""
        event.stop()
        event.prevent_default()
        self.replace(safe(event.text), *self.selection, maintain_selection_offset=False)


class LineEditor(LineField):
    """The editor of a text on one line. It lets a list of completions have each key first.

    Args:
        text: The text to begin with.
        first: Has each key first.
        placeholder: What holds while the field is empty.
        hidden: Whether the text must not be seen.
        limit: The most characters that can be pasted; any number when None.
        typed_over: Whether typing replaces what is there.
    """

    def __init__(
        self,
        text: str,
        first: First,
        placeholder: str = "",
        *,
        hidden: bool = False,
        limit: int | None = None,
        typed_over: bool = False,
    ) -> None:
        super().__init__(
            text, placeholder=placeholder, password=hidden, compact=True, select_on_focus=typed_over
        )
        self._first, self._limit = first, limit

    @property
    def text(self) -> str:
        """What is in it."""
        return self.value

    @text.setter
    def text(self, text: str) -> None:
        self.value = " ".join(text.split("\n"))
        self.cursor_position = len(self.value)

    @property
    def before(self) -> str:
        """What comes before the cursor."""
        return self.value[: self.cursor_position]

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return False

    def put_for(self, typed: str, text: str) -> None:
        """Insert a text in place of the last characters before the cursor."""
        self.replace(text, self.cursor_position - len(typed), self.cursor_position)

    def on_key(self, event: events.Key) -> None:
        """Offer the key to the list of completions first."""
        if self._first(event.key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Refuse what is too long to be edited; the rest is taken as ever."""
        if self._limit is not None and len(event.text) > self._limit:
            event.stop()
            event.prevent_default()
            self.post_message(TooLong(event.text.split("\n")[0]))


class AreaEditor(TextField):
    """The editor of a text that is wrapped. Enter leaves it, unless it has lines.

    Args:
        text: The text to begin with.
        first: Has each key first.
        placeholder: What holds while the field is empty.
        lines: Whether Enter always breaks the line.
        at_end: Whether the cursor begins at the end of a text of several lines.
        limit: The most characters that can be edited after a paste; any number when None.
    """

    def __init__(
        self,
        text: str,
        first: First,
        placeholder: str = "",
        *,
        lines: bool = False,
        at_end: bool = False,
        limit: int | None = None,
    ) -> None:
        super().__init__(
            text,
            compact=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder=Content(placeholder),  # a text would be read as markup
        )
        self._first, self._lines, self._limit = first, lines, limit
        if at_end or self.document.line_count == 1:
            self.move_cursor(self.document.end)

    @property
    def before(self) -> str:
        """What comes before the cursor, as far back as completions look."""
        row, column = self.cursor_location
        return self.get_text_range((max(0, row - _LOOKED_BACK), 0), (row, column))

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line now."""
        return self._lines or super().breaks_lines

    def put_for(self, typed: str, text: str) -> None:
        """Insert a text in place of the last characters before the cursor, which are on its line."""
        row, column = self.cursor_location
        self.replace(text, (row, column - len(typed)), (row, column))

    def on_key(self, event: events.Key) -> None:
        """Offer the key to the list of completions first."""
        if self._first(event.key):
            event.stop()
            event.prevent_default()

    def on_paste(self, event: events.Paste) -> None:
        """Refuse what would be too long to be edited; the rest is taken as ever."""
        text = safe(event.text)
        if self._limit is not None and len(self.text) + len(text) > self._limit:
            event.stop()
            event.prevent_default()
            start, end = sorted(self.selection)
            before, after = self.get_text_range((0, 0), start), self.get_text_range(end, self.document.end)
            self.post_message(TooLong(f"{before}{text}{after}"))


def safe(text: str) -> str:
    """Return a text in which nothing moves the cursor: tabs as blanks, control characters as escapes."""
    return "\n".join(visible_lines(text.replace("\r\n", "\n").replace("\r", "\n")))


class LongText(Widget):
    """Stands for a text that is too long to be edited here.

    Args:
        text: The text.
        can_be_emptied: Whether a key takes it away.
    """

    DEFAULT_CSS = "LongText { height: auto; }"

    @dataclass
    class Entered(Message):
        """Enter was pressed: the text stays as it is."""

    @dataclass
    class Emptied(Message):
        """The text is not wanted."""

    def __init__(self, text: str, *, can_be_emptied: bool) -> None:
        super().__init__()
        self.text = text
        self.can_focus = can_be_emptied

    def show(self, text: str) -> None:
        """Stand for another text."""
        self.text = text
        self.refresh(layout=True)

    def render(self) -> Text:
        """Describe how long it is."""
        count = plural(len(self.text), "character")
        key = ", Del empties it" if self.can_focus else ""
        return Text(f"{count}, more than can be edited here; kept unchanged{key}")

    def on_key(self, event: events.Key) -> None:
        """Leave it, or empty it."""
        messages = {"enter": self.Entered, "delete": self.Emptied, "backspace": self.Emptied}
        if event.key in messages:
            event.stop()
            self.post_message(messages[event.key]())


_SHOWN = 6  # names at a time
_ENOUGH = 2  # letters, from which on somebody who goes on is likely to mean the first name


class CompletionList(Widget):
    """Names that could be where somebody types.

    One of them is marked, to be taken, once there is something to go by: two letters, or an arrow key.
    """

    DEFAULT_CSS = """
    CompletionList {
        overlay: screen;
        constrain: inside inflect;
        height: auto;
        padding: 0 1 0 2;
        background: $panel-lighten-1;
    }
    """

    offer: reactive[Offer | None] = reactive(None, layout=True)
    cursor: reactive[int] = reactive(0)

    @dataclass
    class Clicked(Message):
        """A name was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._part_styles = PartStyles(self, LOOKS)
        self.moved = False
        """Whether somebody went through the names: then Enter takes one, too."""

    def on_mount(self) -> None:
        """Nothing is offered before anything was typed."""
        self.display = False

    def watch_offer(self) -> None:
        """Begin at the first name; without any the list is not there."""
        self.cursor, self.moved = 0, False
        self.display = self.offer is not None

    @property
    def name_at_cursor(self) -> str:
        """The name under the cursor."""
        return self.offer.names[self.cursor] if self.offer is not None else ""

    @property
    def has_mark(self) -> bool:
        """Whether a name is marked, so that Tab takes it; after one letter it goes to the next field."""
        return self.offer is not None and (self.moved or len(self.offer.typed) >= _ENOUGH)

    def move(self, by: int) -> None:
        """Mark another name; the first or the last one when none is marked."""
        if self.offer is not None:
            at = self.cursor + by if self.has_mark else min(by, 0)
            self.moved = True
            self.cursor = at % len(self.offer.names)
            self.refresh()

    @property
    def _top(self) -> int:
        return max(0, self.cursor - _SHOWN + 1)

    def on_click(self, event: events.Click) -> None:
        """Take what is clicked."""
        at = self._top + event.y
        if self.offer is not None and event.y < _SHOWN and at < len(self.offer.names):
            self.cursor = at
            self.post_message(self.Clicked())

    def render(self) -> Text:
        """Some of the names, the one under the cursor among them."""
        if self.offer is None:
            return Text()
        names, top, width = self.offer.names, self._top, max(1, self.content_size.width)
        cursor = self._part_styles["cursor-focused"]
        marked = self.cursor if self.has_mark else None
        lines = [
            Text(padded(f"▸ {name}", width), cursor) if at == marked else Text(cut(f"  {name}", width))
            for at, name in enumerate(names[top : top + _SHOWN], top)
        ]
        left = len(names) - top - _SHOWN
        if left > 0:
            lines.append(Text(f"  … {left} more", self._part_styles["dim"]))
        return Text("\n").join(lines)
