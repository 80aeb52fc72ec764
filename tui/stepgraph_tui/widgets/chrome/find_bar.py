"""One-line inputs: the search field, the filter, and the line below the panes that they replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.message import Message
from textual.reactive import reactive, var
from textual.widgets import Input, Static

from ...commands import bindings
from ...commands.hints import UNMAPPED, Hints
from ...text.characters import visible

if TYPE_CHECKING:
    from .pane import Pane
    from .status_lines import NextLine


class LineField(Input):
    """A field of one line. Typing replaces what is in it."""

    cursor_blink = reactive(False, init=False)  # a cursor that blinks writes to the terminal for ever

    def on_paste(self, event: events.Paste) -> None:
        """Take the first line, with control characters as escapes, in place of what is selected."""
        event.stop()
        event.prevent_default()
        self.replace(visible(event.text.split("\n")[0].rstrip("\r")), *sorted(self.selection))


_WHILE_TYPING = "{find.next} next  {find.close} close"
_AFTERWARDS = "{workbench.find_next} {workbench.find_previous} next"
_ROOMY = 50  # cells, from which on the keys are named


class FindField(LineField):
    """The text to find."""

    BINDINGS = bindings("find")

    class Left(Message):
        """The search is over."""

    def action_close(self) -> None:
        """End the search."""
        self.post_message(self.Left())


class FindBar(Horizontal):
    """Asks what to find; whoever has the bar searches, and says in ``found`` how often it is there.

    Args:
        hints: Names the keys.
        closes: The command of whoever has the bar that ends the search.
    """

    DEFAULT_CSS = """
    FindBar {
        height: 1;
        background: $surface;
        & > Static { width: auto; height: 1; }
        & > .find-bar--slash { padding: 0 1; color: $text-accent; text-style: bold; }
        & > .find-bar--found { padding: 0 1 0 2; text-style: bold; }
        & > .find-bar--keys { padding: 0 1; color: $text-muted; }
        & > FindField { width: 1fr; min-width: 4; height: 1; }
    }
    """

    found: var[str] = var("")
    """How often the text is there, in words: ``2 of 7``."""

    @dataclass
    class Changed(Message):
        """There is another text to find; empty: nothing."""

        text: str

    class Submitted(Message):
        """Enter: the keys go back to what is searched."""

    class Closed(Message):
        """Esc: the search is over."""

    def __init__(self, hints: Hints = UNMAPPED, closes: str = "workbench.back") -> None:
        super().__init__()
        self._while_typing = hints(_WHILE_TYPING)
        self._afterwards = f"{hints(_AFTERWARDS)}  {hints.key(closes)} close"
        self._field = FindField(compact=True, select_on_focus=True)
        self._found = Static("", markup=False, classes="find-bar--found")
        self._keys = Static(self._afterwards, markup=False, classes="find-bar--keys")

    def compose(self) -> ComposeResult:
        """Yield the slash, the field, the count, the keys."""
        yield Static("/", markup=False, classes="find-bar--slash")
        yield self._field
        yield self._found
        yield self._keys

    @property
    def text(self) -> str:
        """What is to be found."""
        return self._field.value

    def open(self) -> None:
        """Ask for a text; the last one is there, to be typed over."""
        self.found = ""
        self._field.focus()
        self._field.select_all()
        if self.text:
            self.post_message(self.Changed(self.text))

    def watch_found(self, found: str) -> None:
        """Show how often the text occurs."""
        self._found.update(visible(found))

    def on_resize(self, event: events.Resize) -> None:
        """Hide the keys where there is no room for them."""
        self._keys.display = event.size.width >= _ROOMY

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _name_the_keys(self) -> None:
        self._keys.update(self._while_typing if self._field.has_focus else self._afterwards)

    @on(Input.Changed)
    def _find(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Changed(message.value))

    @on(Input.Submitted)
    def _submit(self, message: Input.Submitted) -> None:
        message.stop()
        self.post_message(self.Submitted())

    @on(FindField.Left)
    def _close(self, message: FindField.Left) -> None:
        message.stop()
        self.post_message(self.Closed())


class FilterLine(Horizontal):
    """Has the field of a filter; it takes no room until it is opened."""

    DEFAULT_CSS = """
    FilterLine {
        height: 1;
        background: $boost;
        & > Static {
            width: 3;
            padding: 0 1;
            color: $accent;
            text-style: bold;
        }
        & > Input { background: $boost; }
    }
    """

    def __init__(self) -> None:
        super().__init__(classes="filter")
        self._field = LineField(compact=True)
        self.display = False

    def compose(self) -> ComposeResult:
        """Compose the sign of the filter, and the field."""
        yield Static("/")
        yield self._field

    @property
    def text(self) -> str:
        """What is written there."""
        return self._field.value

    @property
    def writes(self) -> bool:
        """Whether keys go to the field."""
        return self._field.has_focus

    def open(self) -> None:
        """Show the field, and focus it."""
        self.display = True
        self._field.focus()

    def set_text(self, text: str) -> None:
        """Show the field with another text."""
        self.display = True
        self._field.value = text

    def hide(self) -> None:
        """Take no more room; what is written stays."""
        self.display = False

    def clear(self) -> None:
        """Ask for nothing any more, and take no more room."""
        self._field.value = ""
        self.hide()


class BottomLine(Container):
    """Says what comes next; while a pane is searched, asks what to find in it.

    Args:
        hints: Names the keys.
        next_line: Says what comes next.
    """

    DEFAULT_CSS = "BottomLine { height: 1; }"

    def __init__(self, hints: Hints, next_line: NextLine) -> None:
        super().__init__()
        self._next_line = next_line
        self._bar = FindBar(hints)
        self._searched: Pane | None = None

    def compose(self) -> ComposeResult:
        """Show what comes next; the field of a search is made with the first search."""
        yield self._next_line

    @property
    def is_searching(self) -> bool:
        """Whether a search is on."""
        return self._searched is not None

    async def search(self, pane: Pane) -> None:
        """Ask what to find in a pane."""
        if not self._bar.is_attached:
            await self.mount(self._bar)
        self._searched = pane
        self._next_line.display, self._bar.display = False, True
        self._bar.open()
        self.screen.refresh_bindings()

    def find_next(self, by: int) -> None:
        """Move to the next match, or the one before."""
        if self._searched is not None:
            self._bar.found = self._searched.search.next(by)

    @on(FindBar.Changed)
    def _find(self, message: FindBar.Changed) -> None:
        message.stop()
        if self._searched is not None:
            self._bar.found = self._searched.search.find(message.text)

    @on(FindBar.Submitted)
    def _go_back(self, message: FindBar.Submitted) -> None:
        message.stop()
        if self._searched is not None:
            self._searched.focus()

    @on(FindBar.Closed)
    def end_search(self) -> None:
        """Mark nothing any more, and go back to the pane."""
        searched, self._searched = self._searched, None
        self._bar.display, self._next_line.display = False, True
        if searched is not None:
            searched.search.end()
            searched.focus()
        self.screen.refresh_bindings()
